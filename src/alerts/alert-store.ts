import type { Knex } from 'knex';
import type { Scope } from '../access/scope.ts';
import { isAmong, isOwned, scopeBinding } from '../bookings/record-scope.ts';
import type { AlertKind } from '../catalog/model/alert-kinds.ts';
import type { AlertEntity, FoundAlert } from './found-alert.ts';

/** An alert as it is stored. */
export interface StoredAlert extends FoundAlert {
  readonly id: number;
  readonly openedAt: Date;
  /** null: it is still the case. */
  readonly closedAt: Date | null;
}

/** What a person does not want to hear of. */
export interface AlertMute {
  readonly kind: AlertKind;
  /** '': all of this kind. */
  readonly entityId: string;
  /** null: until it is taken back. */
  readonly until: Date | null;
}

/** All replicas together look this often. */
const CHECK_EVERY = `interval '50 seconds'`;
/** An alert whose condition comes and goes is one alert. */
const CLOSE_AFTER = `interval '1 hour'`;
const KEPT = `interval '30 days'`;
const MAX_LISTED_ALERTS = 1_000;

const COLUMNS = `id, kind, entity, entity_id as "entityId", publisher_id as "publisherId", words, opened_at as "openedAt", closed_at as "closedAt"`;

/** SQL: whether `person` has muted the alert of these columns. */
export const mutedBy = (person: string, alert: string): string => `exists (
  select from alert_mutes m where m.person = ${person} and m.kind = ${alert}.kind and m.entity_id in ('', ${alert}.entity_id)
    and (m.until is null or m.until > now()))`;

const BOOKINGS = { line_item: 'line_items', campaign: 'campaigns', creative: 'creatives' } as const;

/** SQL: an alert is about what is in a scope. */
const isSeen = (scope: Scope): string => {
  if (!scope.advertisers) return isAmong('publishers', 'publisher_id', scope);
  const ways = Object.entries(BOOKINGS).map(
    ([entity, table]) => `(entity = '${entity}' and entity_id in (select cast(id as text) from ${table} where ${isOwned(table, scope)}))`,
  );
  return `(${ways.join(' or ')})`;
};

const RECORD = `
  with found as (
    select * from unnest(?::text[], ?::text[], ?::text[], ?::int[], ?::text[], ?::boolean[])
      as f (kind, entity, entity_id, publisher_id, words, may_open)
  ), renewed as (
    update alerts a set words = f.words, seen_at = now() from found f
    where a.closed_at is null and (a.kind, a.entity, a.entity_id) = (f.kind, f.entity, f.entity_id)
  ), opened as (
    insert into alerts (kind, entity, entity_id, publisher_id, words)
    select f.kind, f.entity, f.entity_id, f.publisher_id, f.words from found f
    where f.may_open and not exists (select from alerts a where a.closed_at is null and (a.kind, a.entity, a.entity_id) = (f.kind, f.entity, f.entity_id))
    returning *
  ), queued as (
    insert into alert_messages (recipient_id, alert_id)
    select r.id, o.id from opened o join alert_recipients r
      on o.kind = any(r.kinds) and (r.publisher_id is null or r.publisher_id = o.publisher_id) and not ${mutedBy('r.owner', 'o')}
    returning recipient_id
  ), due as (
    update alert_recipients set try_at = coalesce(try_at, now()) where id in (select recipient_id from queued)
  )
  select count(*)::int as opened from opened`;

/** Each method rejects when Postgres is unavailable. */
export const createAlertStore = ({ knex }: { readonly knex: Knex }) => {
  const query = async <Row>(sql: string, bindings: object | readonly unknown[]): Promise<readonly Row[]> =>
    (await knex.raw<{ rows: Row[] }>(sql, bindings as Knex.RawBinding)).rows;
  return {
    /** Whether it is time to look, and this replica that does. */
    takeCheck: async () =>
      (await query(`update alert_checks set checked_at = now() where checked_at < now() - ${CHECK_EVERY} returning one`, [])).length > 0,
    /**
     * Opens what is found and not open, renews the words of what is, and closes what has not been found
     * for CLOSE_AFTER. New alerts are queued for their recipients. Resolves to the number of new ones.
     */
    record: async (found: readonly FoundAlert[]): Promise<number> => {
      const column = <T>(read: (alert: FoundAlert) => T): T[] => found.map(read);
      const rows = await query<{ opened: number }>(RECORD, [
        column(({ kind }) => kind),
        column(({ entity }) => entity),
        column(({ entityId }) => entityId),
        column(({ publisherId }) => publisherId),
        column(({ words }) => words),
        column(({ mayOpen }) => mayOpen ?? true),
      ]);
      await query(`update alerts set closed_at = now() where closed_at is null and seen_at < now() - ${CLOSE_AFTER}`, []);
      await query(`delete from alerts where closed_at < now() - ${KEPT}`, []);
      return rows[0]?.opened ?? 0;
    },
    /** Open alerts and those that were closed lately, newest first; `isMuted` for the person: those of the scope. */
    list: (person: string, scope: Scope) =>
      query<StoredAlert & { readonly entity: AlertEntity; readonly isMuted: boolean }>(
        `select ${COLUMNS}, ${mutedBy(':person', 'alerts')} as "isMuted" from alerts
         where ${isSeen(scope)}
         order by closed_at desc nulls first, opened_at desc, id desc limit ${MAX_LISTED_ALERTS}`,
        { person, ...scopeBinding(scope) },
      ),
    mutes: (person: string) =>
      query<AlertMute>(
        `select kind, entity_id as "entityId", until from alert_mutes
         where person = :person and (until is null or until > now()) order by kind, entity_id`,
        { person },
      ),
    mute: async (person: string, { kind, entityId, until }: AlertMute): Promise<void> =>
      void (await query(
        `insert into alert_mutes (person, kind, entity_id, until) values (:person, :kind, :entityId, :until)
         on conflict (person, kind, entity_id) do update set until = excluded.until`,
        { person, kind, entityId, until },
      )),
    unmute: async (person: string, kind: AlertKind, entityId: string): Promise<void> =>
      void (await knex('alert_mutes').where({ person, kind, entity_id: entityId }).delete()),
    /** Open alerts by kind. */
    openByKind: async (): Promise<Readonly<Partial<Record<AlertKind, number>>>> => {
      const rows = await query<{ kind: AlertKind; count: number }>(
        'select kind, count(*)::int as count from alerts where closed_at is null group by 1',
        [],
      );
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    },
  };
};

export type AlertStore = ReturnType<typeof createAlertStore>;
