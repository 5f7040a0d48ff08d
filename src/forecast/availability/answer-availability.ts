import type { Knex } from 'knex';
import { targetingRules, type TargetingFields, type TargetingRules } from '../../targeting/targeting-rules.ts';
import { createForecastStore } from '../forecast-store.ts';
import type { Availability, AvailabilityQuestion } from './availability.ts';
import { cutAvailability, type KnownTraffic } from './cut-availability.ts';
import { createTrafficKeys } from './traffic-keys.ts';

/** Shared targetings that are told apart, by their names. */
const MAX_TARGETINGS = 100;

/**
 * What of a part of the traffic is sold. Without a replay of all bookings there is nothing. Rejects when Postgres is
 * unavailable.
 */
export const answerAvailability = async (
  knex: Knex,
  question: AvailabilityQuestion,
  readTraffic: () => Promise<KnownTraffic>,
): Promise<Availability> => {
  const { publisherId, by, ...filter } = question;
  const base = await createForecastStore({ knex }).latestBase(publisherId);
  if (!base) return { days: [], cuts: [] };
  const targetings = await readTargetings(knex, question);
  const traffic = await readTraffic();
  const keysOf = createTrafficKeys({ snapshot: traffic.snapshot, filter, by, targetings });
  const { figures } = base;
  const cuts = cutAvailability({ ...traffic, publisherId, figures, keysOf, comparedByKeys: targetings.size, withBookings: by === null });
  return { days: figures.days, cuts };
};

/** The one that is asked about comes first. */
const readTargetings = async (
  knex: Knex,
  { publisherId, by, targeting = 0 }: AvailabilityQuestion,
): Promise<ReadonlyMap<number, TargetingRules>> => {
  if (by !== 'targeting' && targeting === 0) return new Map();
  const rows = await knex('targetings')
    .where({ publisher_id: publisherId })
    .whereRaw('(id = :targeting or (not archived and :isEach))', { targeting, isEach: by === 'targeting' })
    .orderByRaw('id = ? desc, name', [targeting])
    .limit(MAX_TARGETINGS)
    .select<{ id: number; targeting: TargetingFields }[]>('id', 'targeting');
  return new Map(rows.map((row) => [row.id, targetingRules(row.targeting)]));
};
