import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import knexFactory from 'knex';
import { createSecretBox } from '../../src/base/secret-box.ts';
import { userHash, userKeyOf } from '../../src/context/user-hash.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createDeadEvents } from '../../src/events/postgres/dead-events.ts';
import { createCountedStore } from './counted-store.ts';
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

    await createCountedStore({ knex }).append([eventOf({}, {}, Date.UTC(2026, 5, 14, 12))]);
    await knex('daily_counts').increment('clicks', 3);
    const range = ['--from', '2026-06-14', '--to', '2026-06-15'];
    expect(await run('reconcile', ...range, '--dry-run')).toBe(
      '2026-06-14: 1 counts would be corrected\n2026-06-15: 1 counts would be corrected\n0 accounts would be corrected\n0 tallies would be corrected\n',
    );
    expect(await run('reconcile', ...range)).toContain('2026-06-15: 1 counts were corrected\n');
    expect(await knex('daily_counts').pluck('clicks')).toEqual(['0', '0']);
    await expect(run('reconcile', '--day', 'yesterday')).rejects.toThrow('--from must be a date such as 2026-11-20.');
  } finally {
    await knex.destroy();
  }
});

test('reseal encrypts the headers of bidders with the first key, and names those that no key decrypts', async () => {
  const databaseUrl = await testDatabase();
  const knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const [old, lost, fresh] = ['old', 'lost', 'new'].map((kid) => ({ kid, secret: `the ${kid} key that encrypts headers in the test` }));
  const seal = (key: typeof old): string => createSecretBox([key!]).seal('Bearer 9f3c', 'headers');
  const run = () =>
    promisify(execFile)(process.execPath, [path.resolve(__dirname, '../../dist/commands/reseal.js')], {
      env: {
        ...process.env,
        ...{ DATABASE_URL: databaseUrl, TOKEN_SECRET: 'the token secret of the test of commands' },
        SEAL_KEYS: [fresh, old].map((key) => `${key!.kid}:${key!.secret}`).join(),
      },
    });
  const headers = async (): Promise<readonly Record<string, string>[]> => knex('bidders').orderBy('id').pluck('headers');
  try {
    const bidder = { name: 'B', endpoint: 'https://bidder.example' };
    await knex('bidders').insert([{ ...bidder, headers: { Authorization: seal(old), 'X-Team': seal(fresh) } }, bidder]);
    expect((await run()).stdout).toBe('2 secrets were encrypted with the key new\n');
    const onlyNew = createSecretBox([fresh!]);
    const [resealed = {}] = await headers();
    expect(Object.values(resealed).map((sealed) => onlyNew.open(sealed, 'headers'))).toEqual(['Bearer 9f3c', 'Bearer 9f3c']);
    const unreadable = { Authorization: seal(lost) };
    await knex('bidders').where('id', 2).update('headers', unreadable);
    await expect(run()).rejects.toThrow('Enter them again:\n  bidders 2: Authorization');
    expect((await headers())[1]).toEqual(unreadable);
  } finally {
    await knex.destroy();
  }
});

test('forget erases a user from Redis, events of all days, waiting hits and dead events, under every key', async () => {
  const databaseUrl = await testDatabase();
  const redisUrl = await testRedisUrl();
  const knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const redis = new Redis(redisUrl);
  const USER_KEYS = 'new:the new key of pseudonyms,old:the old key of pseudonyms';
  try {
    await knex('publishers').insert([1, 2].map((id) => ({ id, name: 'P', domain: 'p.example', api_key_hash: String(id) })));
    const { user_hash_key: stored } = await knex('instance').first<{ user_hash_key: Buffer }>('user_hash_key');
    const userKeys = [userKeyOf('the new key of pseudonyms'), userKeyOf('the old key of pseudonyms'), stored.toString('hex')];
    const hashesOf = (user: string) =>
      [1, 2].flatMap((publisherId) => userKeys.map((key) => ({ publisherId, hash: userHash(key, publisherId, user) })));
    const ann = hashesOf('ann');
    const bob = hashesOf('bob');
    const keys = createLedgerKeys(16);
    const store = createCountedStore({ knex });
    for (const [i, { publisherId, hash }] of [...ann, ...bob].entries()) {
      await redis.set(keys.places(publisherId, hash), 'places');
      const ad = { publisherId, userHash: hash, tokenId: `token ${i}` };
      // Each on another day.
      const signals = { network: null, agent: null, origin: null, elsewhere: false };
      await store.append([eventOf(ad, { invalidReason: 'spider', signals }, Date.UTC(2026, 5, 1 + i, 12))]);
      // The last four characters of a seal are of the user.
      const { hit } = eventOf({ ...ad, seal: `04net....${'.'}${hash.slice(0, 4)}` });
      await knex('pending_hits').insert({ jti: ad.tokenId, kind: 'click', shard: 0, payload: JSON.stringify(hit) });
      await createDeadEvents({ knex }).add({
        ...{ source: 'events', shard: 1, entryId: `${i}-0`, fields: fieldsOf(eventOf(ad)), sqlState: '22003', reason: 'too large' },
      });
    }
    const file = path.resolve(__dirname, '../../dist/commands/forget.js');
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      TOKEN_SECRET: 'the token secret of the test of commands',
    };
    const forget = async (...args: string[]) =>
      (await promisify(execFile)(process.execPath, [file, ...args], { env: { ...env, USER_KEYS, TOKEN_TTL: '1s' } })).stdout;

    const said = await forget('--user', 'ann');
    expect(said).toContain('erased: 6 users in Redis; the user in 6 events, 6 pending hits, 6 dead events, 0 sampled requests\n');
    expect(said).toContain('repeat the command then');
    const places = await redis.keys('ads:*:places:*');
    const tables = await Promise.all(
      [
        'select user_hash as text from events',
        'select hit::text as text from event_signals',
        'select payload::text as text from pending_hits',
        'select payload as text from dead_events',
      ].map(async (sql) => (await knex.raw<{ rows: { text: string }[] }>(sql)).rows.map(({ text }) => text).join()),
    );
    const seals = await knex('pending_hits')
      .orderByRaw('substr(jti, 7)::int')
      .select<{ seal: string }[]>(knex.raw(`payload #>> '{ad,seal}' as seal`));
    expect(seals.map(({ seal }) => seal.slice(10))).toEqual([...ann.map(() => ''), ...bob.map(({ hash }) => hash.slice(0, 4))]);
    const everything = [...places, ...tables].join();
    expect(ann.filter(({ hash }) => everything.includes(hash))).toEqual([]);
    expect(bob.filter(({ hash }) => [places.join(), ...tables].every((text) => text.includes(hash)))).toEqual(bob);
    expect(await knex('events').count()).toEqual([{ count: '12' }]);

    expect(await forget('--user', 'ann')).toContain(
      'erased: 0 users in Redis; the user in 0 events, 0 pending hits, 0 dead events, 0 sampled requests\n',
    );
    await expect(forget()).rejects.toThrow('--user must be');
  } finally {
    redis.disconnect();
    await knex.destroy();
  }
});
