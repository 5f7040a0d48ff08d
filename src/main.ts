import { once } from 'node:events';
import { compose } from './compose.ts';
import { keepTokenSecret } from './config/keep-token-secret.ts';
import { readSettings } from './config/read-settings.ts';
import { SettingsError } from './config/settings-error.ts';
import type { Settings } from './config/settings.ts';
import type { StoreAddresses } from './connect-stores.ts';

/** One replica: settings → stores → compose → listen; SIGTERM → drain. */
const main = async (): Promise<void> => {
  const settings = readSettings(keepTokenSecret(process.env));
  const stores = await openStores(settings);
  const service = compose(settings, stores.addresses);

  let stopping = false;
  const stop = async (signal: string, drainMs: number): Promise<void> => {
    // Whoever asks twice will not wait.
    if (stopping) process.exit(1);
    stopping = true;
    await service.stop(signal, drainMs);
    await stores.stop();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM', settings.drainMs));
  process.on('SIGINT', () => void stop('SIGINT', 0));

  service.server.listen(settings.port, settings.host);
  await once(service.server, 'listening');
  await service.start();
  if (!settings.production && stores.embedded) {
    const { greet } = await import('./embedded/greet.ts');
    await greet({ settings, databaseUrl: stores.addresses.databaseUrl });
  }
};

interface OpenStores {
  readonly addresses: StoreAddresses;
  readonly embedded: boolean;
  stop(): Promise<void>;
}

/** The stores that the settings name, or private ones that end with this process. Production code never loads what starts those. */
const openStores = async ({ databaseUrl, redisUrls, stateDir }: Settings): Promise<OpenStores> => {
  if (databaseUrl !== undefined && redisUrls.length > 0) return { addresses: { databaseUrl, redisUrls }, embedded: false, stop: async () => undefined };
  const { startEmbeddedStores } = await import('./embedded/start-embedded-stores.ts');
  return { ...(await startEmbeddedStores({ databaseUrl, redisUrls, stateDir })), embedded: true };
};

main().catch((fault: unknown) => {
  // Faults of the settings and of missing programs are written for people; any other deserves its stack.
  const text = fault instanceof SettingsError ? fault.message : fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
