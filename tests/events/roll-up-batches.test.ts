import knexFactory, { type Knex } from 'knex';
import { readHolds } from '../../src/events/postgres/open-holds.ts';
import { createCountStore } from '../../src/events/postgres/count-store.ts';
import { readSums } from '../../src/events/postgres/counted-accounts.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { countedUntil, EVENT_BATCHES, rollUpAll } from '../../src/events/postgres/roll-up-batches.ts';
import { REQUEST_PARTS } from '../../src/events/postgres/request-parts.ts';
import { countDue } from '../../src/events/postgres/waiting-rows.ts';
import { createRollUp } from '../../src/events/roll-up.ts';
import { eventually } from '../../testkit/until.ts';
import { testDatabase } from '../setup/test-database.ts';
import { eventOf, NOON } from './events.ts';

const TODAY = Math.floor(NOON / 86_400_000);

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 8 } });
  await knex('publishers').insert({ id: 1, name: 'p', domain: 'p.example', api_key_hash: 'h' });
  await knex('campaigns').insert({ id: 2, publisher_id: 1, name: 'c', start_at: '2026-01-01', end_at: '2999-01-01' });
  await knex('line_items').insert({
    ...{ id: 3, campaign_id: 2, name: 'l', start_at: '2026-01-01', end_at: '2999-01-01', active: true, cpm_micros: 1 },
  });
});
beforeEach(() => knex.raw('truncate events, event_batches, daily_counts, report_days, open_holds, ledger_replicas'));
afterAll(() => knex.destroy());

const store = () => createEventStore({ knex });
const batches = async (): Promise<number> => (await knex('event_batches')).length;
/** Impressions of the daily counts, and of the report. */
const counted = async (): Promise<readonly number[]> => {
  const [daily] = await knex('daily_counts').sum({ n: 'impressions' });
  const [report] = await knex('report_days').sum({ n: 'impressions' });
  return [Number(daily?.['n']), Number(report?.['n'])];
};
const countedByAccounts = async (): Promise<readonly number[]> =>
  (await createCountStore({ knex }).accounts(TODAY, [2])).map(({ sums }) => readSums(sums).impressions);

test('rows are in no count until they are counted, accounts have them from the beginning, and a batch that is brought twice counts once', async () => {
  const events = [eventOf(), eventOf(), eventOf({}, { kind: 'click' })];
  expect(await store().append(events)).toBe(3);
  expect([await counted(), await countedByAccounts(), await batches()]).toEqual([[0, 0], [2, 2], 1]);
  expect(await store().append(events)).toBe(0);
  expect(await store().append([events[0]!, eventOf()])).toBe(1);
  expect([await countedByAccounts(), await batches()]).toEqual([[3, 3], 2]);
  await Promise.all([rollUpAll(knex), rollUpAll(knex)]);
  expect([await counted(), await countedByAccounts(), await batches()]).toEqual([[3, 3], [3, 3], 0]);
  await store().append(events);
  await rollUpAll(knex);
  expect(await counted()).toEqual([3, 3]);
});

test('a batch whose number is lower and whose transaction ends later is counted too', async () => {
  const late = await knex.transaction();
  await createEventStore({ knex: late }).append([eventOf()]);
  await store().append([eventOf()]);
  await rollUpAll(knex);
  expect(await counted()).toEqual([1, 1]);
  await late.commit();
  await rollUpAll(knex);
  expect([await counted(), await batches()]).toEqual([[2, 2], 0]);
});

test('a process that dies while it counts leaves everything to the next one, and nothing is counted twice', async () => {
  await store().append([eventOf(), eventOf()]);
  await knex.raw('alter table report_devices rename to elsewhere');
  await expect(rollUpAll(knex)).rejects.toThrow(/report_devices/);
  await knex.raw('alter table elsewhere rename to report_devices');
  expect([await counted(), await batches()]).toEqual([[0, 0], 1]);
  await rollUpAll(knex);
  expect([await counted(), await batches()]).toEqual([[2, 2], 0]);
});

