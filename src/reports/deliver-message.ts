import type { SecretBox } from '../base/secret-box.ts';
import type { GuardedDispatchers } from '../bidders/calls/guarded-dispatcher.ts';
import { readBidderUrl, type AddressPolicy } from '../bidders/calls/read-bidder-url.ts';
import type { Mail, SendMail } from '../mail/send-mail.ts';
import { callWebhook, type WebhookCall } from './send-report.ts';

export interface DeliverMessageOptions extends AddressPolicy {
  readonly secretBox: SecretBox;
  readonly dispatchers: GuardedDispatchers;
  /** undefined: SMTP_URL is not set. */
  readonly sendMail: SendMail | undefined;
  readonly now?: () => number;
}

/** How a message reaches its receiver. Each way is delivered, and tried again, without the other. */
export type Way = 'webhook' | 'email';

/** A call of a webhook whose secret is sealed for `purpose`. */
export interface SealedCall extends Pick<WebhookCall, 'what' | 'deliveryId' | 'file'> {
  readonly address: string;
  readonly sealedSecret: string | null;
  readonly purpose: string;
}

/** What one receiver gets by each way. undefined: the way is not used, or has delivered it already. */
export interface Message {
  readonly webhook: SealedCall | undefined;
  readonly email: Mail | undefined;
}

/**
 * Delivers a message by all of its ways, and calls `onDelivered` for each that succeeds. Rejects when a
 * way fails; the fault is for staff.
 */
export const deliverMessage = async (
  options: DeliverMessageOptions,
  { webhook, email }: Message,
  onDelivered: (way: Way) => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  const results = await Promise.allSettled([
    webhook && callSealed(options, webhook).then(() => onDelivered('webhook')),
    email && mailOut(options, email).then(() => onDelivered('email')),
  ]);
  const faults = results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []));
  if (faults.length > 0) throw new Error(faults.join(' '));
};

const callSealed = async (options: DeliverMessageOptions, { address, sealedSecret, purpose, ...call }: SealedCall): Promise<void> => {
  const { secretBox, dispatchers, now = Date.now } = options;
  const url = readBidderUrl(address, options);
  const secret = sealedSecret === null ? undefined : secretBox.open(sealedSecret, purpose);
  if (typeof url === 'string') throw new Error('The address of the webhook is not allowed.');
  if (secret === undefined) throw new Error('The secret of the webhook cannot be read: its key has left SEAL_KEYS.');
  await callWebhook(dispatchers, { ...call, url, secret, nowMs: now() });
};

const mailOut = async ({ sendMail }: DeliverMessageOptions, mail: Mail): Promise<void> => {
  if (!sendMail) throw new Error('SMTP_URL is not set.');
  await sendMail(mail);
};
