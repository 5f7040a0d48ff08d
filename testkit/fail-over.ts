import type { Redis } from 'ioredis';
import { untilTrue } from './until.ts';

const PATIENCE_MS = 15_000;

/**
 * Makes `to` a replica of `from` and then swaps their roles, as an operator does: `from` stops
 * taking writes until `to` has them all, so that none is lost. Connections of clients to `from` stay
 * open, and their writes are refused.
 *
 * @throws when a step takes longer than 15 s
 */
export const failOver = async (from: Redis, to: Redis): Promise<void> => {
  const reaches = async (server: Redis, text: string): Promise<void> => {
    const took = await untilTrue(async () => (await server.info('replication')).includes(text), PATIENCE_MS, 20);
    if (took === undefined) throw new Error(`no failover: ${server.options.port} does not report ${text}`);
  };
  const addressOf = ({ options }: Redis) => [options.host ?? '127.0.0.1', String(options.port)] as const;
  await from.config('SET', 'repl-diskless-sync-delay', '0');
  await to.replicaof(...addressOf(from));
  await reaches(to, 'master_link_status:up');
  await from.call('FAILOVER', 'TO', ...addressOf(to), 'TIMEOUT', '5000');
  await reaches(to, 'role:master');
  await reaches(from, 'master_link_status:up');
};
