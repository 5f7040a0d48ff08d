import type { SecretBox } from '../../base/secret-box.ts';
import type { GuardedDispatchers } from '../../bidders/calls/guarded-dispatcher.ts';
import { readBidderUrl, type AddressPolicy } from '../../bidders/calls/read-bidder-url.ts';
import { callWebhook, type Mail, type SendMail, type WebhookCall } from './send-report.ts';

export interface DeliverMessageOptions extends AddressPolicy {
  readonly secretBox: SecretBox;
  readonly dispatchers: GuardedDispatchers;
  /** undefined: SMTP_URL is not set. */
  readonly sendMail: SendMail | undefined;
  readonly now?: () => number;
}

/** What one receiver gets: a file at its webhook, a mail at its addresses. */
export interface Message extends Pick<WebhookCall, 'what' | 'deliveryId' | 'file'> {
  readonly webhook: string | null;
  /** Sealed for `purpose`. */
  readonly webhookSecret: string | null;
  readonly purpose: string;
  readonly emails: readonly string[];
  readonly mail: Omit<Mail, 'to'>;
}

/**
 * Delivers a message; rejects when that fails. The fault is for staff. The webhook is called first: it
 * recognizes a repeat, a reader of mail does not.
 */
export const deliverMessage = async (options: DeliverMessageOptions, message: Message): Promise<void> => {
  const { secretBox, dispatchers, sendMail, now = Date.now } = options;
  const { what, deliveryId, file, webhook, webhookSecret, purpose, emails, mail } = message;
  if (webhook !== null) {
    const url = readBidderUrl(webhook, options);
    const secret = webhookSecret === null ? undefined : secretBox.open(webhookSecret, purpose);
    if (typeof url === 'string') throw new Error('The address of the webhook is not allowed.');
    if (secret === undefined) throw new Error('The secret of the webhook cannot be read: its key has left SEAL_KEYS.');
    await callWebhook(dispatchers, { what, url, secret, deliveryId, file, nowMs: now() });
  }
  if (emails.length > 0) {
    if (!sendMail) throw new Error('SMTP_URL is not set.');
    await sendMail({ to: emails, ...mail });
  }
};
