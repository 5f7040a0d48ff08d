import type { WebAuthnCredential } from '@simplewebauthn/server';
import type { Knex } from 'knex';
import { recordChange } from '../../bookings/audit-trail.ts';
import type { Account } from '../accounts/person-store.ts';
import { record } from './code-store.ts';
import type { Passkey } from './factor-api.ts';

/** A passkey with what a signature is verified by. */
export interface KnownPasskey {
  readonly id: number;
  readonly person: Account;
  readonly credential: WebAuthnCredential;
}

export const MAX_PASSKEYS = 20;

interface PasskeyRow {
  readonly id: number;
  readonly credential_id: string;
  readonly name: string;
  readonly public_key: Buffer;
  /** Postgres's bigint. */
  readonly counter: string;
  readonly transports: string[];
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const shown = ({ id, name, created_at, last_used_at }: PasskeyRow): Passkey => ({
  ...{ id, name, created_at: created_at.toISOString(), last_used_at: last_used_at?.toISOString() ?? null },
});

/** Passkeys of people. Every method rejects when Postgres is unavailable. */
export const createPasskeyStore = ({ knex }: { readonly knex: Knex }) => ({
  list: async (personId: number): Promise<readonly Passkey[]> => (await rowsOf(knex, personId)).map(shown),

  credentialsOf: async (personId: number): Promise<readonly Pick<WebAuthnCredential, 'id' | 'transports'>[]> =>
    (await rowsOf(knex, personId)).map(({ credential_id: id, transports }) => ({ id, ...(transports.length > 0 && { transports }) })),

  /** undefined: there are too many of the person, or the credential is stored already. */
  add: (
    personId: number,
    name: string,
    { id, publicKey, counter, transports = [] }: WebAuthnCredential,
    actor: string,
  ): Promise<Passkey | undefined> =>
    knex.transaction(async (trx) => {
      await trx('people').where({ id: personId }).forUpdate().pluck<number[]>('id');
      if ((await rowsOf(trx, personId)).length >= MAX_PASSKEYS) return undefined;
      const [row] = await trx('passkeys')
        .insert({ person_id: personId, credential_id: id, name, public_key: Buffer.from(publicKey), counter, transports })
        .onConflict('credential_id')
        .ignore()
        .returning<PasskeyRow[]>('*');
      if (row) await record(trx, 'create', personId, `passkey ${name}`, actor);
      return row && shown(row);
    }),

  /** undefined: the person has none with this id. */
  rename: (personId: number, id: number, name: string, actor: string): Promise<Passkey | undefined> =>
    knex.transaction(async (trx) => {
      const before = await trx('passkeys').where({ id, person_id: personId }).forUpdate().first<PasskeyRow | undefined>();
      if (!before) return undefined;
      await trx('passkeys').where({ id }).update({ name });
      const change = { before: { factor: `passkey ${before.name}` }, after: { factor: `passkey ${name}` } };
      await recordChange(trx, { actor, action: 'update', entity: 'second_factor', entityId: personId, ...change });
      return shown({ ...before, name });
    }),

  remove: (personId: number, id: number, actor: string): Promise<boolean> =>
    knex.transaction(async (trx) => {
      const [row] = await trx('passkeys').where({ id, person_id: personId }).delete().returning<PasskeyRow[]>('*');
      if (row) await record(trx, 'delete', personId, `passkey ${row.name}`, actor);
      return row !== undefined;
    }),

  /** undefined: there is none of a person who may sign in. */
  find: async (credentialId: string): Promise<KnownPasskey | undefined> => {
    const row = await knex('passkeys')
      .join('people', 'people.id', 'passkeys.person_id')
      .where({ credential_id: credentialId })
      .whereNull('people.disabled_at')
      .first<(PasskeyRow & { readonly person_id: number; readonly email: string }) | undefined>('passkeys.*', 'people.email');
    if (!row) return undefined;
    const { id, person_id: personId, email, public_key: publicKey, counter } = row;
    return {
      id,
      person: { id: personId, email },
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: Number(counter) },
    };
  },

  /** False: its counter has moved on meanwhile, so that this answer is a copy. */
  used: async (id: number, { from, to }: { readonly from: number; readonly to: number }): Promise<boolean> =>
    (await knex('passkeys').where({ id, counter: from }).update({ counter: to, last_used_at: knex.fn.now() })) > 0,
});

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

const rowsOf = (knex: Knex, personId: number): Promise<PasskeyRow[]> =>
  knex('passkeys').where({ person_id: personId }).orderBy('id').select<PasskeyRow[]>('*');

/** Takes all passkeys of a person away. */
export const removePasskeys = async (trx: Knex.Transaction, personId: number, actor: string): Promise<boolean> => {
  const removed = await trx('passkeys').where({ person_id: personId }).delete();
  if (removed > 0) await record(trx, 'delete', personId, 'passkeys', actor);
  return removed > 0;
};
