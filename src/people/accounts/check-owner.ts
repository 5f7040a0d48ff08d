import type { Knex } from 'knex';
import type { Caller } from '../../access/caller.ts';
import { refuse, type Refused } from '../../api/route.ts';
import { ATTEMPTS, type Attempts } from '../attempts.ts';
import type { Passwords } from './password.ts';

/**
 * Whether the owner of the account calls, and not someone who has found an open browser: they know its
 * password, where it has one. Guesses are limited. undefined: it is the owner.
 *
 * @param pointer of the password in the body
 */
export type CheckOwner = (caller: Caller, password: string, pointer: string) => Promise<Refused | undefined>;

export interface CheckOwnerOptions {
  readonly knex: Knex;
  readonly passwords: Passwords;
  readonly attempts: Attempts;
}

export const createCheckOwner =
  ({ knex, passwords, attempts }: CheckOwnerOptions): CheckOwner =>
  async ({ id, sessionId }, password, pointer) => {
    const row = await knex('people').where({ id }).first<{ password: string | null } | undefined>('password');
    if (row?.password == null) return undefined;
    const guesses = `session ${sessionId}`;
    if ((await attempts.count('device', guesses)) > ATTEMPTS.device.max)
      return refuse('too_many_requests', 'Too many wrong passwords.', [], { 'Retry-After': String(ATTEMPTS.device.windowS) });
    const matches = await passwords.matches(password, row.password);
    if (matches === false) return refuse('invalid_request', 'The change has faults.', [{ pointer, detail: 'is not your password' }]);
    await attempts.takeBack('device', guesses);
    return matches ? undefined : tooBusy();
  };

export const tooBusy = (): Refused =>
  refuse('too_many_requests', 'Many people are signing in. Try again in a few seconds.', [], { 'Retry-After': '5' });
