import type { Knex } from 'knex';
import { maySee } from '../access/scope.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { createDayRules, localDayOf } from '../base/local-day.ts';
import { dateOfDay } from '../base/utc-day.ts';
import { createZoneOffset } from '../base/zone-offset.ts';
import type { createCheckRecord } from '../bookings/check-record.ts';
import { visibleIds } from '../bookings/record-scope.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { draftLineItem } from './draft-line-item.ts';
import { readForecastErrors } from './errors/forecast-errors.ts';
import type { AvailabilityWire, FORECAST_API, ForecastErrorWire, ForecastWire, TrafficEventWire } from './forecast-api.ts';
import type { ForecastStore, StoredForecast } from './forecast-store.ts';
import type { Forecasts } from './forecasts.ts';

export interface ForecastRoutesOptions {
  readonly knex: Knex;
  readonly store: ForecastStore;
  readonly forecasts: Forecasts;
  readonly checkRecord: ReturnType<typeof createCheckRecord>;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly now: () => number;
}

const NOT_LOADED = refuse('unavailable', 'The campaign data has not been loaded yet.');
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const forecastRoutes = (options: ForecastRoutesOptions): Handlers<typeof FORECAST_API> => {
  const { knex, store, forecasts, checkRecord, currentSnapshot, now } = options;
  const ruleOf = createDayRules(createZoneOffset());

  const shown = (forecast: StoredForecast) => answer(forecastWire(forecast));
  const seen = async (id: string, publishers: Parameters<typeof maySee>[0]): Promise<StoredForecast | undefined> => {
    const found = UUID.test(id) ? await store.read(id) : undefined;
    return found && maySee(publishers, found.publisherId) ? found : undefined;
  };

  return {
    createForecast: async ({ body }, { caller }) => {
      const snapshot = currentSnapshot();
      if (!snapshot) return NOT_LOADED;
      const { line_item_id: id, line_item: lineItem, placements = [], models = {} } = body;
      if ((id === undefined) === (lineItem === undefined))
        return refuse('invalid_request', 'The question has faults.', [
          { pointer: '', detail: 'must have line_item_id or line_item, and not both' },
        ]);
      const asked = { nowMs: now(), models };
      if (id !== undefined) {
        const [visible] = await visibleIds(knex, 'line_items', caller, [id]);
        const found = visible === undefined ? undefined : snapshot.lineItems.get(visible);
        if (!found) return refuse('not_found', `Line item ${id} is not loaded.`);
        return shown(await forecasts.ask({ ...asked, publisherId: found.publisherId, lineItemId: id, draft: undefined }));
      }
      const drafted = await draftLineItem(knex, checkRecord, { lineItem, placements }, caller);
      if (!drafted.ok) return refuse('invalid_request', 'The draft has faults.', drafted.faults);
      return shown(await forecasts.ask({ ...asked, publisherId: drafted.publisherId, lineItemId: undefined, draft: drafted.draft }));
    },
    getForecast: async ({ id }, { caller }) => {
      const found = await seen(id, caller.publishers);
      return found ? shown(found) : noSuch('forecast');
    },
    cancelForecast: async ({ id }, { caller }) => {
      if (!(await seen(id, caller.publishers))) return noSuch('forecast');
      await forecasts.cancel(id);
      return done();
    },
    listAvailability: async ({ publisher: id, placement, from = '', to = '9999' }, { caller }) => {
      const snapshot = currentSnapshot();
      if (!snapshot) return NOT_LOADED;
      const publisher = maySee(caller.publishers, id) ? snapshot.publishers.get(id) : undefined;
      if (!publisher) return noSuch('publisher');
      const today = dateOfDay(localDayOf(ruleOf(publisher.timeZone, now()), now()));
      const base = await store.latestBase(id);
      if (base?.madeOn !== today || base.version !== snapshot.version) forecasts.refreshBase(id, today, now());
      if (!base) return answer([]);
      const { days, placements } = base.figures;
      return answer(
        Object.entries(placements)
          .filter(([name]) => placement === undefined || name === placement)
          .flatMap(([name, { available, sold }]) =>
            days.flatMap((day, i): readonly AvailabilityWire[] => {
              const [all = 0, ofThem = 0] = [available[i], sold[i]];
              return day < from || day > to
                ? []
                : [{ day, placement: name, available: all, sold: ofThem, free: Math.max(all - ofThem, 0) }];
            }),
          ),
      );
    },
    listForecastErrors: async ({ publisher: id, subject, key, from, to }, { caller }) => {
      const publisher = maySee(caller.publishers, id) ? currentSnapshot()?.publishers.get(id) : undefined;
      if (!publisher) return noSuch('publisher');
      const today = localDayOf(ruleOf(publisher.timeZone, now()), now());
      const days = { from: from ?? dateOfDay(today - ERROR_DAYS), to: to ?? dateOfDay(today - 1) };
      const rows = await readForecastErrors(knex, { publisherId: id, subject, key, ...days });
      return answer(
        rows.map(({ meanError, held, ...row }): ForecastErrorWire => ({ ...row, mean_error: rounded(meanError), held: rounded(held) })),
      );
    },
    listTrafficEvents: async ({ publisher: id }, { caller }) => {
      if (!maySee(caller.publishers, id)) return noSuch('publisher');
      const rows = await knex('traffic_events')
        .where({ publisher_id: id })
        .orderBy('from_at', 'desc')
        .limit(MAX_EVENTS)
        .select<EventRow[]>('*');
      return answer(rows.map(eventWire));
    },
    createTrafficEvent: async ({ body }, { caller }) => {
      const { publisher_id: id, from, to, name, factor, placements, key_values } = body;
      if (!maySee(caller.publishers, id) || !(await knex('publishers').where({ id }).first('id')))
        return refuse('invalid_request', 'The event has faults.', [{ pointer: '/publisher_id', detail: 'does not exist' }]);
      if (Date.parse(from) >= Date.parse(to))
        return refuse('invalid_request', 'The event has faults.', [{ pointer: '/to', detail: 'must be after from' }]);
      const row = {
        publisher_id: id,
        name,
        factor,
        placements,
        from_at: new Date(from),
        to_at: new Date(to),
        key_values: JSON.stringify(key_values),
      };
      const [stored] = (await knex('traffic_events').insert(row).returning('*')) as EventRow[];
      return answer(eventWire(stored!));
    },
    deleteTrafficEvent: async ({ id }, { caller }) => {
      const row = await knex('traffic_events').where({ id }).first<EventRow | undefined>('*');
      if (!row || !maySee(caller.publishers, row.publisher_id)) return noSuch('traffic event');
      await knex('traffic_events').where({ id }).delete();
      return done();
    },
  };
};

