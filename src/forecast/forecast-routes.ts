import type { Knex } from 'knex';
import { maySee } from '../access/scope.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { createDayRules, localDayOf } from '../base/local-day.ts';
import { dateOfDay } from '../base/utc-day.ts';
import { createZoneOffset } from '../base/zone-offset.ts';
import type { createCheckRecord } from '../bookings/check-record.ts';
import { visibleIds } from '../bookings/record-scope.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { DraftBooking } from './draft-booking.ts';
import { campaignForecast } from './campaign-forecast.ts';
import { draftLineItem } from './draft-line-item.ts';
import { readForecastErrors } from './errors/forecast-errors.ts';
import type { AvailabilityWire, FORECAST_API, ForecastErrorWire, ForecastWire } from './forecast-api.ts';
import type { ForecastStore, StoredForecast } from './forecast-store.ts';
import type { Forecasts } from './forecasts.ts';

export interface ForecastRoutesOptions {
  readonly knex: Knex;
  readonly store: ForecastStore;
  readonly forecasts: Forecasts;
  readonly checkRecord: ReturnType<typeof createCheckRecord>;
  readonly draftBooking: DraftBooking;
  readonly currentSnapshot: () => Snapshot | undefined;
  readonly now: () => number;
}

const NOT_LOADED = refuse('unavailable', 'The campaign data has not been loaded yet.');
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const forecastRoutes = (options: ForecastRoutesOptions): Handlers<typeof FORECAST_API> => {
  const { knex, store, forecasts, checkRecord, draftBooking, currentSnapshot, now } = options;
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
      const { line_item_id: id, line_item: lineItem, booking, at = 0, placements = [], models = {} } = body;
      if ([id, lineItem, booking].filter((one) => one !== undefined).length !== 1)
        return refuse('invalid_request', 'The question has faults.', [
          { pointer: '', detail: 'must have one of line_item_id, line_item and booking' },
        ]);
      const asked = { nowMs: now(), models };
      if (id !== undefined) {
        const [visible] = await visibleIds(knex, 'line_items', caller, [id]);
        const found = visible === undefined ? undefined : snapshot.lineItems.get(visible);
        if (!found) return refuse('not_found', `Line item ${id} is not loaded.`);
        return shown(await forecasts.ask({ ...asked, publisherId: found.publisherId, lineItemId: id, draft: undefined }));
      }
      const drafted = booking
        ? await draftBooking(booking, at, caller)
        : await draftLineItem(knex, checkRecord, { lineItem, placements }, caller);
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
    getCampaignForecast: async ({ id }, { caller }) => {
      const [visible] = await visibleIds(knex, 'campaigns', caller, [id]);
      const campaign =
        visible === undefined ? undefined : await knex('campaigns').where({ id }).first<{ publisher_id: number }>('publisher_id');
      if (!campaign) return noSuch('campaign');
      const base = await store.latestBase(campaign.publisher_id);
      const ids = (await knex('line_items').where({ campaign_id: id }).select<{ id: number }[]>('id')).map((row) => row.id);
      return answer(campaignForecast(base, ids));
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
    listBookedImpressions: async ({ publisher: id, placement, from = '', to = '9999' }, { caller }) => {
      if (!maySee(caller.publishers, id)) return noSuch('publisher');
      const { days = [], bookings = {} } = (await store.latestBase(id))?.figures ?? {};
      const sums = Object.entries(bookings[placement] ?? {})
        .map(([lineItem, counts]) => ({
          line_item_id: Number(lineItem),
          impressions: counts.reduce((sum, count, i) => (days[i]! < from || days[i]! > to ? sum : sum + count), 0),
        }))
        .filter(({ impressions }) => impressions > 0)
        .sort((a, b) => b.impressions - a.impressions);
      const ids = sums.map(({ line_item_id }) => line_item_id);
      const rows = await knex('line_items').whereIn('id', ids).select<{ id: number; name: string }[]>('id', 'name');
      const names = new Map(rows.map(({ id: of, name }) => [of, name]));
      return answer(sums.map((sum) => ({ ...sum, name: names.get(sum.line_item_id) ?? null })));
    },
  };
};

const ERROR_DAYS = 28;
const rounded = (part: number): number => Math.round(part * 1e4) / 1e4;

const forecastWire = ({ id, state, progress, reason, answer: known }: StoredForecast): ForecastWire => ({
  ...{ id, state, progress, reason },
  ...{ basis: known?.basis ?? null, from: known?.from ?? null, to: known?.to ?? null },
  ...{ available: known?.available ?? null, free: known?.free ?? null, goal: known?.goal ?? null },
  ...{ delivery: known?.delivery ?? null, clicks: known?.clicks ?? null, binding: known?.binding ?? [] },
  ...{
    displaced: known?.displaced ?? [],
    remedies: known?.remedies ?? [],
    without_history: known?.without_history ?? [],
    warning: known?.warning ?? null,
  },
});
