import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startProcess } from './start-process.ts';
import { untilTrue } from './until.ts';

const FRONT = fileURLToPath(new URL('./clickhouse-over-chdb.py', import.meta.url));
const START_MS = 120_000;
const PYTHON = process.env['CLICKHOUSE_PYTHON'] ?? 'python3';

/** Whether this machine has chDB. */
export const hasChdb = (): boolean => spawnSync(PYTHON, ['-c', 'import chdb']).status === 0;

/** The engine of ClickHouse behind its HTTP interface. */
export interface ClickHouseEngine {
  /** `clickhouse://127.0.0.1:<port>/` */
  readonly url: string;
  readonly pid: number;
  end(signal?: NodeJS.Signals): Promise<void>;
}

/**
 * Starts chDB, the engine of ClickHouse in a process of Python (`pip install chdb`; CLICKHOUSE_PYTHON names its Python): no server of
 * ClickHouse can be had from a registry of packages.
 *
 * @param folder where it keeps its tables
 * @throws with what it said when it does not start
 */
export const startClickHouse = async (folder: string): Promise<ClickHouseEngine> => {
  const front = await startProcess({ command: [PYTHON, FRONT, folder] });
  await untilTrue(() => /^\d+$/m.test(front.output()) || front.ending() !== undefined, START_MS);
  const port = /^\d+$/m.exec(front.output())?.[0];
  if (port === undefined) throw new Error(`chDB did not start: ${front.output().slice(-500)}`);
  return { url: `clickhouse://127.0.0.1:${port}/`, pid: front.pid, end: async (signal = 'SIGTERM') => void (await front.end(signal)) };
};