const ERROR_DAYS = 28;
const rounded = (part: number): number => Math.round(part * 1e4) / 1e4;

const MAX_EVENTS = 500;

interface EventRow {
  readonly id: number;
  readonly publisher_id: number;
  readonly name: string;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly factor: number;
  readonly placements: readonly string[];
  readonly key_values: Readonly<Record<string, readonly string[]>>;
}

const eventWire = ({ from_at, to_at, placements, key_values, ...row }: EventRow): TrafficEventWire => ({
  ...{ id: row.id, publisher_id: row.publisher_id, name: row.name, factor: row.factor },
  ...{ from: from_at.toISOString(), to: to_at.toISOString(), placements: [...placements], key_values },
});

const forecastWire = ({ id, state, progress, reason, answer: known }: StoredForecast): ForecastWire => ({
  ...{ id, state, progress, reason },
  ...{ basis: known?.basis ?? null, from: known?.from ?? null, to: known?.to ?? null },
  ...{ available: known?.available ?? null, free: known?.free ?? null, goal: known?.goal ?? null },
  ...{ delivery: known?.delivery ?? null, clicks: known?.clicks ?? null, binding: known?.binding ?? [] },
  ...{ displaced: known?.displaced ?? [], remedies: known?.remedies ?? [], warning: known?.warning ?? null },
});
