import type { Knex } from 'knex';
import type { Caller } from '../../access/caller.ts';
import { maySee } from '../../access/scope.ts';
import { answer, noSuch, refuse, type Handlers } from '../../api/route.ts';
import { localDayOf } from '../../base/local-day.ts';
import { dateOfDay } from '../../base/utc-day.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { NOT_MADE } from '../forecast-answer.ts';
import type { ForecastStore } from '../forecast-store.ts';
import type { Forecasts } from '../forecasts.ts';
import { availabilityOf, isOfPlacements, type Availability, type AvailabilityFilter, type AvailabilityGroup } from './availability.ts';
import type { AVAILABILITY_API, AvailabilityWire } from './availability-api.ts';

export interface AvailabilityRoutesOptions {
  readonly knex: Knex;
  readonly store: Pick<ForecastStore, 'latestBase'>;
  readonly forecasts: Pick<Forecasts, 'availability' | 'refreshBase'>;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly now: () => number;
}

interface Asked extends AvailabilityFilter {
  readonly publisher: number;
}

export const availabilityRoutes = (options: AvailabilityRoutesOptions): Handlers<typeof AVAILABILITY_API> => {
  const { knex, store, forecasts, currentSnapshot, now } = options;

  /** What is known; a replay begins where bookings or the day have changed since the last one. */
  const read = async ({ publisher: id, placement, country, size, targeting }: Asked, by: AvailabilityGroup | null, caller: Caller) => {
    const snapshot = currentSnapshot();
    if (!snapshot) return refuse('unavailable', 'The campaign data has not been loaded yet.');
    if (!maySee(caller.publishers, id) || !snapshot.publishers.has(id)) return noSuch('publisher');
    if (targeting !== undefined && !(await knex('targetings').where({ id: targeting, publisher_id: id }).first('id')))
      return refuse('invalid_request', 'The query has faults.', [{ pointer: '/targeting', detail: 'does not exist' }]);
    const today = dateOfDay(localDayOf(snapshot.daysOf(id, now()), now()));
    const base = await store.latestBase(id);
    if (base?.madeOn !== today || base.version !== snapshot.version) forecasts.refreshBase(id, today, now());
    if (!base) return { ok: true, known: { days: [], cuts: [] } } as const;
    const question = { publisherId: id, nowMs: now(), by, placement, country, size, targeting };
    const known = isOfPlacements(question)
      ? availabilityOf(base.figures, by === null ? null : 'placement', placement)
      : await forecasts.availability(question);
    return known ? ({ ok: true, known } as const) : refuse('unavailable', NOT_MADE);
  };

  return {
    listAvailability: async ({ group_by: by, from, to, ...asked }, { caller }) => {
      const found = await read(asked, by, caller);
      return 'known' in found ? answer(rowsOf(found.known, by, from, to)) : found;
    },
    listBookedImpressions: async ({ from = '', to = '9999', ...asked }, { caller }) => {
      const found = await read(asked, null, caller);
      if (!('known' in found)) return found;
      const { days, cuts } = found.known;
      const sums = cuts
        .flatMap(({ bookings }) => [...bookings])
        .map(([line_item_id, counts]) => ({
          line_item_id,
          impressions: counts.reduce((sum, count, i) => (days[i]! < from || days[i]! > to ? sum : sum + count), 0),
        }))
        .filter(({ impressions }) => impressions > 0)
        .sort((a, b) => b.impressions - a.impressions);
      const ids = sums.map(({ line_item_id }) => line_item_id);
      const rows = await knex('line_items').whereIn('id', ids).select<{ id: number; name: string }[]>('id', 'name');
      const names = new Map(rows.map(({ id, name }) => [id, name]));
      return answer(sums.map((sum) => ({ ...sum, name: names.get(sum.line_item_id) ?? null })));
    },
  };
};

const rowsOf = ({ days, cuts }: Availability, by: AvailabilityGroup, from = '', to = '9999'): readonly AvailabilityWire[] =>
  cuts.flatMap(({ key, available, sold }) =>
    days.flatMap((day, i): readonly AvailabilityWire[] => {
      const [all = 0, ofThem = 0] = [available[i], sold[i]];
      if (day < from || day > to) return [];
      const of = (group: AvailabilityGroup): string | null => (group === by && key !== '' ? key : null);
      return [
        {
          ...{ day, placement: of('placement'), country: of('country'), size: of('size') },
          targeting_id: by === 'targeting' ? Number(key) : null,
          ...{ available: all, sold: ofThem, free: Math.max(all - ofThem, 0) },
        },
      ];
    }),
  );
