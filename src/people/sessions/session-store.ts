import type { Knex } from 'knex';
import { callerWith, type Caller, type Rights } from '../../access/caller.ts';
import type { Permission } from '../../access/permissions.ts';
import { show, type Columns, type Shown } from '../../api/columns.ts';
import * as s from '../../base/schema.ts';
import { SESSION_SECRET } from '../../access/secret-kind.ts';
import { ownPermissions } from '../roles/own-permissions.ts';
import { deviceWords } from './device-words.ts';

/** Where a session comes from, as its owner recognises it. */
export interface Origin {
  readonly userAgent: string;
  /** Without the part that names a person: a /24 or /48. '' when the address is unknown. */
  readonly network: string;
  /** Country or city of the address, where they are known. */
  readonly place: string | null;
}

/** How a person has proved who they are. `oidc:` and the name of a provider. */
export type SignInMethod = 'password' | 'passkey' | 'link' | `oidc:${string}`;

export interface NewSession extends Origin {
  readonly personId: number;
  readonly method: SignInMethod;
  /** Of a provider: its own session, and the ID token that ends it, sealed. */
  readonly provider?: { readonly session: string | null; readonly sealedIdToken: string };
}

/** Who has a session, with its id. */
interface CallingRow extends Rights {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly session_id: number;
  readonly own: readonly Permission[];
}

interface SessionRow {
  readonly id: number;
  readonly method: string;
  readonly user_agent: string;
  readonly network: string;
  readonly place: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

export const SESSION_COLUMNS = {
  id: { schema: s.integer, of: ({ id }) => id },
  method: { schema: s.described(s.text, 'password, passkey, link, or oidc: and the provider'), of: ({ method }) => method },
  device: { schema: s.described(s.text, 'Browser and system, by the user agent'), of: (row) => deviceWords(row.user_agent) },
  user_agent: { schema: s.text, of: (row) => row.user_agent },
  network: { schema: s.text, of: ({ network }) => network },
  place: { schema: s.orNull(s.text), of: ({ place }) => place },
  created_at: { schema: s.moment, of: (row) => row.created_at.toISOString() },
  last_used_at: { schema: s.described(s.moment, 'To the minute'), of: (row) => row.last_used_at.toISOString() },
  expires_at: { schema: s.moment, of: (row) => row.expires_at.toISOString() },
} satisfies Columns<SessionRow>;
export type Session = Shown<typeof SESSION_COLUMNS>;

/** All sessions of a person, all but one, one of them, or those of a method; or what a provider has ended. */
export type WhichSessions =
  | { readonly personId: number; readonly id?: number; readonly except?: number | null; readonly method?: SignInMethod }
  | { readonly providerSession: string };

export interface SessionStoreOptions {
  readonly knex: Knex;
  /** Without a call for so long, a session ends. */
  readonly idleMs: number;
  /** It ends then in any case. */
  readonly lifetimeMs: number;
}

/** Ended sessions are kept for so long, for whoever looks into a theft. */
const KEPT = `interval '90 days'`;
const MAX_USER_AGENT = 256;
/** As they are stored: the device is read from the user agent. */
const NAMES = Object.keys(SESSION_COLUMNS).filter((name) => name !== 'device');

/** Sessions of people who have signed in. Every method rejects when Postgres is unavailable. */
export const createSessionStore = ({ knex, idleMs, lifetimeMs }: SessionStoreOptions) => {
  const isUsable = `sessions.revoked_at is null and sessions.expires_at > now()
    and sessions.last_used_at > now() - interval '${idleMs} milliseconds'`;
  /** The moment of the last use is written once a minute at most. */
  const use = `
    with used as (
      update sessions set last_used_at = now()
      where digest = :digest and ${isUsable} and last_used_at < now() - interval '1 minute')
    select people.id, people.email, people.name, people.roles, people.publishers, people.advertisers, sessions.id as session_id,
      ${ownPermissions('people')} as own
    from sessions join people on people.id = sessions.person_id
    where digest = :digest and ${isUsable} and people.disabled_at is null`;

  return {
    /** Resolves to the secret of the cookie. */
    begin: async ({ personId, method, userAgent, network, place, provider }: NewSession): Promise<string> => {
      const { secret, digest } = SESSION_SECRET.make();
      await knex('sessions')
        .where({ person_id: personId })
        .whereRaw(`least(expires_at, coalesce(revoked_at, expires_at)) < now() - ${KEPT}`)
        .delete();
      await knex('sessions').insert({
        ...{ digest, person_id: personId, method, user_agent: userAgent.slice(0, MAX_USER_AGENT), network, place },
        ...{ provider_session: provider?.session ?? null, id_token: provider?.sealedIdToken ?? null },
        expires_at: knex.raw(`now() + interval '${lifetimeMs} milliseconds'`),
      });
      return secret;
    },

    /** Who has a session that has not ended; null: it has ended. Every replica asks Postgres: a revoked session has no next request. */
    use: async (secret: string): Promise<Caller | null> => {
      const digest = SESSION_SECRET.digestOf(secret);
      if (!digest) return null;
      const { rows } = await knex.raw<{ rows: CallingRow[] }>(use, { digest });
      const [row] = rows;
      if (!row) return null;
      const { id, email, name, session_id: sessionId } = row;
      return callerWith(row, { kind: 'person', name: email, id, fullName: name, sessionId });
    },

    /** Those of a person that have not ended, last used first. */
    list: async (personId: number): Promise<readonly Session[]> => {
      const rows = await knex('sessions')
        .where({ person_id: personId })
        .whereRaw(isUsable)
        .orderBy('last_used_at', 'desc')
        .select<SessionRow[]>(NAMES);
      return rows.map((row) => show(SESSION_COLUMNS, row));
    },

    /** @returns how many were ended */
    revoke: (which: WhichSessions) => revokeSessions(knex, which),

    /** What ends the session at its provider; undefined: it has none. */
    providerOf: async (sessionId: number): Promise<{ readonly id: string; readonly sealedIdToken: string } | undefined> => {
      const row = await knex('sessions')
        .where({ id: sessionId })
        .first<{ method: string; id_token: string | null } | undefined>('method', 'id_token');
      const [, id] = /^oidc:(.+)$/.exec(row?.method ?? '') ?? [];
      return id === undefined || row?.id_token == null ? undefined : { id, sealedIdToken: row.id_token };
    },
  };
};

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Ends sessions, also in the transaction of what ends them. Resolves to how many. */
export const revokeSessions = (knex: Knex, which: WhichSessions): Promise<number> => {
  const query = knex('sessions').whereNull('revoked_at');
  if ('providerSession' in which) void query.where({ provider_session: which.providerSession });
  else {
    void query.where({ person_id: which.personId });
    if (which.id !== undefined) void query.where({ id: which.id });
    if (which.except != null) void query.whereNot({ id: which.except });
    if (which.method !== undefined) void query.where({ method: which.method });
  }
  return query.update({ revoked_at: knex.fn.now() });
};
