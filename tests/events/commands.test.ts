import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import knexFactory from 'knex';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventOf, fieldsOf } from './events.ts';

test('the commands of operators store dead events again, and compare a range of days', async () => {
  const databaseUrl = await testDatabase();
  const redisUrl = await testRedisUrl();
  const knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const run = async (command: string, ...args: string[]): Promise<string> => {
    const file = path.resolve(__dirname, '../../dist/commands', `${command}.js`);
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      TOKEN_SECRET: 'the token secret of the test of commands',
    };
    return (await promisify(execFile)(process.execPath, [file, ...args], { env })).stdout;
  };
  try {
    await createDeadEvents({ knex }).add({
      ...{ source: 'events', shard: 1, entryId: '1-0', fields: fieldsOf(eventOf()) },
      sqlState: '22003',
      reason: 'too large',
    });
    expect(await run('replay-dead-events', '--dry-run')).toBe('  1: events 1-0 of shard 1: too large\n1 dead events\n');
    expect(await run('replay-dead-events')).toBe('1 dead events were stored, 0 were refused again\n');

    await createEventStore({ knex }).append([eventOf({}, {}, Date.UTC(2026, 5, 14, 12))]);
    await knex('daily_counts').increment('clicks', 3);
    const range = ['--from', '2026-06-14', '--to', '2026-06-15'];
    expect(await run('reconcile', ...range, '--dry-run')).toBe(
      '2026-06-14: 1 counts would be corrected\n2026-06-15: 1 counts would be corrected\n0 accounts would be corrected\n',
    );
    expect(await run('reconcile', ...range)).toContain('2026-06-15: 1 counts were corrected\n');
    expect(await knex('daily_counts').pluck('clicks')).toEqual(['0', '0']);
    await expect(run('reconcile', '--day', 'yesterday')).rejects.toThrow('--from must be a date such as 2026-11-20.');
  } finally {
    await knex.destroy();
  }
});
