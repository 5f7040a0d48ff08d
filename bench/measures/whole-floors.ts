import knexFactory from 'knex';
import { copyRows, type CopiedColumns, type CopiedValue } from '../../src/events/postgres/copy-rows.ts';
import { familyCpuMicros, processCpuMicros } from '../../testkit/process-cpu.ts';
import type { Rig, Stage } from '../create-rig.ts';
import { closedLoop, openLoop } from '../load.ts';

/** The least that the parts of an ad could cost. */
export interface Floors {
  readonly copy: { readonly micros: number; readonly walBytes: number };
  readonly incrMicros: number;
  /** For a request of a closed loop, whose requests share turns of the server. */
  readonly echoMicros: number;
  /** For an ad, when as many requests as those of ads and impressions come one by one. */
  readonly pacedEchoMicros: number;
}

const MAX_ROWS = 50_000;
const BATCH = 1_000;
const INCREMENTS = 50_000;
const AT_ONCE = 64;
const ECHO_SECONDS = 3;

/** COPY of rows as the service has stored them, into a table with the same columns and the unique index. */
const floorOfCopy = async ({ postgresPid }: Rig, { databaseUrl }: Stage): Promise<Floors['copy']> => {
  const knex = knexFactory({ client: 'pg', connection: databaseUrl, pool: { min: 1, max: 1 } });
  try {
    await knex.raw('create table floor (like events including defaults, unique (day, jti, kind, event_type, screened))');
    // As text, which is what COPY reads.
    const { rows: attributes } = await knex.raw<{ rows: { name: string }[] }>(
      `select attname as name from pg_attribute where attrelid = 'events'::regclass and attnum > 0 and not attisdropped order by attnum`,
    );
    const columns: CopiedColumns<Record<string, CopiedValue>> = attributes.map(({ name }) => [name, (row) => row[name]]);
    const { rows } = await knex.raw<{ rows: Record<string, CopiedValue>[] }>(
      `select ${columns.map(([name]) => `${name}::text`).join(', ')} from events limit ${MAX_ROWS}`,
    );
    const logged = async (): Promise<number> =>
      Number((await knex.raw<{ rows: { wal: string }[] }>(`select pg_current_wal_lsn() - '0/0'::pg_lsn as wal`)).rows[0]!.wal);
    await knex.raw('checkpoint');
    const [micros, wal] = [familyCpuMicros(postgresPid), await logged()];
    for (let from = 0; from < rows.length; from += BATCH)
      await knex.transaction((trx) => copyRows(trx, 'floor', columns, rows.slice(from, from + BATCH)));
    return { micros: (familyCpuMicros(postgresPid) - micros) / rows.length, walBytes: ((await logged()) - wal) / rows.length };
  } finally {
    await knex.raw('drop table if exists floor');
    await knex.destroy();
  }
};

const floorOfIncr = async ({ redisPid }: Rig, { redis }: Stage): Promise<number> => {
  const before = processCpuMicros(redisPid);
  const increment = async (): Promise<void> => {
    for (let n = 0; n < INCREMENTS / AT_ONCE; n++) await redis.incr('floor');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, increment));
  await redis.del('floor');
  return (processCpuMicros(redisPid) - before) / INCREMENTS;
};

/** @param rate ads a second, and requests for each of them */
export const measureFloors = async (
  rig: Rig,
  stage: Stage,
  file: string,
  { perSecond, requests }: { readonly perSecond: number; readonly requests: number },
): Promise<Floors> => {
  const [copy, incrMicros] = [await floorOfCopy(rig, stage), await floorOfIncr(rig, stage)];
  const server = await rig.startFloor('node-echo');
  const { cpuMicros } = await closedLoop(rig, { server, kind: 'ads', file, seconds: ECHO_SECONDS });
  const { busy } = await openLoop(rig, { server, file, perSecond: perSecond * requests, seconds: ECHO_SECONDS, polls: false });
  await rig.stop(server);
  return { copy, incrMicros, echoMicros: cpuMicros, pacedEchoMicros: (busy * 1e6) / perSecond };
};
