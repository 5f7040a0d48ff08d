import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../base/secret-box.ts';

/** What signs the calls of a webhook; null: there is no webhook. */
export interface WebhookSecret {
  /** Shown once, when it is made; null: the stored one stays. */
  readonly shown: string | null;
  /** As it is stored. */
  readonly sealed: string | null;
}

/**
 * A new secret, or the stored one while the address stays: another receiver must not learn the secret
 * of the first one.
 *
 * @param purpose of the seal
 */
export const webhookSecretFor = (
  secretBox: SecretBox,
  purpose: string,
  webhook: string | null,
  before?: { readonly webhook: string | null; readonly webhookSecret: string | null },
): WebhookSecret => {
  if (webhook === null) return { shown: null, sealed: null };
  if (before?.webhook === webhook && before.webhookSecret !== null) return { shown: null, sealed: before.webhookSecret };
  const shown = randomBytes(32).toString('base64url');
  return { shown, sealed: secretBox.seal(shown, purpose) };
};
