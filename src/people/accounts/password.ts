import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import type { Fault } from '../../base/fault.ts';

/** Hashes passwords, and compares them with stored hashes: one at a time, so that a replica keeps its processor for ads. */
export interface Passwords {
  /** In the PHC string format, with its parameters. undefined: too many wait. */
  hash(password: string): Promise<string | undefined>;
  /**
   * @param stored null: the account does not exist, or has no password. It takes as long as if it had
   *   one, so that the time does not tell
   * @returns undefined: too many wait
   */
  matches(password: string, stored: string | null): Promise<boolean | undefined>;
}

/** What NIST SP 800-63B-4, 3.1.1.2, asks of a password that may be the only factor: length, and no rules for its characters. */
export const MIN_PASSWORD_LENGTH = 15;
export const MAX_PASSWORD_LENGTH = 256;

/** 32 MiB and about 0.2 s; as strong as N = 2^17, p = 1 (OWASP Password Storage Cheat Sheet, scrypt). */
const LOG2_N = 15;
const R = 8;
const P = 3;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;
/** Longer queues are refused: each waits for about as many times 0.2 s. */
const MAX_WAITING = 20;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const hashOf = (password: string, salt: Buffer, [ln, r, p]: readonly [number, number, number], bytes: number): Promise<Buffer> => {
  const memory = 128 * 2 ** ln * r;
  return derive(password.normalize('NFKC'), salt, bytes, { N: 2 ** ln, r, p, maxmem: 2 * memory + (1 << 20) });
};

export const createPasswords = (): Passwords => {
  const queue = new PQueue({ concurrency: 1 });
  const inTurn = async <T>(work: () => Promise<T>): Promise<T | undefined> =>
    queue.size >= MAX_WAITING ? undefined : queue.add(work, { throwOnTimeout: true });
  return {
    hash: (password) =>
      inTurn(async () => {
        const salt = randomBytes(SALT_BYTES);
        const hash = await hashOf(password, salt, [LOG2_N, R, P], HASH_BYTES);
        return `$scrypt$ln=${LOG2_N},r=${R},p=${P}$${plain(salt)}$${plain(hash)}`;
      }),
    matches: (password, stored) =>
      inTurn(async () => {
        const [, ln, r, p, salt = '', hash = ''] = FORM.exec(stored ?? '') ?? [];
        if (ln === undefined) {
          await hashOf(password, randomBytes(SALT_BYTES), [LOG2_N, R, P], HASH_BYTES);
          return false;
        }
        const expected = Buffer.from(hash, 'base64');
        const given = await hashOf(password, Buffer.from(salt, 'base64'), [Number(ln), Number(r), Number(p)], expected.length);
        return timingSafeEqual(given, expected);
      }),
  };
};

/** Base64 without padding, as PHC strings have it. */
const plain = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Why a password is not accepted. Its length is the schema's. */
export const passwordFaults = (password: string, email: string): readonly Fault[] => {
  const lower = password.toLowerCase();
  const [account = ''] = email.toLowerCase().split('@', 1);
  const rest = lower.replaceAll(email.toLowerCase(), '').replaceAll(account.length < 3 ? email : account, '');
  if (rest.length < MIN_PASSWORD_LENGTH / 2) return [fault('is little more than the e-mail address')];
  if (new Set(lower).size < 5) return [fault('has fewer than five different characters')];
  return [];
};

const fault = (detail: string): Fault => ({ pointer: '/password', detail });
