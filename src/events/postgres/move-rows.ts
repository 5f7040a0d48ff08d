import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import { dateOfDay } from '../../base/utc-day.ts';
import { PROVISIONAL, type HitKind, type HitState } from '../../ledger/hit.ts';
import { countRows } from './count-rows.ts';
import { rollUpBatches } from './roll-up-batches.ts';
import type { StoredEvent } from './stored-event.ts';

/** An event row of a day, and what becomes of it. */
export interface MovedRow {
  readonly jti: string;
  readonly kind: HitKind;
  readonly eventType: string;
  readonly screened: boolean;
  /** From now on; null: the row is deleted. */
  readonly reason: HitState | null;
  readonly billedMicros: number;
}

/** The columns of an event that stay when its reason changes. */
const KEPT = `day, at, zone, publisher_id, campaign_id, line_item_id, creative_id, placement_id, size, advertiser_id, country, region, device,
  browser, kind, event_type, is_repeat`;
const ROW_KEY = 'jti, kind, event_type, screened';
const SAME_ROW = '(e.jti, e.kind, e.event_type, e.screened) = (o.jti, o.kind, o.event_type, o.screened)';

// The rows and every count of them in one statement. A row is locked before it is read: another writer that moves the same
// provisional row finds it judged. A row that came into a batch meanwhile is in no count that it could leave.
const moveWhere = (condition: string): string => `
  with change as (
    select * from unnest(:jtis::text[], :kinds::hit_kind[], :types::text[], :screened::boolean[], :reasons::text[], :billed::bigint[])
      as c (${ROW_KEY}, to_reason, to_billed)
  ), old as materialized (
    select e.*, c.to_reason, c.to_billed from change c join events e using (${ROW_KEY})
    where e.day = :onDay::date and ${condition} and e.batch not in (select batch from event_batches) for update of e
  ), changed as (
    update events e set invalid_reason = o.to_reason, billed_micros = o.to_billed from old o
    where e.day = :onDay::date and o.to_reason is not null and ${SAME_ROW}
  ), deleted as (
    delete from events e using old o where e.day = :onDay::date and o.to_reason is null and ${SAME_ROW}
  ), moved as (
    select ${KEPT}, invalid_reason, billed_micros, -1 as sign from old
    union all select ${KEPT}, to_reason, to_billed, 1 from old where to_reason is not null
  ), ${countRows('moved')}
  select count(*)::int as moved from old`;

const MOVE = moveWhere('true');
const MOVE_PROVISIONAL = moveWhere(`e.invalid_reason = '${PROVISIONAL}'`);

const move = async (trx: Knex.Transaction, sql: string, onDay: string, rows: readonly MovedRow[]): Promise<void> => {
  const column = <T>(read: (row: MovedRow) => T): T[] => rows.map(read);
  await trx.raw(sql, {
    onDay,
    jtis: column(({ jti }) => jti),
    kinds: column(({ kind }) => kind),
    types: column(({ eventType }) => eventType),
    screened: column(({ screened }) => screened),
    reasons: column(({ reason }) => reason),
    billed: column(({ billedMicros }) => billedMicros),
  } as unknown as Knex.ValueDict);
};

/** The batches of the rows of some tokens that are in no count yet. */
const BATCHES = `
  select distinct e.batch from events e join event_batches using (batch)
  where e.day = ?::date and e.jti = any(?::text[])`;

/** Changes or deletes event rows of a day, with every count of them. */
export const moveRows = async (trx: Knex.Transaction, onDay: string, rows: readonly MovedRow[]): Promise<void> => {
  const tokens = rows.map(({ jti }) => jti);
  const { rows: uncounted } = await trx.raw<{ rows: { batch: string }[] }>(BATCHES, [onDay, tokens] as unknown as Knex.RawBinding[]);
  // They are counted first: what a row becomes is counted from what it was.
  await rollUpBatches(
    trx,
    uncounted.map(({ batch }) => batch),
  );
  await move(trx, MOVE, onDay, rows);
};

const PROVISIONAL_CLICKS = `
  select e.jti, b.batch from events e left join event_batches b using (batch)
  where e.day = ?::date and e.jti = any(?::text[]) and e.kind = 'click' and not e.screened and e.invalid_reason = '${PROVISIONAL}'`;

/**
 * Gives provisional rows what their clicks were judged to be; rows that are judged already stay as they are. Resolves to the tokens
 * of the clicks that have a provisional row: almost no click has.
 */
export const moveProvisional = async (trx: Knex.Transaction, clicks: readonly StoredEvent[]): Promise<ReadonlySet<string>> => {
  const found = new Map<number, ReadonlySet<string>>();
  const batches: string[] = [];
  for (const [day, of] of groupBy(clicks, ({ hit }) => hit.ad.day)) {
    const { rows } = await trx.raw<{ rows: { jti: string; batch: string | null }[] }>(PROVISIONAL_CLICKS, [
      dateOfDay(day),
      of.map(({ hit }) => hit.ad.tokenId),
    ] as unknown as Knex.RawBinding);
    if (rows.length > 0) found.set(day, new Set(rows.map(({ jti }) => jti)));
    batches.push(...rows.flatMap(({ batch }) => batch ?? []));
  }
  // Of all days before the first count: who waits for a batch has locked no count.
  await rollUpBatches(trx, batches);
  for (const [day, tokens] of [...found].toSorted(([a], [b]) => a - b)) {
    const rows = clicks
      .filter(({ hit }) => hit.ad.day === day && tokens.has(hit.ad.tokenId))
      .map(({ hit: { ad, kind, eventType, invalidReason }, reason, billedMicros }) => ({
        ...{ jti: ad.tokenId, kind, eventType, screened: invalidReason !== '', reason, billedMicros },
      }));
    await move(trx, MOVE_PROVISIONAL, dateOfDay(day), rows);
  }
  return new Set([...found.values()].flatMap((tokens) => [...tokens]));
};