test('a batch that Postgres refuses to count keeps no other from its counts, is known to accounts, and is counted once the cause is gone', async () => {
  await knex.raw('alter table report_days add constraint refused check (creative_id <> 66)');
  await store().append([eventOf()]);
  await store().append([eventOf({ creativeId: 66 })]);
  await store().append([eventOf()]);
  await expect(rollUpAll(knex)).rejects.toThrow(/refused/);
  await rollUpAll(knex);
  expect([await counted(), await countedByAccounts(), await batches()]).toEqual([[2, 2], [3, 3], 1]);
  expect(await createCountStore({ knex }).compareDaily(TODAY, { dryRun: true })).toBe(0);
  await knex.raw('alter table report_days drop constraint refused');
  await knex('event_batches').update({ retry_at: knex.raw(`now() - interval '1 second'`) });
  await rollUpAll(knex);
  expect([await counted(), await batches()]).toEqual([[3, 3], 0]);
});

test('a row settles its hold once, whether it is counted or not', async () => {
  const holdEndMs = Date.now() + 3_600_000;
  const hold = { hold_end: holdEndMs, line_item_id: 3, day: '2026-06-15', campaign_id: 2, publisher_id: 1 };
  await knex('open_holds').insert({ ...hold, granted: 5, granted_micros: 5_000 });
  await store().append([eventOf({ holdEndMs }), eventOf({ holdEndMs }), eventOf({ holdEndMs }, { kind: 'click' })]);
  expect(await readHolds(knex, new Map([[2, 0]]))).toMatchObject([{ count: 5 }]);
  await rollUpAll(knex);
  expect(await readHolds(knex, new Map([[2, 0]]))).toMatchObject([{ lineItemId: 3, holdEndMs, count: 3, micros: 3_000 }]);
});

test('while a replica of the release before runs, rows are counted as they are stored', async () => {
  const old = { replica: 'old', epochs: '{}', counts_later: false };
  await knex('ledger_replicas').insert({ ...old, seen_at: knex.fn.now() });
  await store().append([eventOf()]);
  expect([await counted(), await batches()]).toEqual([[1, 1], 0]);
  await knex('ledger_replicas').update({ seen_at: knex.raw(`now() - interval '1 minute'`) });
  await store().append([eventOf()]);
  expect([await counted(), await batches()]).toEqual([[1, 1], 1]);
});

test('rows of days that are dropped are counted before', async () => {
  await store().append([eventOf({}, {}, NOON)]);
  await store().prune(1, NOON + 10 * 86_400_000);
  expect([await counted(), await batches(), (await knex('events')).length]).toEqual([[1, 1], 0, 0]);
});

test('rows are gathered for the interval, and a replica that stops counts the rest', async () => {
  const failures: Error[] = [];
  await store().append([eventOf()]);
  const until = await countedUntil(knex);
  expect(Date.now() - until.getTime()).toBeLessThan(60_000);
  const dueMs = await countDue(knex, [EVENT_BATCHES, REQUEST_PARTS], 60_000, (fault) => failures.push(fault));
  expect([dueMs > 0, dueMs < 60_000, await counted()]).toEqual([true, true, [0, 0]]);
  const prompt = createRollUp({ knex, everyMs: 200, onFailure: (fault) => failures.push(fault) });
  prompt.start();
  await eventually(async () => expect(await counted()).toEqual([1, 1]));
  await prompt.stop();
  const slow = createRollUp({ knex, everyMs: 60_000, onFailure: (fault) => failures.push(fault) });
  slow.start();
  await store().append([eventOf()]);
  await slow.stop();
  expect([await counted(), failures]).toEqual([[2, 2], []]);
  expect((await countedUntil(knex)).getTime()).toBeGreaterThan(until.getTime());
  expect(await countDue(knex, [EVENT_BATCHES, REQUEST_PARTS], 60_000, (fault) => failures.push(fault))).toBe(60_000);
});
