import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Secrets that the service hands out and looks up by their digests: `adst_`, 192 random bits and their
 * CRC-32, in hexadecimal digits. By the prefix and the checksum scanners of leaked secrets find one
 * without false alarms, and a mistyped one is refused without a query.
 */
export interface SecretKind {
  make(): NewSecret;
  /** Whether a text is meant as a secret of this kind. */
  claims(text: string): boolean;
  /** undefined: no secret of this kind has this form. */
  digestOf(text: string): Buffer | undefined;
}

export interface NewSecret {
  /** Shown once. */
  readonly secret: string;
  /** Of a secret, in lists: the prefix and 24 bits. */
  readonly shown: string;
  /** SHA-256. */
  readonly digest: Buffer;
}

const SECRET_BYTES = 24;
const SHOWN_DIGITS = 6;

const secretKind = (prefix: string): SecretKind => {
  const form = new RegExp(`^${prefix}([0-9a-f]{${2 * SECRET_BYTES}})([0-9a-f]{8})$`);
  return {
    make: () => {
      const random = randomBytes(SECRET_BYTES).toString('hex');
      const secret = prefix + random + checksumOf(random);
      return { secret, shown: secret.slice(0, prefix.length + SHOWN_DIGITS), digest: sha256(secret) };
    },
    claims: (text) => text.startsWith(prefix),
    digestOf: (text) => {
      const [, random = '', checksum] = form.exec(text) ?? [];
      return checksum === checksumOf(random) ? sha256(text) : undefined;
    },
  };
};

const checksumOf = (random: string): string => crc32(random).toString(16).padStart(8, '0');
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A bearer token of the API. */
export const API_TOKEN = secretKind('adst_');
/** What the cookie of a signed-in person has. */
export const SESSION_SECRET = secretKind('adss_');
/** What the link of an invitation or of a reset has. */
export const LINK_SECRET = secretKind('adsl_');
/** What a read-only link to a report has. */
export const REPORT_LINK_SECRET = secretKind('adsr_');
/** What a link to the proofs of ads has. */
export const PROOF_LINK_SECRET = secretKind('adsp_');
