import path from 'node:path';
import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { createDatabase } from '../../testkit/databases.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { openFleet, type Fleet, type FleetOptions } from './open-fleet.ts';
import type { Scale } from './proof.ts';

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
  readonly scale: Pick<Scale, 'ms'>;
  readonly say: (line: string) => void;
}

/** The default of the service. */
const REDIS_TIMEOUT_MS = 100;

export const createRig = async ({ seed, scale, say }: RigOptions): Promise<Rig> => {
  const env = { REDIS_TIMEOUT: `${scale.ms(REDIS_TIMEOUT_MS)}ms` };
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
