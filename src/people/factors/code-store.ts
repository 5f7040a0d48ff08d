import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { Secret, TOTP } from 'otpauth';
import { createSealedUntil } from '../../base/sealed-until.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import { MS_PER_MINUTE } from '../../base/utc-day.ts';
import { recordChange } from '../../bookings/audit-trail.ts';
import type { Account } from '../accounts/person-store.ts';
import type { NewTotp } from './factor-api.ts';

const PURPOSE = 'authenticator app';
const SETUP_MS = 10 * MS_PER_MINUTE;
const SECRET_BYTES = 20;
const PERIOD_S = 30;
/** A code of the step before or after is accepted, for clocks that are off and people who type slowly. */
const WINDOW = 1;
const RECOVERY_CODES = 10;
/** 80 bits: their plain hash cannot be searched. */
const RECOVERY_BYTES = 10;
const ISSUER = 'Ad server';

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: PERIOD_S });

/** The step of a code; undefined: it is wrong. */
const stepOf = (secret: string, code: string, now: number): number | undefined => {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / (PERIOD_S * 1000)) + delta;
};

export interface CodeStoreOptions {
  readonly knex: Knex;
  readonly secretBox: SecretBox;
  readonly now: () => number;
}

/** One-time codes of authenticator apps (RFC 6238) and recovery codes. Every method rejects when Postgres is unavailable. */
export const createCodeStore = ({ knex, secretBox, now }: CodeStoreOptions) => {
  const setups = createSealedUntil<Setup>({ box: secretBox, now, purpose: 'set-up of an authenticator app', lifetimeMs: SETUP_MS });
  return {
    /** Without a key nothing can be sealed (SEAL_KEYS). */
    canSeal: secretBox.canSeal,

    begin: ({ id, email }: Account): NewTotp => {
      const secret = new Secret({ size: SECRET_BYTES }).base32;
      return { secret, uri: totpOf(secret, email).toString(), setup: setups.seal({ personId: id, secret }) };
    },

    /** Resolves to recovery codes, shown this once; undefined: the code is wrong, or the set-up has ended. */
    confirm: async ({ id, email }: Account, sealed: string, code: string): Promise<readonly string[] | undefined> => {
      const setup = setups.open(sealed);
      if (setup?.personId !== id) return undefined;
      const step = stepOf(setup.secret, code, now());
      if (step === undefined) return undefined;
      return knex.transaction(async (trx) => {
        await trx('people')
          .where({ id })
          .update({ totp_secret: secretBox.seal(setup.secret, PURPOSE), totp_step: step });
        await record(trx, 'create', id, 'authenticator app', email);
        return newRecoveryCodes(trx, id, email);
      });
    },

    /** New recovery codes, which end the earlier ones; undefined: the person has no app. */
    renew: (personId: number, actor: string): Promise<readonly string[] | undefined> =>
      knex.transaction(async (trx) => {
        const withApp = await trx('people').where({ id: personId }).whereNotNull('totp_secret').forUpdate().pluck<number[]>('id');
        return withApp.length === 0 ? undefined : newRecoveryCodes(trx, personId, actor);
      }),

    /** Takes app and recovery codes away. False: there was none. */
    remove: (personId: number, actor: string): Promise<boolean> => knex.transaction((trx) => removeCodes(trx, personId, actor)),

    /** See UseCode. */
    use: async (personId: number, code: string): Promise<boolean | undefined> => {
      const row = await knex('people').where({ id: personId }).first<PersonRow | undefined>('email', 'totp_secret');
      if (row?.totp_secret == null) return undefined;
      const given = code.replaceAll(/[\s-]/g, '').toUpperCase();
      if (!/^\d{6}$/.test(given)) return useRecoveryCode(knex, personId, given, row.email);
      const secret = secretBox.open(row.totp_secret, PURPOSE);
      const step = secret === undefined ? undefined : stepOf(secret, given, now());
      if (step === undefined) return false;
      // Of several at once one succeeds (RFC 6238, 5.2).
      const used = await knex('people').where({ id: personId }).where('totp_step', '<', step).update({ totp_step: step });
      return used > 0;
    },

    /** Recovery codes that are left; undefined: the person has no app. */
    left: async (personId: number): Promise<number | undefined> => {
      const row = await knex('people').where({ id: personId }).first<PersonRow | undefined>('email', 'totp_secret');
      if (row?.totp_secret == null) return undefined;
      const codes = await knex('recovery_codes').where({ person_id: personId }).whereNull('used_at').pluck<Buffer[]>('digest');
      return codes.length;
    },
  };
};

export type CodeStore = ReturnType<typeof createCodeStore>;

interface Setup {
  readonly personId: number;
  readonly secret: string;
}

interface PersonRow {
  readonly email: string;
  readonly totp_secret: string | null;
}

const digestOf = (code: string): Buffer => createHash('sha256').update(code).digest();

const newRecoveryCodes = async (trx: Knex.Transaction, personId: number, actor: string): Promise<readonly string[]> => {
  const codes = Array.from(
    { length: RECOVERY_CODES },
    () => new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32,
  );
  await trx('recovery_codes').where({ person_id: personId }).delete();
  await trx('recovery_codes').insert(codes.map((code) => ({ person_id: personId, digest: digestOf(code) })));
  await record(trx, 'create', personId, 'recovery codes', actor);
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
};

const useRecoveryCode = (knex: Knex, personId: number, code: string, email: string): Promise<boolean> =>
  knex.transaction(async (trx) => {
    const used = await trx('recovery_codes')
      .where({ person_id: personId, digest: digestOf(code) })
      .whereNull('used_at')
      .update({ used_at: trx.fn.now() });
    if (used > 0) await record(trx, 'update', personId, 'recovery code used', email);
    return used > 0;
  });

/** Takes app and recovery codes of a person away. False: there was none. */
export const removeCodes = async (trx: Knex.Transaction, personId: number, actor: string): Promise<boolean> => {
  await trx('recovery_codes').where({ person_id: personId }).delete();
  const removed = await trx('people').where({ id: personId }).whereNotNull('totp_secret').update({ totp_secret: null, totp_step: null });
  if (removed > 0) await record(trx, 'delete', personId, 'authenticator app', actor);
  return removed > 0;
};

/** A line of the history about a second factor. */
export const record = (
  trx: Knex.Transaction,
  action: 'create' | 'update' | 'delete',
  personId: number,
  factor: string,
  actor: string,
): Promise<void> =>
  recordChange(trx, {
    ...{ actor, action, entity: 'second_factor', entityId: personId },
    ...(action === 'delete' ? { before: { factor }, after: null } : { before: null, after: { factor } }),
  });
