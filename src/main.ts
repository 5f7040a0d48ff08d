import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import v8 from 'node:v8';
import { lowerHelperThreads } from './base/lower-helper-threads.ts';
import { asError } from './base/narrow.ts';
import { makeWaiting } from './base/made-later.ts';
import { migrateLatest, missingMigrations, newestMigration } from './catalog/postgres/migrate.ts';
import { readCurrencyRates, USD_ONLY } from './bidders/currency-rates.ts';
import { readDimensionSchema } from './catalog/read-dimension-schema.ts';
import { NO_ADDRESSES, readAddressList } from './context/address-list.ts';
import { openReportFigures, openSinks } from './events/sinks/open-sinks.ts';
import { readProviders } from './people/oidc/read-providers.ts';
import { compose } from './replica/compose.ts';
import { keepTokenSecret } from './config/keep-token-secret.ts';
import { readSettings } from './config/read-settings.ts';
import { SettingsError } from './config/settings-error.ts';
import type { Settings } from './config/settings.ts';
import type { CreateTracing } from './observability/tracing.ts';
import type { StoreAddresses } from './replica/connect-stores.ts';
import type { Demo, prepareDemo } from './embedded/demo.ts';

/** Added to the drain time. Every step of the shutdown has a limit; this one covers the rest. */
const MAX_STOP_MS = 14_500;

// V8 concludes, in each start anew, which objects of a request live long, and allocates those in its old generation. There
// they keep later ones alive until it is marked: up to ten times in half a minute, instead of not once (docs/adr/0008).
v8.setFlagsFromString('--no-allocation-site-pretenuring');
// The old generation is marked when it has doubled, not when it has grown by a quarter: each time takes 50 ms of a tenth of a second.
v8.setFlagsFromString('--heap-growing-percent=100');
if (process.execArgv.includes('--single-threaded-gc')) await lowerHelperThreads();

/** One replica: settings → stores → compose → listen; SIGTERM → drain. */
const main = async (): Promise<void> => {
  const settings = readSettings(keepTokenSecret(process.env));
  const dimensions = await readDimensionSchema(settings.dimensionsFile);
  const { dataCenterAddressesFile, currencyRatesFile } = settings;
  const rateOf = currencyRatesFile === undefined ? USD_ONLY : await readCurrencyRates(currencyRatesFile);
  const dataCenters = dataCenterAddressesFile === undefined ? NO_ADDRESSES : await readAddressList(dataCenterAddressesFile);
  const providers = await readProviders(settings);
  const notices: [message: string, details: Readonly<Record<string, unknown>>][] = [];
  let notice = (...one: (typeof notices)[number]): void => void notices.push(one);
  const sinks = await openSinks(settings.sinks, { replica: randomUUID(), onNotice: (...one) => notice(...one) });
  const stores = await openStores(settings);
  const { version } = createRequire(import.meta.url)('../package.json') as { readonly version: string };
  const service = compose({
    settings,
    addresses: stores.addresses,
    dimensions,
    version,
    dataCenters,
    rateOf,
    providers,
    sinks,
    reportFigures: await openReportFigures(settings.reportsFrom),
    createTracing: await loadTracing(settings.tracing),
    ...(stores.demo && { demo: stores.demo }),
  });

  notice = service.log.warn;
  for (const one of notices) notice(...one);
  let stopping = false;
  const stop = async (cause: string, drainMs: number, exitCode = 0): Promise<void> => {
    // A second signal ends the process immediately.
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(exitCode), drainMs + MAX_STOP_MS).unref();
    await service.stop(cause, drainMs);
    await stores.stop();
    process.exit(exitCode);
  };
  process.on('SIGTERM', () => void stop('SIGTERM', settings.drainMs));
  process.on('SIGINT', () => void stop('SIGINT', 0));

  if (settings.production) makeWaiting();
  service.server.listen(settings.port, settings.host);
  await once(service.server, 'listening');
  const listening = { version, port: (service.server.address() as AddressInfo).port };
  service.log.info('Listening', { ...listening, schema: await newestMigration() });
  if (dataCenters.size === 0) service.log.info('Hits from data centers are not filtered: DATACENTER_ADDRESSES is not set');
  let logged = '';
  await untilMigrated(stores.addresses.databaseUrl, settings.production, (reason, fault) => {
    service.waitFor(reason);
    if (reason !== logged) service.log.warn(`Not ready: ${reason}`, fault && { reason: fault.message });
    logged = reason;
    return stopping;
  });
  if (stopping) return;
  await service.start(() => void stop('Redis refused', 0, 1));
  if (stores.demo && !stopping) process.stdout.write(stores.demo.greeting());
};

/** Without traces OpenTelemetry is not loaded. */
const loadTracing = async (tracing: Settings['tracing']): Promise<CreateTracing | undefined> =>
  tracing && (await import('./observability/open-telemetry.ts')).createOpenTelemetry(tracing);

interface OpenStores {
  readonly addresses: StoreAddresses;
  readonly demo: Demo | undefined;
  stop(): Promise<void>;
}

/**
 * The stores that the settings name, or embedded ones that end with this process. The code of the
 * embedded stores is loaded only when it is needed.
 */
const openStores = async (settings: Settings): Promise<OpenStores> => {
  const { databaseUrl, redisUrls } = settings;
  if (databaseUrl !== undefined && redisUrls.length > 0) {
    const addresses = { databaseUrl, redisUrls };
    return { addresses, demo: settings.demoData === 'none' ? undefined : await openDemo(settings, addresses), stop: async () => undefined };
  }
  const { startEmbeddedStores } = await import('./embedded/start-embedded-stores.ts');
  return startEmbeddedStores(settings);
};

/** The demonstration data in a configured database. */
const openDemo = async (...[settings, addresses]: Parameters<typeof prepareDemo>): Promise<Demo | undefined> => {
  await migrateLatest(addresses.databaseUrl);
  const { prepareDemo } = await import('./embedded/demo.ts');
  return prepareDemo(settings, addresses);
};

/**
 * Waits until the database has the schema of this build. In production the command `migrate`
 * changes the schema, before the rollout; elsewhere every start does. Postgres may start after its
 * replicas.
 *
 * @param onWait called before each further attempt with the reason; true ends the wait
 */
const untilMigrated = async (
  databaseUrl: string,
  production: boolean,
  onWait: (reason: string, fault?: Error) => boolean,
): Promise<void> => {
  for (;;) {
    try {
      if (!production) await migrateLatest(databaseUrl);
      const missing = production ? await missingMigrations(databaseUrl) : [];
      if (missing.length === 0 || onWait(`the database is not migrated (${missing.join(', ')})`)) return;
    } catch (fault) {
      if (onWait(`the database cannot be ${production ? 'read' : 'migrated'} yet`, asError(fault))) return;
    }
    await sleep(1000);
  }
};

// An error on these streams (full disk, closed pipe) must not end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

main().catch((fault: unknown) => {
  // Errors about settings and missing programs are meant for the operator; for all others the stack
  // is printed.
  const inUse = (fault as { code?: unknown }).code === 'EADDRINUSE';
  const isForPeople = fault instanceof SettingsError || inUse || (fault instanceof Error && fault.constructor === Error);
  process.stderr.write(`${isForPeople ? (fault as Error).message : fault instanceof Error ? fault.stack : String(fault)}\n`);
  process.exit(1);
});
