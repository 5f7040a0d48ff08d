import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Caller } from '../access/caller.ts';

/**
 * A bearer token of the API: `adst_`, 192 random bits and their CRC-32, in hexadecimal digits. By the prefix and the
 * checksum scanners of leaked secrets find it without false alarms, and a mistyped one is refused without a query.
 */
const PREFIX = 'adst_';
const SECRET_BYTES = 24;
const FORM = new RegExp(`^${PREFIX}([0-9a-f]{${2 * SECRET_BYTES}})([0-9a-f]{8})$`);
/** Of a token, in lists: the prefix and 24 bits. */
const SHOWN_LENGTH = PREFIX.length + 6;

export interface NewToken {
  /** Shown once. */
  readonly token: string;
  readonly prefix: string;
  readonly digest: Buffer;
}

export const newToken = (): NewToken => {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  const token = PREFIX + secret + checksumOf(secret);
  return { token, prefix: token.slice(0, SHOWN_LENGTH), digest: digestOf(token) };
};

/**
 * Who has a bearer token; null: no caller, undefined: it is no token of the API.
 *
 * @param use finds the caller by the SHA-256 of the token
 */
export const findTokenWith =
  (use: (digest: Buffer) => Promise<Caller | null>) =>
  (bearer: string): Promise<Caller | null> | undefined => {
    if (!bearer.startsWith(PREFIX)) return undefined;
    const [, secret = '', checksum] = FORM.exec(bearer) ?? [];
    return checksum === checksumOf(secret) ? use(digestOf(bearer)) : Promise.resolve(null);
  };

const checksumOf = (secret: string): string => crc32(secret).toString(16).padStart(8, '0');
const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
