import type { Knex } from 'knex';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import { arrayLiteral } from '../../events/postgres/array-literal.ts';
import { copyRows, type CopiedColumns } from '../../events/postgres/copy-rows.ts';
import type { SampledRequest } from './sampled-request.ts';

export const SAMPLE_DAYS = 35;

const COLUMNS: CopiedColumns<SampledRequest> = [
  ['publisher_id', ({ publisherId }) => publisherId],
  ['at', ({ atMs }) => new Date(atMs).toISOString()],
  ['weight', ({ weight }) => weight],
  ['visitor', ({ visitor }) => visitor],
  ['page_view', ({ pageView }) => pageView],
  ['remembered', ({ isRemembered }) => isRemembered],
  ['floor_micros', ({ floorMicros }) => floorMicros],
  ['visitor_offset', ({ visitorOffset }) => visitorOffset],
  ['placements', ({ placements }) => arrayLiteral(placements)],
  ['sizes', ({ sizes }) => arrayLiteral(sizes)],
  ['pairs', ({ pairs }) => arrayLiteral(pairs)],
];

/** Whole visitors, and of those without a name single requests. */
const ONE_IN = `mod(abs(hashtext(case visitor when '' then at::text else visitor end)::bigint), ?) = 0`;

/** The sample of traffic in Postgres. Every method rejects when Postgres is unavailable. */
export const createSampleStore = ({ knex }: { readonly knex: Knex }) => ({
  add: (requests: readonly SampledRequest[]): Promise<void> =>
    knex.transaction((trx) => copyRows(trx, 'traffic_sample', COLUMNS, requests)),

  /** Deletes what is older than SAMPLE_DAYS. */
  prune: async (nowMs: number): Promise<void> => {
    await knex('traffic_sample')
      .where('at', '<', new Date(nowMs - SAMPLE_DAYS * MS_PER_DAY))
      .delete();
  },

  /**
   * Requests of a publisher in [fromMs, toMs), in the order of time.
   * @param most rows, about: of more, one visitor in so many is read, who then counts for as many
   */
  read: async (publisherId: number, fromMs: number, toMs: number, most = Infinity): Promise<readonly SampledRequest[]> => {
    const wanted = () =>
      knex('traffic_sample').where({ publisher_id: publisherId }).where('at', '>=', new Date(fromMs)).where('at', '<', new Date(toMs));
    const [{ count = 0 } = {}] = most === Infinity ? [] : await wanted().count<{ count: string }[]>('* as count');
    const part = Math.max(Math.ceil(Number(count) / most), 1);
    const rows = await (part === 1 ? wanted() : wanted().whereRaw(ONE_IN, [part]))
      .orderBy('at')
      .select<Omit<SampledRequest, 'publisherId'>[]>(
        knex.raw('extract(epoch from at)::float8 * 1000 as "atMs"'),
        knex.raw('floor_micros::float8 as "floorMicros"'),
        ...['weight', 'visitor', 'placements', 'sizes', 'pairs'],
        { pageView: 'page_view', isRemembered: 'remembered', visitorOffset: 'visitor_offset' },
      );
    return rows.map((row) => ({ ...row, publisherId, weight: row.weight * part, atMs: Math.round(row.atMs) }));
  },

  /** Impressions that pages of each publisher asked for on the day of `nowMs` (UTC) so far or on the day before, whichever is more. */
  requestsOfDay: async (nowMs: number): Promise<ReadonlyMap<number, number>> => {
    const { rows } = await knex.raw<{ rows: { publisher_id: number; requests: string }[] }>(
      `select publisher_id, max(requests) as requests from (
         select publisher_id, sum(requests) as requests from request_days
         where day between (:now::timestamptz at time zone 'utc')::date - 1 and (:now::timestamptz at time zone 'utc')::date
         group by publisher_id, day
       ) days group by 1`,
      { now: new Date(nowMs).toISOString() },
    );
    return new Map(rows.map(({ publisher_id, requests }) => [publisher_id, Number(requests)]));
  },
});

export type SampleStore = ReturnType<typeof createSampleStore>;

/**
 * Erases visitors from the sample: their rows stay as counts, without a visitor.
 * @returns how many rows had one
 */
export const forgetSampled = async (knex: Knex, visitors: readonly string[]): Promise<number> => {
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `update traffic_sample set visitor = '', page_view = 0, remembered = false where visitor = any(?)`,
    [visitors] as unknown as Knex.RawBinding,
  );
  return rowCount;
};
