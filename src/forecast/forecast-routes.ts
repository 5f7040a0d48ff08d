import type { Knex } from 'knex';
import { maySee } from '../access/scope.ts';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { localDayOf } from '../base/local-day.ts';
import { dateOfDay } from '../base/utc-day.ts';
import type { createCheckRecord } from '../bookings/check-record.ts';
import { visibleIds } from '../bookings/record-scope.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { DraftBooking } from './draft-booking.ts';
import { campaignForecast } from './campaign-forecast.ts';
import { draftLineItem } from './draft-line-item.ts';
import { readForecastErrors } from './errors/forecast-errors.ts';
import type { FORECAST_API, ForecastWire } from './forecast-api.ts';
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
    listForecastErrors: async ({ publisher: id, subject, key, from, to }, { caller }) => {
      const snapshot = currentSnapshot();
      if (!snapshot || !maySee(caller.publishers, id) || !snapshot.publishers.has(id)) return noSuch('publisher');
      const today = localDayOf(snapshot.daysOf(id, now()), now());
      const days = { from: from ?? dateOfDay(today - ERROR_DAYS), to: to ?? dateOfDay(today - 1) };
      const rows = await readForecastErrors(knex, { publisherId: id, subject, key, ...days });
      return answer(rows.map((row) => ({ ...row, mean_error: rounded(row.mean_error), held: rounded(row.held) })));
    },
  };
};

const ERROR_DAYS = 28;
const rounded = (part: number): number => Math.round(part * 1e4) / 1e4;

/** Of a forecast without an answer yet. */
const NOTHING = {
  ...{ basis: null, from: null, to: null, available: null, free: null, goal: null, delivery: null, clicks: null, viewable: null },
  ...{ binding: [], displaced: [], remedies: [], without_history: [], warning: null },
};

const forecastWire = ({ id, state, progress, reason, answer: known }: StoredForecast): ForecastWire => ({
  ...{ id, state, progress, reason },
  ...NOTHING,
  ...known,
});
