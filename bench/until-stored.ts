import type { Redis } from 'ioredis';
import { PATIENCE_MS, untilTrue } from '../testkit/until.ts';

/** Waits until every event on these servers has been carried into Postgres. @throws when that takes longer than a minute */
export const untilStored = async (...servers: readonly Redis[]): Promise<void> => {
  const waitingOn = async (server: Redis): Promise<readonly number[]> =>
    Promise.all((await server.keys('ads:*:events')).map((key) => server.xlen(key)));
  const isStored = async (): Promise<boolean> => (await Promise.all(servers.map(waitingOn))).flat().every((length) => length === 0);
  if ((await untilTrue(isStored, PATIENCE_MS)) === undefined)
    throw new Error(`events were still waiting for Postgres after ${PATIENCE_MS / 1000} s`);
};
