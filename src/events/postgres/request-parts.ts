import type { Knex } from 'knex';
import { MS_PER_QUARTER } from '../../base/utc-day.ts';
import { arrayLiteral } from './array-literal.ts';
import { joinPayerThen, PAYER_THEN } from './payers.ts';
import type { Counted, RequestRow, ServeRow } from './request-rows.ts';
import { addPlacedServesToRollUps, addRequestsToRollUps } from './roll-ups.ts';
import { oldestOf, type WaitingRows } from './waiting-rows.ts';

/** Rows of one statement: building it holds the event loop for about a millisecond. */
const PART_ROWS = 1_000;

type PartRow = Counted<RequestRow | ServeRow>;

/** The columns of a count. Of requests those of line items are empty, and of serves the reason. */
const COLUMNS: readonly (readonly [name: string, type: string, read: (row: PartRow) => string | number])[] = [
  ['counted_by', 'text', ({ countedBy }) => countedBy],
  ['publisher_id', 'int', ({ publisherId }) => publisherId],
  ['campaign_id', 'int', (row) => ('lineItemId' in row ? row.campaignId : 0)],
  ['line_item_id', 'int', (row) => ('lineItemId' in row ? row.lineItemId : 0)],
  ['creative_id', 'int', (row) => ('lineItemId' in row ? row.creativeId : 0)],
  ['placement_id', 'text', ({ placementId }) => placementId],
  ['size', 'text', ({ size }) => size],
  ['country', 'text', ({ country }) => country],
  ['device', 'text', ({ device }) => device],
  ['browser', 'text', ({ browser }) => browser],
  ['reason', 'text', (row) => ('reason' in row ? row.reason : '')],
  ['count', 'bigint', ({ count }) => count],
];
const NAMES = COLUMNS.map(([name]) => name);

/** What counts differ by. */
const KEYS = NAMES.filter((name) => name !== 'count')
  .map((name) => `counts.${name}`)
  .join(', ');

const INSERT = `
  insert into request_parts (source, at, rows, ${NAMES.join(', ')})
  values (?, ?::timestamptz, ?, ${COLUMNS.map(([, type]) => `?::${type}[]`).join(', ')})`;

/** Stores counts that a replica made in one quarter of an hour; roll-ups have them later. They are read a part at a time. */
export const storeParts = async (
  trx: Knex.Transaction,
  source: 'requests' | 'serves',
  atMs: number,
  rows: Iterable<PartRow>,
): Promise<void> => {
  // The local hours of every time zone begin with a quarter of an hour in UTC, so that rows of one quarter can be added up.
  const at = new Date(Math.floor(atMs / MS_PER_QUARTER) * MS_PER_QUARTER).toISOString();
  const store = (part: readonly PartRow[]): Promise<unknown> =>
    trx.raw(INSERT, [source, at, part.length, ...COLUMNS.map(([, , read]) => arrayLiteral(part.map(read)))]);
  let part: PartRow[] = [];
  for (const row of rows) {
    if (part.push(row) < PART_ROWS) continue;
    await store(part);
    part = [];
  }
  if (part.length > 0) await store(part);
};

const TABLE = { table: 'request_parts', key: 'part' } as const;

/** Rows are added up before their local hour and day are found, which takes longer. */
const COUNT = `
  with taken as (
    delete from request_parts where part in (${oldestOf(TABLE)}) returning *
  ), given as materialized (
    select source, at, ${PAYER_THEN} as advertiser_id, ${KEYS}, sum(counts.count)::bigint as counted
    from taken cross join lateral unnest(${NAMES.map((name) => `taken.${name}`).join(', ')}) as counts (${NAMES.join(', ')})
      ${joinPayerThen('counts', 'taken.stored_at')}
    group by source, at, ${PAYER_THEN}, ${KEYS}
  ), zoned as (
    select given.*, coalesce(time_zone, 'UTC') as zone from given left join publishers on publishers.id = given.publisher_id
  ), requested as (
    select *, counted as requests from zoned where source = 'requests'
  ), ${addRequestsToRollUps('requested')}, served as (
    select *, counted as serves from zoned where source = 'serves'
  ), ${addPlacedServesToRollUps('served')}
  select count(*)::int as parts from taken`;

/** Counts of replicas that are in no roll-up yet. */
export const REQUEST_PARTS: WaitingRows = {
  ...TABLE,
  takeAndCount: async (trx, maxRows) => {
    await trx.raw(`set local jit = off; set local work_mem = '64MB'`);
    const { rows } = await trx.raw<{ rows: [{ parts: number }] }>(COUNT, [maxRows]);
    return rows[0].parts > 0;
  },
};
