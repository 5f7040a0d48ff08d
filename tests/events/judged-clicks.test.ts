import knexFactory, { type Knex } from 'knex';
import { createCompareTallies } from '../../src/events/compare-tallies.ts';
import { createCountStore } from '../../src/events/postgres/count-store.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import type { StoredEvent } from '../../src/events/postgres/stored-event.ts';
import { createRecoverProvisional } from '../../src/tracking/recover-provisional.ts';
import { createPendingHits } from '../../src/tracking/pending-hits.ts';
import { PROVISIONAL, type HitState } from '../../src/ledger/hit.ts';
import { createLedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createTallyBooks } from '../../src/ledger/read/tally-books.ts';
import { hitText } from '../../src/ledger/hit-text.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { patientRedis } from '../../testkit/patient-redis.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { eventOf, NOON } from './events.ts';

const DAY = Math.floor(NOON / 86_400_000);
const HOUR_MS = 3_600_000;
const PERSON = { network: '192.0.2.0/24', agent: 'Mozilla/ Firefox/', origin: null, elsewhere: false };

let knex: Knex;
let redis: RedisClient;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
  redis = await patientRedis(await testRedisUrl());
  await knex('publishers').insert({ name: 'p', domain: 'p.example', api_key_hash: 'h' });
  await knex('campaigns').insert({ publisher_id: 1, name: 'c', start_at: '2026-01-01', end_at: '2999-01-01' });
  await knex('line_items').insert({ campaign_id: 1, name: 'l', start_at: '2026-01-01', end_at: '2999-01-01', active: true, cpm_micros: 1 });
});
const TABLES = [
  'events',
  'event_batches',
  'event_signals',
  'daily_counts',
  'filtered_counts',
  'hourly_counts',
  'pending_hits',
  'report_days',
];
beforeEach(() => knex.raw(`truncate ${TABLES.join(', ')}`));
afterAll(async () => {
  redis.disconnect();
  await knex.destroy();
});

const click = (reason: HitState, billedMicros: number, more: Partial<StoredEvent> = {}, tokenId = 'a'): StoredEvent => {
  const event = eventOf({ tokenId, publisherId: 1, campaignId: 1, lineItemId: 1, billsOn: 'click' }, { kind: 'click', signals: PERSON });
  return { ...event, reason, billedMicros, ...more };
};
const provisional = click(PROVISIONAL, 0);
const billed = click('', 700, { isJudged: true });
const filtered = click('activity', 0, { isJudged: true });
const append = (...events: readonly StoredEvent[]): Promise<number> => createEventStore({ knex }).append(events);

/** Of rows, daily counts, filtered counts and the roll-up: clicks and money by state; 0 is left out. */
const books = async (): Promise<unknown> => {
  await rollUpAll(knex);
  const rows = await knex('events').select('invalid_reason', 'billed_micros');
  const [daily] = await knex('daily_counts').sum({ clicks: 'clicks', repeats: 'repeat_clicks', micros: 'spend_micros' });
  const others = await knex('filtered_counts').where('count', '<>', 0).orderBy('reason').select('reason', 'count');
  const report = await knex('report_days').where('clicks', '<>', 0).orderBy('reason').select('reason', 'clicks', 'spend_micros');
  return {
    rows: rows.map((row) => `${row.invalid_reason}:${row.billed_micros}`).sort(),
    daily: [Number(daily?.['clicks']), Number(daily?.['repeats']), Number(daily?.['micros'])],
    filtered: others.map(({ reason, count }) => `${reason} ${count}`),
    report: report.map(({ reason, clicks, spend_micros }) => `${reason}:${clicks}:${spend_micros}`),
  };
};
const COUNTED = { rows: [':700'], daily: [1, 0, 700], filtered: [], report: [':1:700'] };
const FILTERED = { rows: ['activity:0'], daily: [0, 0, 0], filtered: ['activity 1'], report: ['activity:1:0'] };

test('a click under judgement is neither counted nor billed, in rows, counts and reports', async () => {
  await append(provisional);
  const state = { rows: ['provisional:0'], daily: [0, 0, 0], filtered: ['provisional 1'], report: ['provisional:1:0'] };
  expect(await books()).toEqual(state);
  // Brought again, it changes nothing.
  await append(provisional);
  expect(await books()).toEqual(state);
});

