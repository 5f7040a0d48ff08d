import { setTimeout as sleep } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import { CREATIVE_FORMATS } from '../../src/catalog/model/choices.ts';
import { NOT_MADE } from '../../src/forecast/forecast-answer.ts';
import { book } from '../../testkit/book.ts';
import { processCpuMicros } from '../../testkit/process-cpu.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, type ApiCall, type Json } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { countSampled } from './live.ts';

/** Requests of the sample: a replay of them takes half a minute of a core. */
const REQUESTS = 90_000;

const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
const FLIGHT = { start_date: day(1), end_date: day(20) };

let knex: Knex;
let replica: Replica;
let api: ApiCall;
let lineItems: readonly number[];
let campaign: number;
beforeAll(async () => {
  const databaseUrl = await testDatabase();
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const { publisherId, placementId, campaignId, lineItemIds } = await book(knex, {
    lineItems: [{ priority: 1 }, { priority: 2 }, { priority: 3 }],
  });
  [campaign, lineItems] = [campaignId, lineItemIds];
  await sample(publisherId, placementId, REQUESTS);
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
  for (const format of CREATIVE_FORMATS) {
    const { status } = await api('POST', '/placements', {
      id: format,
      publisher_id: publisherId,
      width: 640,
      height: 360,
      formats: [format],
    });
    expect(status).toBe(201);
  }
});
afterAll(() => knex.destroy());

/** Of twelve days: one request in a hundred is for each of the placements that are named after their format. */
const sample = async (publisherId: number, placementId: string, requests: number): Promise<void> => {
  await knex.raw(
    `insert into traffic_sample (publisher_id, at, weight, visitor, page_view, remembered, placements, sizes, pairs)
     select ?, now() - n * interval '12 days' / ?::int, 1, 'v' || n % 9973, 0, true,
            array[case when n % 100 >= ? then ? else (?::text[])[n % 100 + 1] end], array[''], array['countries7:country=FI']
     from generate_series(1, ?::int) n`,
    [publisherId, requests, CREATIVE_FORMATS.length, placementId, [...CREATIVE_FORMATS], requests],
  );
  await countSampled(knex, publisherId);
  // The replica would replay all bookings as it does each night.
  await knex.raw(`insert into forecast_nights (publisher_id, day) values (?, 'infinity')`, [publisherId]);
};

const ask = async (lineItem: number): Promise<Json> => (await api('POST', '/forecasts', { line_item_id: lineItem })).body;
const read = async (id: string): Promise<Json> => (await api('GET', `/forecasts/${id}`)).body;
const sampled = (id: string): Promise<void> =>
  eventually(async () => expect(await read(id)).toMatchObject({ state: 'running', basis: 'sample', reason: null }));
/** Waits until the replica uses less than a third of a core. */
const rests = (): Promise<void> =>
  eventually(async () => {
    const before = processCpuMicros(replica.pid());
    await sleep(1_000);
    expect(processCpuMicros(replica.pid()) - before).toBeLessThan(330_000);
  });

test('a draft is forecast on placements of each format, players of video and sound among them', async () => {
  for (const format of CREATIVE_FORMATS) {
    const lineItem = { campaign_id: campaign, name: 'Boots', ...FLIGHT, cpm: 4.5, pacing: 'Even', goal_impressions: 1_000 };
    const { status, body } = await api('POST', '/forecasts', { line_item: lineItem, placements: [format] });
    expect([format, status, body.errors]).toEqual([format, 200, undefined]);
    await sampled(body.id);
    expect((await read(body.id)).available).toBeGreaterThan(1_000);
    await api('DELETE', `/forecasts/${body.id}`);
  }
  expect(await knex('line_items').where({ campaign_id: campaign }).pluck('id')).toHaveLength(3);
});

test('a forecast that waits for the replay of another one has its quick answer and stays alive; cancelled, both leave no answer and no load', async () => {
  const first = await ask(lineItems[0]!);
  await sampled(first.id);
  const second = await ask(lineItems[1]!);
  await sampled(second.id);
  const toldAt = async (): Promise<number> =>
    (await knex('forecasts').where({ id: second.id }).first<{ told_at: Date }>('told_at')).told_at.getTime();
  const before = await toldAt();
  await eventually(async () => expect(await toldAt()).toBeGreaterThan(before));
  expect(await read(second.id)).toMatchObject({ state: 'running', progress: 0 });
  for (const { id } of [first, second]) expect((await api('DELETE', `/forecasts/${id}`)).status).toBe(204);
  for (const { id } of [first, second])
    expect(await read(id)).toMatchObject({ state: 'cancelled', basis: null, available: null, delivery: null, remedies: [] });
  await rests();
  expect(await knex('forecast_bases')).toEqual([]);
});

test('a forecast whose connection breaks has failed without an answer, and the next one is made', async () => {
  await knex.transaction(async (trx) => {
    // The thread waits here in each forecast, also in one that is cancelled and that it has not left yet.
    await trx.raw('lock table traffic_events in access exclusive mode');
    const { id } = await ask(lineItems[0]!);
    await eventually(async () => {
      await knex.raw(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'ad-server forecast' and datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(await read(id)).toMatchObject({ state: 'failed', reason: NOT_MADE, delivery: null });
    });
  });
  await replica.logged(/A forecast could not be made/);
  const next = await ask(lineItems[0]!);
  await sampled(next.id);
  await api('DELETE', `/forecasts/${next.id}`);
  await rests();
});

test('a replica that is killed while it replays leaves no half answer, and the next one that starts has no load of it', async () => {
  const { id } = await ask(lineItems[2]!);
  await sampled(id);
  await replica.kill('SIGKILL');
  await replica.start();
  await rests();
  // So long after its last word.
  await knex.raw(`update forecasts set told_at = told_at - interval '6 minutes' where id = ?`, [id]);
  expect(await read(id)).toMatchObject({ state: 'failed', reason: 'the replica that forecast it has ended', basis: null, delivery: null });
  expect(await knex('forecast_bases')).toEqual([]);
});

test('what a person asks is answered before all bookings of another publisher are replayed', async () => {
  const [first, second] = [await book(knex), await book(knex)];
  for (const { publisherId, placementId } of [first, second]) await sample(publisherId, placementId, 6_000);
  for (const { publisherId } of [first, second])
    await eventually(async () => expect((await api('GET', `/availability?publisher=${publisherId}`)).status).toBe(200));
  const { id } = await ask(first.lineItemIds[0]!);
  await eventually(async () => expect(await read(id)).toMatchObject({ state: 'done', basis: 'replay' }), 180_000);
  const madeAt = async (): Promise<number> =>
    (await knex('forecast_bases').where({ publisher_id: second.publisherId }).first<{ made_at: Date }>('made_at')).made_at.getTime();
  await eventually(async () => expect(await madeAt()).toBeGreaterThan(0), 180_000);
  const { told_at: toldAt } = await knex('forecasts').where({ id }).first<{ told_at: Date }>('told_at');
  expect(await madeAt()).toBeGreaterThan(toldAt.getTime());
});
