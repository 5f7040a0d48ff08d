import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { withClient } from '../../testkit/databases.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, each, serveAd, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

const serve = (booked: Booked): Promise<Json> => serveAd(replica.url, booked);

describe('explain', () => {
  const explain = async ({ publisher, placement, lineItem }: Booked, changes: object = {}, id = lineItem): Promise<Json> => {
    const request = { id: 'r', imp: [{ id: '1', tagid: placement }], user: { id: 'u1' }, ext: { publisher_id: publisher.id }, ...changes };
    return (await api('POST', '/explain', { request, line_item_id: id })).body;
  };

  test.each([
    ['targeting', { targeting: { countries: ['JP'] } }, 503, /country is .* wanted JP/],
    ['targeting', { targeting: { dimensions: { section: ['sport'] } } }, 503, /section is unknown, wanted sport/],
    ['flight', { active: false }, 502, /not active|paused/],
    ['flight', { start_date: '2999-01-01' }, 502, /not started/],
    ['limits', { daily_impression_cap: 0 }, 505, /impressions today: 0 counted and 0 reserved of 0/],
    ['limits', { budget: 0.001 }, 504, /budget: 0 counted and 0 reserved of 0.001 USD/],
  ])('stopped at %s by %j', async (stage, changes, nbr, detail) => {
    const booked = await book(api, `why ${JSON.stringify(changes)}`, changes);
    const { outcome, summary, creatives } = await explain(booked);
    expect([outcome, creatives[0].stage, creatives[0].nbr]).toEqual(['stopped', stage, nbr]);
    expect(summary).toMatch(detail);
    expect((await askForAd(replica.url, booked)).body.nbr).toBe(nbr);
  });

  test('a frequency cap that is reached, with the places that the user holds', async () => {
    const booked = await book(api, 'why frequency', { frequency_cap: 1 });
    expect(await explain(booked)).toMatchObject({ outcome: 'wins', creatives: [{ limits: { frequency: { places_held: 0, places: 1 } } }] });
    await serve(booked);
    expect(await explain(booked)).toMatchObject({ outcome: 'stopped', creatives: [{ nbr: 9, limits: { frequency: { places_held: 1 } } }] });
    expect(await explain(booked, { user: { id: 'another user' } })).toMatchObject({ outcome: 'wins' });
  });

  test('its rank, the line items ahead of it, and ties', async () => {
    const booked = await book(api, 'why rank', { cpm: 2 });
    const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
    const rival = async (fields: object): Promise<number> => {
      const item = { campaign_id: booked.campaign, name: 'rival', active: true, ...flight, ...fields };
      const { id } = (await api('POST', '/line_items', item)).body;
      await api('POST', '/creatives', { placement_id: booked.placement, line_item_id: id, format: 'html', content: 'x' });
      return id;
    };
    const tied = await rival({ cpm: 2 });
    expect(await explain(booked)).toMatchObject({ outcome: 'tied', creatives: [{ rank: 1, of: 2 }] });
    const richer = await rival({ cpm: 3 });
    await rival({ cpm: 9, daily_impression_cap: 0 });
    const { outcome, summary, creatives } = await explain(booked);
    expect(outcome).toBe('outranked');
    expect(creatives[0]).toMatchObject({ rank: 2, of: 3, ecpm: 2, behind: [{ line_item_id: richer, priority: 2, ecpm: 3 }] });
    expect(summary).toBe(
      `it would be offered at rank 2 of 3, with priority 2 and an eCPM of 2 USD, behind line item ${richer} (priority 2, 3 USD)`,
    );
    expect(await explain(booked, {}, richer)).toMatchObject({ outcome: 'wins' });
    expect(await explain(booked, {}, tied)).toMatchObject({ outcome: 'outranked' });
  });

  test('a programmatic line item depends on its bid, and its bidder is not called', async () => {
    const booked = await book(api, 'why bid', { type: 'programmatic', endpoint: 'http://127.0.0.1:9/' });
    expect(await explain(booked)).toMatchObject({ outcome: 'depends_on_bid', creatives: [{ stage: 'bidders' }] });
  });

  test('a creative elsewhere, a foreign publisher, a line item without creatives', async () => {
    const [one, two] = [await book(api, 'why one'), await book(api, 'why two')];
    expect((await explain({ ...one, placement: 'why two' })).summary).toMatch(/is on placement why one/);
    expect((await explain(one, {}, two.lineItem)).summary).toMatch(/belongs to publisher/);
    await api('DELETE', `/creatives/${one.creative}`);
    expect((await explain(one)).summary).toMatch(/no creative/);
  });

  test('reserves nothing and counts nothing', async () => {
    const booked = await book(api, 'why free', { daily_impression_cap: 1, frequency_cap: 1, rate_limit: 1, pacing: 'PID' });
    for (let i = 0; i < 5; i++) expect((await explain(booked)).outcome).toBe('wins');
    expect((await api('GET', `/line_items/${booked.lineItem}/delivery`)).body.today).toMatchObject({ serves: 0, committed: 0 });
    const stored = await withClient(databaseUrl, (client) =>
      client.query('select count(*)::int as count from daily_counts where line_item_id = $1', [booked.lineItem]),
    );
    expect(stored.rows[0].count).toBe(0);
    expect(await serve(booked)).toBeDefined();
  });

  test('every fault of a question is listed', async () => {
    const bad = await api('POST', '/explain', { request: { id: 'r', imp: [], user: {}, ext: {} }, line_item_id: 'x' });
    expect(each(bad.body.errors, 'pointer')).toEqual(['/line_item_id', '/request/imp', '/request/user/id', '/request/ext/publisher_id']);
    const request = { id: 'r', imp: [{ id: '1', tagid: 't' }], user: { id: 'u' }, ext: { publisher_id: 999_999, kv: { age: 'old' } } };
    expect((await api('POST', '/explain', { request, line_item_id: 1 })).body.errors).toHaveLength(2);
    const { publisher } = await book(api, 'why unknown');
    const known = { ...request, ext: { publisher_id: publisher.id } };
    expect((await api('POST', '/explain', { request: known, line_item_id: 999_999 })).status).toBe(404);
  });
});
