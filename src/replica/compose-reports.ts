import { createSinkAges, createSinkCompleteUntil } from '../events/sinks/sink-lags.ts';
import { createChooseFigures } from '../reports/choose-figures.ts';
import { createReports } from '../reports/run-report.ts';
import { createSavedReportStore } from '../reports/saved-report-store.ts';
import type { Foundation } from './lay-foundation.ts';

/** Reports, read from Postgres and, with REPORTS_URL, from ClickHouse. */
export const composeReports = ({ settings, reportFigures, metrics, observe, stores }: Foundation) => {
  const name = settings.reportsFrom?.name ?? '';
  const ages = createSinkAges({ redis: stores.backgroundRedis, link: stores.backgroundLink, keys: stores.keys });
  const chooseFigures =
    reportFigures &&
    createChooseFigures({
      ...{ figures: reportFigures, name, completeUntil: createSinkCompleteUntil(ages, name) },
      onChosen: (why) => metrics.reportRead(why ?? 'none'),
      onFailure: observe.storeFailed('read_reports', 'A report could not be read from ClickHouse; Postgres answers it'),
    });
  return {
    reports: createReports({ knex: stores.reportKnex, chooseFigures }),
    store: createSavedReportStore({ knex: stores.knex }),
  };
};
