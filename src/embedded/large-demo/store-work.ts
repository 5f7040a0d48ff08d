import type { Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_DAY } from '../../base/utc-day.ts';
import { USD_ONLY } from '../../bidders/currency-rates.ts';
import { recordChange, type ChangeAction } from '../../bookings/audit-trail.ts';
import { ENTITY_KINDS, type EntityKind, type EntityRecord } from '../../bookings/entity-kind.ts';
import { createEntityReader } from '../../bookings/entity-reader.ts';
import { createFinance } from '../../finance/finance.ts';
import { createChance } from './chance.ts';
import { isLiveOn, type StoredLineItem } from './history-rows.ts';

/** Who made a change: teams, as tokens are named. */
const [TRAFFICKING, SALES, FINANCE] = ['trafficking', 'sales', 'finance'];
const EDITED_LINE_ITEMS = 36;
const APPROVED_CREATIVES = 6;
const BEGUN_CAMPAIGNS = 8;
/** Between two changes, on average. */
const HOURS_APART = 2.6;

type Fields = Readonly<Record<string, unknown>>;

/** What people did in the last days: closed months, and the changes that led to the bookings as they are. */
export const storeWork = async (
  trx: Knex.Transaction,
  publisherIds: readonly number[],
  lineItems: readonly StoredLineItem[],
  nowMs: number,
): Promise<void> => {
  const chance = createChance(36_036);
  const reader = createEntityReader({ knex: trx });
  const live = lineItems.filter(isLiveOn(dayOf(nowMs)));
  /** `before`: fields as they were; null: there was no record. */
  const record = async (actor: string, action: ChangeAction, kind: EntityKind, id: number, before: Fields | null): Promise<void> => {
    const after = await reader.find(kind, id);
    if (!after) throw new Error(`The demonstration has no ${kind.words} ${id}.`);
    await recordChange(trx, { actor, action, entity: kind.name, entityId: id, before: before && { ...after, ...before }, after });
  };

  await closeLastMonth(trx, publisherIds.slice(0, -1), nowMs);
  for (let n = 0; n < BEGUN_CAMPAIGNS; n++) await record(SALES, 'create', ENTITY_KINDS.campaigns, chance.pick(lineItems).campaignId, null);
  for (let n = 0; n < EDITED_LINE_ITEMS; n++) {
    const { id } = chance.pick(live);
    const now = await reader.find(ENTITY_KINDS.line_items, id);
    if (now) await record(TRAFFICKING, 'update', ENTITY_KINDS.line_items, id, earlier(now, n));
  }
  for (let n = 0; n < APPROVED_CREATIVES; n++)
    await record(TRAFFICKING, 'update', ENTITY_KINDS.creatives, chance.pick(live).creativeIds[0]!, { status: 'pending' });
  const gone = await reader.find(ENTITY_KINDS.creatives, chance.pick(live).creativeIds[0]!);
  if (gone) {
    const [last] = await trx('creatives').max<{ max: number }[]>('id');
    const before = { ...gone, id: (last?.max ?? 0) + 1, name: `${String(gone['name'])}, old motif` };
    await trx.raw("select nextval(pg_get_serial_sequence('creatives', 'id'))");
    await recordChange(trx, { actor: TRAFFICKING, action: 'delete', entity: 'creative', entityId: before.id, before, after: null });
  }
  await spreadInTime(trx, nowMs);
};

/** Fields of a line item before a person changed them; each in its turn. */
const earlier = (now: EntityRecord, n: number): Fields => {
  const price = now['cpm'] === null ? 'cpc' : 'cpm';
  const changes: readonly Fields[] = [
    { [price]: Math.round(Number(now[price]) * 80) / 100 },
    { priority: now['priority'] === 1 ? 2 : 3 },
    { goal_impressions: Math.round(Number(now['goal_impressions']) * 0.9) },
    { pacing: 'ASAP' },
    { frequency_cap: now['frequency_cap'] === null ? 3 : null },
  ];
  return changes[n % changes.length]!;
};

/** Some publishers are invoiced for the last month; the last one is left for the person at the page. */
const closeLastMonth = async (trx: Knex.Transaction, publisherIds: readonly number[], nowMs: number): Promise<void> => {
  const finance = createFinance({ knex: trx, rateOf: USD_ONLY });
  const firstOfMonth = dayOf(nowMs) - new Date(nowMs).getUTCDate() + 1;
  const month = dateOfDay(firstOfMonth - 1).slice(0, 7);
  for (const id of publisherIds) {
    const change = { actor: FINANCE, action: 'close_month', entity: 'publisher', entityId: id, before: null, after: { month } } as const;
    const refusal = await finance.close(id, month, FINANCE, (within) => recordChange(within, change));
    if (refusal !== undefined) throw new Error(`The month ${month} of publisher ${id} cannot be closed: ${refusal}.`);
  }
};

/** The changes were made over the last days, in their order. */
const spreadInTime = async (trx: Knex.Transaction, nowMs: number): Promise<void> => {
  await trx.raw(
    `update audit set at = cast(:now as timestamptz) - (after_it + (id * 7 % 10) / 12.0) * interval '${HOURS_APART} hours'
     from (select id as change, count(*) over () - row_number() over (order by id) as after_it from audit) as places where change = id`,
    { now: new Date(nowMs - MS_PER_DAY / 48).toISOString() },
  );
};
