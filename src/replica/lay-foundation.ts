import type { RateOf } from '../bidders/currency-rates.ts';
import type { AddressList } from '../context/address-list.ts';
import type { Settings } from '../config/settings.ts';
import type { ClickHouseFigures } from '../events/sinks/clickhouse/clickhouse-figures.ts';
import type { ConfiguredSink } from '../events/sinks/open-sinks.ts';
import { createLog } from '../observability/log.ts';
import { createMetrics } from '../observability/metrics.ts';
import type { CreateTracing, Tracing } from '../observability/tracing.ts';
import type { ProviderSettings } from '../people/oidc/read-providers.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { connectStores, type StoreAddresses } from './connect-stores.ts';
import { metricLabels } from './metric-labels.ts';
import { observeService } from './observe-service.ts';

export interface ComposeOptions {
  readonly settings: Settings;
  readonly addresses: StoreAddresses;
  readonly dimensions: DimensionSchema;
  /** Of package.json. */
  readonly version: string;
  /** DATACENTER_ADDRESSES. */
  readonly dataCenters: AddressList;
  /** CURRENCY_RATES. */
  readonly rateOf: RateOf;
  /** OIDC_ISSUER or OIDC_PROVIDERS. */
  readonly providers: readonly ProviderSettings[];
  /** SINKS. */
  readonly sinks: readonly ConfiguredSink[];
  /** REPORTS_URL. */
  readonly reportFigures?: ClickHouseFigures | undefined;
  /** undefined: no traces. */
  readonly createTracing?: CreateTracing | undefined;
  /** Of the embedded Postgres: the publisher of the demo pages. */
  readonly demo?: { readonly config: () => string };
}

/** What every other part depends on: settings, metrics, the log and the stores. */
export const layFoundation = (options: ComposeOptions) => {
  const { settings, addresses, version, createTracing } = options;
  const metrics = createMetrics(
    metricLabels(
      settings.allowedEvents,
      settings.sinks.map(({ name }) => name),
    ),
  );
  let tracing: Tracing | undefined = undefined;
  const log = createLog({ level: settings.logLevel, onDropped: metrics.logDropped, contextOf: () => tracing?.logFields() });
  const observe = observeService({ log, metrics });
  const stores = connectStores(settings, addresses);
  tracing = createTracing?.({ version, onFailure: observe.exportFailed });
  tracing?.watchKnex(stores.knex);
  tracing?.watchKnex(stores.promptKnex);
  tracing?.watchKnex(stores.fileKnex);
  tracing?.watchKnex(stores.reportKnex);
  return { ...options, metrics, log, observe, stores, tracing };
};

export type Foundation = ReturnType<typeof layFoundation>;
