import path from 'node:path';
import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { createDatabase } from '../../testkit/databases.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { openFleet, type Fleet, type FleetOptions } from './open-fleet.ts';

/** The rig of a run: a separate Postgres, and fleets of replicas on demand. */
export interface Rig {
  /** Source of all random choices. */
  readonly seed: number;
  /** Prints a line of progress. */
  say(line: string): void;
  /** Starts replicas on an empty database and an empty Redis. */
  fleet(options?: FleetOptions): Promise<Fleet>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly seed: number;
  /** How long requests wait for Redis, unless a fleet says otherwise. */
  readonly redisTimeoutMs: number;
  readonly say: (line: string) => void;
}

export const createRig = async ({ seed, redisTimeoutMs, say }: RigOptions): Promise<Rig> => {
  const env = { REDIS_TIMEOUT: `${redisTimeoutMs}ms` };
  const stores = await openPrivateStores('prove');
  const postgres = await stores.startPostgres();
  await migrateLatest(postgres.url);
  const template = path.basename(new URL(postgres.url).pathname);
  const server = new URL('/postgres', postgres.url).href;
  const fleets = new Set<Fleet>();
  let databases = 0;

  return {
    seed,
    say,
    fleet: async (options = {}) => {
      const number = ++databases;
      const databaseUrl = await createDatabase(server, `proof_${number}`, template);
      const stage = { databaseUrl, folder: path.join(stores.folder, `fleet-${number}`), seed };
      const fleet = await openFleet(stage, { ...options, env: { ...env, ...options.env } });
      fleets.add(fleet);
      return {
        ...fleet,
        close: async () => {
          fleets.delete(fleet);
          await fleet.close();
        },
      };
    },
    close: async () => {
      await Promise.allSettled([...fleets].map((fleet) => fleet.close()));
      await stores.stop();
    },
  };
};
