import type { Knex } from 'knex';
import { createSampleStore } from '../../src/forecast/sample/sample-store.ts';
import type { SampledRequest } from '../../src/forecast/sample/sampled-request.ts';
import type { Booking } from '../../testkit/book.ts';
import { createChance } from '../../testkit/chance.ts';

const DAY = 86_400_000;
export const VISITS_A_DAY = 120;

/** Fourteen days of two hundred visitors on the placement, one third of them in Finland, as replicas would have stored them. */
export const live = async (
  knex: Knex,
  { publisherId, placementId }: Pick<Booking, 'publisherId' | 'placementId'>,
  nowMs: number,
): Promise<void> => {
  const chance = createChance(1);
  const requests: SampledRequest[] = [];
  for (let atMs = nowMs - 15 * DAY; atMs < nowMs; atMs += DAY / VISITS_A_DAY) {
    const visitor = Math.floor(200 * chance());
    requests.push({
      ...{ publisherId, atMs: Math.floor(atMs), weight: 1, visitor: `v${visitor}`, pageView: 0, isRemembered: true, floorMicros: null },
      ...{ visitorOffset: null, placements: [placementId], sizes: [''] },
      pairs: [`countries7:country=${visitor % 3 === 0 ? 'FI' : 'SE'}`],
    });
  }
  await createSampleStore({ knex }).add(requests);
  await countSampled(knex, publisherId);
};

/** Counts what is in the sample of a publisher as all that its pages asked for. */
export const countSampled = (knex: Knex, publisherId: number): Promise<unknown> =>
  knex.raw(
    `insert into request_days (day, publisher_id, placement_id, reason, size, requests)
     select (at at time zone time_zone)::date, publisher_id, placements[1], '', '300x250', count(*)
     from traffic_sample join publishers on publishers.id = publisher_id where publisher_id = ? group by 1, 2, 3
     on conflict do nothing`,
    [publisherId],
  );
