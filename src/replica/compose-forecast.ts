import { createForecastStore } from '../forecast/forecast-store.ts';
import { createNightlyForecasts } from '../forecast/nightly-forecasts.ts';
import { createForecasts } from '../forecast/forecasts.ts';
import { runForecastWorker } from '../forecast/run-forecast-worker.ts';
import type { Foundation } from './lay-foundation.ts';

/** Forecasts, made in a thread that the first question starts. */
export const composeForecast = ({ settings, addresses, dimensions, stores, observe }: Foundation) => {
  const { pid, tokenTtlMs } = settings;
  const forecastWorker = runForecastWorker({ databaseUrl: addresses.databaseUrl, dimensions, pid, tokenTtlMs });
  const forecasts = createForecasts({
    store: createForecastStore({ knex: stores.knex }),
    worker: forecastWorker,
    onFailure: observe.storeFailed('forecast', 'A forecast could not be made'),
  });
  const nightlyForecasts = createNightlyForecasts({
    ...{ knex: stores.knex, forecasts },
    onFailure: observe.storeFailed('forecast', 'Forecasts could not be compared with what came'),
  });
  return { forecastWorker, forecasts, nightlyForecasts };
};
