import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrateLatest } from './catalog/postgres/migrate.ts';
import { readDimensionSchema } from './catalog/read-dimension-schema.ts';
import { compose } from './replica/compose.ts';
import { keepTokenSecret } from './config/keep-token-secret.ts';
import { readSettings } from './config/read-settings.ts';
import { SettingsError } from './config/settings-error.ts';
import type { Settings } from './config/settings.ts';
import type { StoreAddresses } from './replica/connect-stores.ts';
import type { Demo } from './embedded/demo.ts';

/** After the drain time. Every step of stopping is bounded; this bounds what is not a step. */
const LONGEST_STOP_MS = 14_500;

/** One replica: settings → stores → compose → listen; SIGTERM → drain. */
const main = async (): Promise<void> => {
  const settings = readSettings(keepTokenSecret(process.env));
  const dimensions = await readDimensionSchema(settings.dimensionsFile);
  const stores = await openStores(settings);
  const service = compose({ settings, addresses: stores.addresses, dimensions, ...(stores.demo && { demo: stores.demo }) });

  let stopping = false;
  const stop = async (signal: string, drainMs: number): Promise<void> => {
    // Whoever asks twice will not wait.
    if (stopping) process.exit(1);
    stopping = true;
    setTimeout(() => process.exit(0), drainMs + LONGEST_STOP_MS).unref();
    await service.stop(signal, drainMs);
    await stores.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM', settings.drainMs));
  process.on('SIGINT', () => void stop('SIGINT', 0));

  service.server.listen(settings.port, settings.host);
  await once(service.server, 'listening');
  await migrateWhenPossible(stores.addresses.databaseUrl, (fault) => {
    service.log.warn('the database cannot be migrated yet; trying again', { reason: fault.message });
    return stopping;
  });
  await service.start();
  if (stores.demo) process.stdout.write(stores.demo.greeting(settings));
};

interface OpenStores {
  readonly addresses: StoreAddresses;
  readonly demo: Demo | undefined;
  stop(): Promise<void>;
}

/** The stores that the settings name, or private ones that end with this process. What starts those is not even loaded otherwise. */
const openStores = async ({ databaseUrl, redisUrls, stateDir, port }: Settings): Promise<OpenStores> => {
  if (databaseUrl !== undefined && redisUrls.length > 0) {
    return { addresses: { databaseUrl, redisUrls }, demo: undefined, stop: async () => undefined };
  }
  const { startEmbeddedStores } = await import('./embedded/start-embedded-stores.ts');
  return startEmbeddedStores({ databaseUrl, redisUrls, stateDir, port });
};

/** Postgres may come up after its replicas; a replica that waits for it is not ready, and that is all. */
const migrateWhenPossible = async (databaseUrl: string, onFailure: (fault: Error) => boolean): Promise<void> => {
  for (;;) {
    try {
      await migrateLatest(databaseUrl);
      return;
    } catch (fault) {
      if (onFailure(fault as Error)) return;
      await sleep(1000);
    }
  }
};

// A full disk or a closed pipe behind these ends nothing.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

main().catch((fault: unknown) => {
  // Faults of the settings and of missing programs are written for people; any other deserves its stack.
  const inUse = (fault as { code?: unknown }).code === 'EADDRINUSE';
  const isForPeople = fault instanceof SettingsError || inUse || (fault instanceof Error && fault.constructor === Error);
  process.stderr.write(`${isForPeople ? (fault as Error).message : fault instanceof Error ? fault.stack : String(fault)}\n`);
  process.exit(1);
});
