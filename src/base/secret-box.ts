import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface SealingKey {
  readonly kid: string;
  readonly secret: string;
}

/** Seals short texts that the database holds and only this service may read: AES-256-GCM. The first key seals, all open. */
export const createSecretBox = (keys: readonly SealingKey[]) => {
  const byKid = new Map(keys.map(({ kid, secret }) => [kid, Buffer.from(hkdfSync('sha256', secret, '', 'secret-box', 32))]));
  const [first] = keys;
  return {
    /** Without a key nothing can be sealed. */
    canSeal: first !== undefined,
    /** `kid.nonce.tag.text`, in base64url. `purpose` must be the same when it is opened. */
    seal: (text: string, purpose: string): string => {
      const key = first && byKid.get(first.kid);
      if (!key) throw new Error('there is no key to seal with');
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [Buffer.from(first.kid), nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url')).join('.');
    },
    /** undefined: sealed with another key or for another purpose, or damaged. */
    open: (sealed: string, purpose: string): string | undefined => {
      const [kid, nonce, tag, text, ...more] = sealed.split('.').map((part) => Buffer.from(part, 'base64url'));
      const key = kid && byKid.get(kid.toString());
      if (!key || nonce?.length !== 12 || tag?.length !== 16 || !text || more.length > 0) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose)).setAuthTag(tag);
      try {
        return decipher.update(text, undefined, 'utf8') + decipher.final('utf8');
      } catch {
        // The tag does not fit: another key under the same id, another purpose, or a damaged text.
        return undefined;
      }
    },
  };
};

export type SecretBox = ReturnType<typeof createSecretBox>;
