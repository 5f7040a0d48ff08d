import type { Knex } from 'knex';
import type { Sold } from './asked-forecast.ts';
import type { BaseFigures } from './base-figures.ts';
import { createForecastStore } from './forecast-store.ts';

/** Who gets what of each placement, by the last replay that is stored. Rejects when Postgres is unavailable. */
export const readSold = async (knex: Knex, publisherId: number): Promise<Sold | undefined> => {
  const stored = await createForecastStore({ knex }).latestBase(publisherId);
  return stored && soldIn(stored.figures);
};

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Only sums are asked for: they are on one day. */
const soldIn = ({ placements = {}, bookings = {} }: Partial<BaseFigures>): Sold => ({
  available: new Map(Object.entries(placements).map(([placement, { available }]) => [placement, new Map([[0, sumOf(available)]])])),
  winners: new Map(
    Object.entries(bookings).map(([placement, of]) => [
      placement,
      new Map(Object.entries(of).map(([id, counts]) => [Number(id), sumOf(counts)])),
    ]),
  ),
});
