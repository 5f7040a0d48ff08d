import type { Knex } from 'knex';
import { dateOfDay, MS_PER_DAY } from '../base/utc-day.ts';
import type { Flight } from '../catalog/model/entities.ts';
import { createForecastStore, type KeptBase } from '../forecast/forecast-store.ts';
import type { AskedPackage } from './media-buy.ts';
import type { MediaBuyRow } from './media-buy-store.ts';

/** What is still free of the placements of a publisher. */
export interface FreeImpressions {
  /** undefined: no traffic of it is known. */
  of(placement: string, period: Flight): FreeOf | undefined;
}

export interface FreeOf {
  readonly available: number;
  readonly free: number;
}

type Sold = Pick<AskedPackage, 'product_id' | 'impressions' | 'start_time' | 'end_time'>;

/** By the last replay of all bookings, and what agents have bought or asked for since. Rejects when Postgres is unavailable. */
export const readFreeImpressions = async (knex: Knex, publisherId: number): Promise<FreeImpressions> => {
  const base = await createForecastStore({ knex }).latestBase(publisherId);
  const since = base ? await readSince(knex, publisherId, base.version) : [];
  return { of: (placement, period) => (base ? freeOf(base, since, placement, period) : undefined) };
};

const readSince = async (knex: Knex, publisherId: number, version: number): Promise<readonly Sold[]> => {
  const rows = await knex('media_buys')
    .leftJoin('approvals', 'approvals.id', 'media_buys.approval_id')
    .where({ 'media_buys.publisher_id': publisherId, canceled_at: null })
    .where((query) => {
      void query
        .where('catalog_version', '>=', version)
        .orWhereRaw(`campaign_id is null and approvals.state = 'open' and approvals.expires_at > now()`);
    })
    .select<Pick<MediaBuyRow, 'asked'>[]>('media_buys.asked');
  return rows.flatMap(({ asked }) => asked.packages.filter(({ guaranteed }) => guaranteed));
};

/** Days after those that are forecast are expected to be as these are in the mean. */
const freeOf = ({ figures }: KeptBase, since: readonly Sold[], placement: string, period: Flight): FreeOf | undefined => {
  const { days, placements } = figures;
  const row = placements[placement];
  if (!row || days.length === 0) return undefined;
  const freeOn = days.map((_, i) => Math.max((row.available[i] ?? 0) - (row.sold[i] ?? 0), 0));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / days.length;
  const [meanAvailable, meanFree] = [mean(row.available), mean(freeOn)];
  let [available, free] = [0, 0];
  for (let atMs = period.startMs - (period.startMs % MS_PER_DAY); atMs < period.endMs; atMs += MS_PER_DAY) {
    const part = overlap(period, { startMs: atMs, endMs: atMs + MS_PER_DAY }) / MS_PER_DAY;
    const i = days.indexOf(dateOfDay(Math.floor(atMs / MS_PER_DAY)));
    available += part * (i < 0 ? meanAvailable : (row.available[i] ?? 0));
    free += part * (i < 0 ? meanFree : freeOn[i]!);
  }
  const taken = since
    .filter(({ product_id }) => product_id === placement)
    .reduce((sum, { impressions, ...one }) => {
      const flight = { startMs: Date.parse(one.start_time), endMs: Date.parse(one.end_time) };
      return sum + (impressions * overlap(period, flight)) / Math.max(flight.endMs - flight.startMs, 1);
    }, 0);
  return { available: Math.floor(available), free: Math.max(Math.floor(free - taken), 0) };
};

const overlap = (a: Flight, b: Flight): number => Math.max(Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs), 0);
