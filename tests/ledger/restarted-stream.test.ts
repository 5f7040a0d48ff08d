import { chmodSync } from 'node:fs';
import { createBooksServer } from '../../src/ledger/books/books-server.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { EVENT_GROUP } from '../../src/ledger/read/event-group.ts';
import { createReadUnstored } from '../../src/ledger/read/oldest-unstored.ts';
import { createStreamConsumer } from '../../src/redis/stream-consumer.ts';
import { startLossyRedis } from '../../testkit/lossy-redis.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const SHARD = 1;
const EVENTS = 3_000;

test('after a restart of Redis whose file was rewritten, events that Postgres has do not wait for it', async () => {
  const folder = temporaryFolder();
  // Redis may run under an account of its own.
  chmodSync(folder, 0o755);
  const server = await startLossyRedis(folder);
  atEnd(() => server.close());
  const redis = await patientRedis(server.url);
  atEnd(() => redis.disconnect());
  const keys = createLedgerKeys(4);
  const stream = keys.events(SHARD);
  const consumer = createStreamConsumer({ redis, group: EVENT_GROUP, name: 'one', keyTtlS: 3_600 });
  const store = async (): Promise<void> => {
    for (;;) {
      const entries = await consumer.fresh(stream, 200);
      if (entries.length === 0) return;
      await consumer.finish(
        stream,
        entries.map(([id]) => id),
      );
    }
  };
  const answers = () => eventually(async () => expect(await redis.ping()).toBe('PONG'));
  await answers();
  await consumer.fresh(stream, 1);
  const add = async (count: number): Promise<void> => {
    const batch = redis.pipeline();
    for (let i = 0; i < count; i++) batch.xadd(stream, '*', 'e', String(i));
    await batch.exec();
  };
  await add(EVENTS);
  await store();
  // The file begins anew with what the group has read by now.
  await redis.bgrewriteaof();
  await eventually(async () =>
    expect(await redis.info('persistence')).toMatch(/aof_rewrite_in_progress:0[^]*aof_last_bgrewrite_status:ok/),
  );
  await eventually(async () => expect(await redis.info('persistence')).toContain('aof_rewrite_scheduled:0'));
  await add(EVENTS);
  await store();
  await server.restart();
  await answers();
  const books = createBooksServer({ redis, keys, scopeOf: () => 0, expiresAtMs: () => Date.now() + 3_600_000 });
  const readUnstored = createReadUnstored({ redis, keys });
  expect(await books.unstored(SHARD)).toEqual([]);
  expect(await readUnstored(SHARD)).toEqual({ oldest: undefined, entries: 0 });
  // Nor where entries are kept for sinks.
  await add(EVENTS);
  await consumer.fresh(stream, EVENTS).then((entries) => redis.xack(stream, EVENT_GROUP, ...entries.map(([id]) => id)));
  expect(await readUnstored(SHARD)).toEqual({ oldest: undefined, entries: 0 });
  await add(2);
  expect((await readUnstored(SHARD)).entries).toBe(2);
  expect(await books.unstored(SHARD)).toHaveLength(2);
});
