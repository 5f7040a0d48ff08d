import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import knexFactory from 'knex';
import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { defaultStateDir } from '../../src/config/default-state-dir.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';
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

export const createRig = async ({ seed, say }: { readonly seed: number; readonly say: (line: string) => void }): Promise<Rig> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-prove-'));
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ stateDir: folder, binariesDir: defaultStateDir(process.env) });
  await migrateLatest(postgres.url);
  const admin = new URL(postgres.url);
  const template = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  const fleets = new Set<Fleet>();
  let databases = 0;

  const newDatabase = async (): Promise<string> => {
    const name = `proof_${++databases}`;
    const knex = knexFactory({ client: 'pg', connection: admin.href, pool: { min: 0, max: 1 } });
    try {
      await knex.raw('create database ?? template ??', [name, template]);
    } finally {
      await knex.destroy();
    }
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  };

  return {
    seed,
    say,
    fleet: async (options = {}) => {
      const databaseUrl = await newDatabase();
      const fleet = await openFleet({ databaseUrl, folder: path.join(folder, `fleet-${databases}`), seed }, options);
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
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
