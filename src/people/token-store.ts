import type { Knex } from 'knex';
import { callerWith, type Caller, type Rights } from '../access/caller.ts';
import type { Permission } from '../access/permissions.ts';
import { momentOf, show, type Columns, type Shown } from '../api/columns.ts';
import { holdLock } from '../base/advisory-locks.ts';
import type { Fault } from '../base/fault.ts';
import * as s from '../base/schema.ts';
import { tokenActor } from '../base/token-actor.ts';
import { changedBy, recordChange, type ChangedBy } from '../bookings/audit-trail.ts';
import { ownPermissions, roleFaults } from './roles/own-permissions.ts';
import { advertiserFaults, missingIds, RIGHTS_COLUMNS } from './rights.ts';
import { API_TOKEN } from '../access/secret-kind.ts';

interface TokenRow extends Rights {
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

export const TOKEN_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  name: { schema: s.text, of: ({ name }) => name },
  prefix: { schema: s.described(s.text, 'The first characters of the token, by which people recognise it'), of: ({ prefix }) => prefix },
  ...RIGHTS_COLUMNS,
  created_by: { schema: s.text, of: (row) => row.created_by },
  created_at: { schema: s.moment, of: (row) => row.created_at.toISOString() },
  expires_at: { schema: s.orNull(s.moment), of: (row) => momentOf(row.expires_at) },
  last_used_at: { schema: s.orNull(s.moment, { description: 'To the minute' }), of: (row) => momentOf(row.last_used_at) },
  revoked_at: { schema: s.orNull(s.moment), of: (row) => momentOf(row.revoked_at) },
} satisfies Columns<TokenRow>;

export type ApiToken = Shown<typeof TOKEN_COLUMNS>;

export interface TokenWanted extends Rights {
  readonly name: string;
  /** null: it does not expire. */
  readonly expiresAt: Date | null;
}

/** Tokens that can be used at the same time. */
export const MAX_TOKENS = 1_000;

type Created = ApiToken & { readonly token: string };

/** Why no token was created. */
export interface TokenRefused {
  readonly refusal: 'name_taken' | 'too_many' | 'invalid';
  readonly faults: readonly Fault[];
}

const NAMES = Object.keys(TOKEN_COLUMNS);
const IS_USABLE = 'revoked_at is null and (expires_at is null or expires_at > now())';
/** The moment of the last use is written once a minute at most. */
const USE = `
  with used as (
    update api_tokens set last_used_at = now()
    where digest = :digest and ${IS_USABLE} and (last_used_at is null or last_used_at < now() - interval '1 minute'))
  select id, name, roles, publishers, advertisers, ${ownPermissions('api_tokens')} as own from api_tokens where digest = :digest and ${IS_USABLE}`;

/** API tokens. Every method rejects when Postgres is unavailable. */
export const createTokenStore = ({ knex }: { readonly knex: Knex }) => ({
  /** Newest first, revoked ones too. */
  list: async ({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<readonly ApiToken[]> => {
    const rows = await knex('api_tokens').orderBy('id', 'desc').limit(limit).offset(offset).select<TokenRow[]>(NAMES);
    return rows.map((row) => show(TOKEN_COLUMNS, row));
  },

  /** With the token, this once. */
  create: ({ name, expiresAt, ...rights }: TokenWanted, caller: Caller): Promise<Created | TokenRefused> =>
    knex.transaction(async (trx) => {
      await holdLock(trx, 'tokens');
      if (await trx('api_tokens').where({ name }).first('id')) return refused('name_taken');
      const [usable] = await trx('api_tokens').whereRaw(IS_USABLE).count<{ count: string }[]>('* as count');
      if (Number(usable?.count) >= MAX_TOKENS) return refused('too_many');
      const given = [...(await roleFaults(trx, caller, rights)), ...advertiserFaults(rights)];
      const faults = [...given, ...(await missingIds(trx, rights)), ...(await pastFaults(trx, expiresAt))];
      if (faults.length > 0) return refused('invalid', faults);
      const { secret, shown, digest } = API_TOKEN.make();
      const row = { name, prefix: shown, digest, ...rights, created_by: caller.name, expires_at: expiresAt };
      const [stored] = await trx('api_tokens').insert(row).returning<TokenRow[]>(NAMES);
      if (!stored) throw new Error('Postgres returned no row for a token that it stored.');
      const after = show(TOKEN_COLUMNS, stored);
      await recordChange(trx, { ...changedBy(caller), action: 'create', entity: 'api_token', entityId: stored.id, before: null, after });
      return { ...after, token: secret };
    }),

  /** Nothing is done with it any more, on any replica, once this resolves. False: there is none with this id that could be used. */
  revoke: (id: number, by: ChangedBy): Promise<boolean> =>
    knex.transaction(async (trx) => {
      const [row] = await trx('api_tokens')
        .where({ id })
        .whereNull('revoked_at')
        .update({ revoked_at: trx.fn.now() })
        .returning<TokenRow[]>(NAMES);
      if (!row) return false;
      const before = { ...show(TOKEN_COLUMNS, row), revoked_at: null };
      await recordChange(trx, { ...by, action: 'delete', entity: 'api_token', entityId: id, before, after: null });
      return true;
    }),

  /** Who has a token; null: no caller, or none any more. */
  use: async (token: string): Promise<Caller | null> => {
    const digest = API_TOKEN.digestOf(token);
    if (!digest) return null;
    const { rows } = await knex.raw<{ rows: (Rights & Pick<TokenRow, 'id' | 'name'> & { readonly own: readonly Permission[] })[] }>(USE, {
      digest,
    });
    const [row] = rows;
    return row ? callerWith(row, { kind: 'token', name: tokenActor(row.name), id: row.id }) : null;
  },
});

export type TokenStore = ReturnType<typeof createTokenStore>;

const refused = (refusal: TokenRefused['refusal'], faults: readonly Fault[] = []): TokenRefused => ({ refusal, faults });

const pastFaults = async (trx: Knex.Transaction, expiresAt: Date | null): Promise<readonly Fault[]> => {
  const { rows } = await trx.raw<{ rows: [{ is_over: boolean }] }>('select ?::timestamptz <= now() as is_over', [expiresAt]);
  return rows[0].is_over ? [{ pointer: '/expires_at', detail: 'must be in the future' }] : [];
};
