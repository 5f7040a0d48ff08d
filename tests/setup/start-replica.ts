import { startReplica as start, type Replica, type ReplicaOptions } from '../../testkit/start-replica.ts';
import { atEnd } from './at-end.ts';

export type { Replica };

export const TOKEN_SECRET = 'the token secret of every test replica';
/** As the rigs without replicas have. What a replica does when it is idle, it does for each shard: with the default it costs half as much again. */
export const LEDGER_SHARDS = 4;
/** On a busy machine Redis is silent for longer than a page waits; the tests of faults have replicas with the default. */
const DEFAULTS = {
  TOKEN_SECRET,
  DRAIN_TIME: '100ms',
  ROLL_UP_INTERVAL: '400ms',
  REDIS_TIMEOUT: '1s',
  LEDGER_SHARDS: String(LEDGER_SHARDS),
};

/** Starts a replica that is stopped at the end of the test file at the latest. `env` as from `testDatabase` and `testRedisUrl`. */
export const startReplica = async ({ env, ...rest }: ReplicaOptions): Promise<Replica> => {
  const replica = await start({ env: { ...DEFAULTS, ...env }, ...rest });
  atEnd(() => replica.kill('SIGKILL'));
  return replica;
};
