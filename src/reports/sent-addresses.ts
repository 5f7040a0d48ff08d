import type { Fault } from '../base/fault.ts';
import type { SecretBox } from '../base/secret-box.ts';
import * as s from '../base/schema.ts';
import { readBidderUrl, type AddressPolicy } from '../bidders/calls/read-bidder-url.ts';

const MAX_EMAILS = 20;

/** Where reports and alerts are sent, as members of a record. */
export const SENT_TO = {
  emails: s.withDefault(s.listOf(s.textOf({ format: 'email', maxLength: 254 }), { maxItems: MAX_EMAILS }), []),
  webhook: s.withDefault(s.orNull(s.textOf({ format: 'http-url', maxLength: 2048 })), null),
};

/** What answers add to a record that says where something is sent. `header`: of the signature. */
export const sentMembers = (words: { readonly owner: string; readonly last: string; readonly header: string }) => ({
  id: s.integer,
  owner: s.described(s.text, words.owner),
  last_at: s.orNull(s.text, { description: words.last }),
  last_fault: s.orNull(s.text, { description: 'Why that attempt failed; null: it did not' }),
  webhook_secret: s.optional(s.described(s.text, `The key of ${words.header}. Returned only when it is made`)),
});

export interface SentTo {
  readonly emails: readonly string[];
  readonly webhook: string | null;
}

export interface SendingOptions extends AddressPolicy {
  /** Whether mail can be sent (SMTP_URL). */
  readonly hasMail: boolean;
  /** A webhook has a secret, which SEAL_KEYS seal. */
  readonly secretBox: SecretBox;
}

/** The faults of addresses that this installation cannot send to. `parent`: the pointer of what has them. */
export const sentToFaults = ({ emails, webhook }: SentTo, options: SendingOptions, parent = ''): readonly Fault[] => {
  const faults: Fault[] = [];
  const fault = (member: keyof SentTo, detail: string): void => void faults.push({ pointer: `${parent}/${member}`, detail });
  if (emails.length > 0 && !options.hasMail) fault('emails', 'cannot be used: SMTP_URL is not set');
  if (webhook === null) return faults;
  if (!options.secretBox.canSeal) fault('webhook', 'cannot be used: SEAL_KEYS is not set');
  if (typeof readBidderUrl(webhook, options) === 'string') fault('webhook', 'must be an https URL of a public address, without a password');
  return faults;
};