test.each<[string, readonly (readonly StoredEvent[])[], object]>([
  ['billed, later', [[provisional], [billed]], COUNTED],
  ['filtered, later', [[provisional], [filtered]], FILTERED],
  ['billed, in the same batch', [[provisional, billed]], COUNTED],
  ['billed, and both are brought again', [[provisional], [billed], [provisional, billed]], COUNTED],
  ['filtered, and both are brought again', [[provisional, filtered], [filtered], [provisional]], FILTERED],
  ['billed before its provisional row is written', [[billed], [provisional]], COUNTED],
  ['billed at once, when Redis had lost it under judgement', [[provisional], [click('', 700)]], COUNTED],
  ['filtered at once, when Redis had lost it under judgement', [[provisional], [click('activity', 0)]], FILTERED],
])('a click that is %s is in every count once, whenever its rows are counted', async (_, batches, expected) => {
  for (const countsBetween of [false, true]) {
    await knex.raw(`truncate ${TABLES.join(', ')}`);
    for (const batch of batches) {
      await append(...batch);
      if (countsBetween) await rollUpAll(knex);
    }
    expect(await books()).toEqual(expected);
  }
  expect(await books()).toEqual(expected);
  expect(await createCountStore({ knex }).compareDaily(DAY, { dryRun: true })).toBe(0);
});

test('two replicas that bring the same judgement at a time move its row once', async () => {
  await append(provisional, click(PROVISIONAL, 0, { isRepeat: true }, 'b'));
  const later = click('', 300, { isJudged: true, isRepeat: true }, 'b');
  await Promise.all(Array.from({ length: 6 }, () => append(billed, later)));
  expect(await books()).toEqual({ rows: [':300', ':700'], daily: [2, 1, 1_000], filtered: [], report: [':2:1000'] });
});

test('the comparison of the tallies knows a judgement on its way, and finds no difference', async () => {
  const keys = createLedgerKeys(4);
  await redis.flushdb();
  await append(provisional);
  const entry = ['e', hitText(filtered.hit), 'at', String(NOON), 'billed', '0', 'reason', 'activity', 'judged', '1'];
  await redis.xadd(keys.events(1), '*', ...entry);
  await redis.hset(keys.filtered(1), `${DAY}:1:click:provisional`, 0, `${DAY}:1:click:activity`, 1);
  const compare = createCompareTallies({ knex, books: createTallyBooks({ redis, keys }) });
  expect(await compare(DAY, { dryRun: true, rest: () => Promise.resolve() })).toBe(0);
  await redis.hincrby(keys.filtered(1), `${DAY}:1:click:provisional`, 1);
  expect(await compare(DAY, { dryRun: true, rest: () => Promise.resolve() })).toBe(1);
});

test('a click under judgement that the ledger has lost is settled again; one whose sender may not be kept is filtered', async () => {
  await append(provisional, click(PROVISIONAL, 0, {}, 'known'));
  const unmeasured = click(PROVISIONAL, 0, {}, 'unmeasured');
  await append({ ...unmeasured, hit: { ...unmeasured.hit, signals: undefined } });
  const recover = (nowMs: number) =>
    createRecoverProvisional({
      ...{ knex, pending: createPendingHits({ knex }), keys: { shardOf: () => 1 }, now: () => nowMs },
      underJudgement: (_, tokens) => Promise.resolve(new Set(tokens.filter((token) => token === 'known'))),
    })();
  const [day, sinkDay] = [new Date(NOON).toISOString().slice(0, 10), { sink: 'clickhouse', claimed_at: '-infinity' }];
  await knex('sink_days').insert({ ...sinkDay, day, compared_at: new Date() });
  const isCompared = async () => (await knex('sink_days').where({ day }).first('compared_at'))?.['compared_at'] !== null;
  expect([await recover(NOON + HOUR_MS / 2), await isCompared()]).toEqual([0, true]);
  // A row was changed without an event that says so.
  expect([await recover(NOON + 2 * HOUR_MS), await isCompared()]).toEqual([2, false]);
  expect(await knex('pending_hits').pluck('jti')).toEqual(['a']);
  expect(await knex('events').orderBy('jti').select('jti', 'invalid_reason')).toEqual([
    { jti: 'a', invalid_reason: 'provisional' },
    { jti: 'known', invalid_reason: 'provisional' },
    { jti: 'unmeasured', invalid_reason: 'activity' },
  ]);
  // Found again before it was folded, it waits once.
  expect(await recover(NOON + 2 * HOUR_MS)).toBe(1);
  expect(await knex('pending_hits').pluck('jti')).toEqual(['a']);
});
