import type { Knex } from 'knex';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import type { InvalidReason } from '../../ledger/hit.ts';

/** Filtered hits for each counted impression and click. */
const SHARES: readonly (readonly [reason: InvalidReason, ofImpressions: number, ofClicks: number])[] = [
  ['spider', 0.011, 0.09],
  ['data_center', 0.006, 0.05],
  ['hidden', 0.014, 0],
  ['prefetch', 0.003, 0],
  ['fast_click', 0, 0.06],
];

/** Where filtered hits came from, for the reports that have no other source. */
const FROM = { place: "'US', 'US-CA'", device: "'desktop', 'Chrome'" } as const;

/** A part of a small number is the chance of one more; the same on every run of a day. */
const someOf = (count: string, share: string): string =>
  `floor(${count} * ${share} + ((creative_id * 419 + (day - date '2020-01-01') * 127 + ascii(reason) * 53) % 1000) / 1000::float8)::bigint`;

const IDS = 'day, publisher_id, campaign_id, line_item_id';
const FILTERED = `
  create temp table demo_filtered on commit drop as
  select ${IDS}, creative_id, placement_id, reason, ${someOf('impressions', 'of_impressions')} as impressions, ${someOf('clicks', 'of_clicks')} as clicks
  from demo_days, unnest(?::text[], ?::float8[], ?::float8[]) as shares (reason, of_impressions, of_clicks)
  where day < ?::date`;

const INSERTS = [
  ...['impression', 'click'].map(
    (kind) => `insert into filtered_counts (${IDS}, creative_id, kind, reason, count)
     select ${IDS}, creative_id, '${kind}', reason, ${kind}s from demo_filtered where ${kind}s > 0`,
  ),
  `insert into report_days (${IDS}, creative_id, placement_id, reason, impressions, clicks)
   select ${IDS}, creative_id, placement_id, reason, impressions, clicks from demo_filtered where impressions + clicks > 0`,
  ...(['place', 'device'] as const).map(
    (of) => `insert into report_${of}s (${IDS}, ${of === 'place' ? 'country, region' : 'device, browser'}, reason, impressions, clicks)
     select ${IDS}, ${FROM[of]}, reason, sum(impressions), sum(clicks) from demo_filtered
     group by ${IDS}, reason having sum(impressions + clicks) > 0`,
  ),
  `insert into report_countries (${IDS}, country, reason, serves, impressions, clicks, viewable, events, spend_micros)
   select ${IDS}, country, reason, sum(serves), sum(impressions), sum(clicks), sum(viewable), sum(events), sum(spend_micros)
   from report_places group by ${IDS}, country, reason`,
];

/** Hits of spiders, data centers and hidden ads on the days before today. After `storeHistory`, in its transaction. */
export const storeFiltered = async (trx: Knex.Transaction, nowMs: number): Promise<void> => {
  const column = (n: 0 | 1 | 2) => SHARES.map((row) => row[n]);
  await trx.raw(FILTERED, [column(0), column(1), column(2), dateOfDay(dayOf(nowMs))] as unknown as Knex.RawBinding);
  for (const sql of INSERTS) await trx.raw(sql);
};
