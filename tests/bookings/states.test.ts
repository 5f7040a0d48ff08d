import { browse } from '../../testkit/person.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, askForAd, book, each, serveAd, type ApiCall } from '../api/api-client.ts';

let replica: Replica;
let api: ApiCall;

beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

describe('what is archived or paused', () => {
  const KINDS = ['publishers', 'placements', 'advertisers', 'campaigns', 'line_items', 'creatives'] as const;

  test.each(KINDS)('an archived record of %s is neither served nor listed, and both again when it is restored', async (kind) => {
    const booked = await book(api, `archived-${kind}`);
    const advertiser = (await api('POST', '/advertisers', { name: `A ${kind}` })).body.id as number;
    await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
    const ids = { publishers: booked.publisher.id, placements: booked.placement, advertisers: advertiser, campaigns: booked.campaign };
    const id = { ...ids, line_items: booked.lineItem, creatives: booked.creative }[kind];
    const listed = async (table: string, query = '') => each((await api('GET', `/${table}?${query}`)).body, 'id');
    expect(await serveAd(replica.url, booked)).toBeDefined();

    expect((await api('PATCH', `/${kind}/${id}`, { archived: true })).body.archived).toBe(true);
    expect((await askForAd(replica.url, booked)).body).toMatchObject({ seatbid: [], nbr: kind === 'placements' ? 500 : 502 });
    expect(await listed(kind)).not.toContain(id);
    expect(await listed(kind, 'archived=true')).toContain(id);
    expect(await listed(kind, 'archived=only')).toContain(id);
    expect((await api('GET', `/${kind}/${id}`)).status).toBe(200);
    // What belongs to it goes with it; a creative does not belong to its placement.
    const goesAlong = !['placements', 'creatives'].includes(kind);
    expect((await listed('creatives')).includes(booked.creative)).toBe(!goesAlong && kind !== 'creatives');
    expect((await listed('creatives', 'archived=only')).includes(booked.creative)).toBe(goesAlong || kind === 'creatives');

    await api('PATCH', `/${kind}/${id}`, { archived: false });
    expect(await serveAd(replica.url, booked)).toBeDefined();
    expect(await listed(kind)).toContain(id);
  });

  test('an ad that was served before its campaign was archived still counts, and its click still leads to the advertiser', async () => {
    const booked = await book(api, 'late hits');
    await api('PATCH', `/creatives/${booked.creative}`, { click_url: 'https://boots.example/' });
    const bid = await serveAd(replica.url, booked);
    await api('PATCH', `/campaigns/${booked.campaign}`, { archived: true });
    expect((await browse(`${replica.url}${bid.impurl}`)).status).toBe(200);
    const click = await browse(`${replica.url}${bid.clkurl}`);
    expect([click.status, click.headers.get('location')]).toEqual([302, 'https://boots.example/']);
  });

  test('a paused campaign serves none of its line items, and the status and the trace say why', async () => {
    const booked = await book(api, 'paused campaign');
    await api('PATCH', `/campaigns/${booked.campaign}`, { active: false });
    expect((await askForAd(replica.url, booked)).body).toMatchObject({ seatbid: [], nbr: 502 });
    const { body } = await api('GET', `/line_items/${booked.lineItem}/delivery`);
    expect(body.status).toMatchObject({ value: 'paused', reasons: ['the campaign is paused'] });
    const request = { id: 'r', imp: [{ id: '1', tagid: booked.placement }], user: { id: 'u' }, ext: { publisher_id: booked.publisher.id } };
    const explained = await api('POST', '/explain', { request, line_item_id: booked.lineItem });
    expect(explained.body.summary).toBe('stopped at flight: the campaign is paused');
    await api('PATCH', `/campaigns/${booked.campaign}`, { active: true });
    expect(await serveAd(replica.url, booked)).toBeDefined();
  });

  test('a value of archived that is not known is refused', async () => {
    const { status, body } = await api('GET', '/campaigns?archived=maybe');
    expect([status, body.detail]).toEqual([400, 'archived must be one of false, true, only.']);
    expect((await api('POST', '/campaigns', { archived: 'yes' })).body.errors).toContainEqual({
      pointer: '/archived',
      detail: 'must be true or false',
    });
  });
});

test('the line items of an archived bidder are archived with it', async () => {
  const booked = await book(api, 'archived-bidder');
  const bidder = (await api('POST', '/bidders', { name: 'Exchange', endpoint: 'https://exchange.example/bid' })).body.id as number;
  const lineItem = { campaign_id: booked.campaign, name: 'Open market', active: true, start_date: '2026-01-01', end_date: '2999-12-31' };
  const { id } = (await api('POST', '/line_items', { ...lineItem, type: 'programmatic', bidder_id: bidder })).body as { id: number };
  const ofBidder = async (query = '') => each((await api('GET', `/line_items?bidder_id=${bidder}&${query}`)).body, 'id');
  const status = async () => (await api('GET', `/line_items/${id}/delivery`)).body.status as unknown;

  expect((await api('PATCH', `/bidders/${bidder}`, { archived: true })).body.archived).toBe(true);
  expect(await status()).toMatchObject({ value: 'archived', reasons: ['the bidder is archived', 'it has no creative'] });
  expect([await ofBidder(), await ofBidder('archived=only')]).toEqual([[], [id]]);
  expect(each((await api('GET', '/bidders')).body, 'id')).not.toContain(bidder);

  await api('PATCH', `/bidders/${bidder}`, { archived: false });
  expect(await status()).not.toMatchObject({ value: 'archived' });
  expect(await ofBidder()).toEqual([id]);
});

describe('a bulk change', () => {
  test('carries out writes of every kind in order, and answers each', async () => {
    const booked = await book(api, 'bulk');
    const { status, body } = await api('POST', '/bulk', {
      operations: [
        { method: 'PATCH', path: `/line_items/${booked.lineItem}`, body: { active: false } },
        { method: 'POST', path: '/advertisers', body: { name: 'Bulk buyer' } },
        { method: 'POST', path: `/api/creatives/${booked.creative}/block` },
        { method: 'DELETE', path: `/creatives/${booked.creative}` },
        { method: 'PATCH', path: '/placements/bulk', body: { width: 320 } },
      ],
    });
    expect([status, each(body.results, 'status')]).toEqual([200, [200, 201, 200, 204, 200]]);
    expect(body.results[0].body).toMatchObject({ id: booked.lineItem, active: false });
    expect((await api('GET', '/placements/bulk')).body.width).toBe(320);
    expect((await api('GET', `/creatives/${booked.creative}`)).status).toBe(404);
    expect((await api('GET', `/audit?entity=creative&entity_id=${booked.creative}`)).body).toHaveLength(3);
  });

  test('changes nothing when one operation is refused, and names every fault', async () => {
    const booked = await book(api, 'all or none');
    const before = (await api('GET', `/line_items/${booked.lineItem}`)).body;
    const { status, body } = await api('POST', '/bulk', {
      operations: [
        { method: 'PATCH', path: `/line_items/${booked.lineItem}`, body: { cpm: 9 } },
        { method: 'PATCH', path: `/line_items/${booked.lineItem}`, body: { cpm: -1, priority: 7 } },
        { method: 'PATCH', path: '/campaigns/999999', body: { active: false } },
        { method: 'POST', path: '/nothing/1', body: {} },
        { method: 'DELETE', path: `/campaigns/${booked.campaign}`, if_match: '"old"' },
      ],
    });
    expect([status, body.code, each(body.results, 'status')]).toEqual([400, 'bulk_refused', [424, 400, 404, 404, 412]]);
    expect(body.detail).toBe('4 of 5 operations were refused; nothing was changed.');
    expect(each(body.errors, 'pointer')).toEqual([
      '/operations/1/body/cpm',
      '/operations/1/body/priority',
      '/operations/2/path',
      '/operations/3/path',
      '/operations/4/if_match',
    ]);
    expect((await api('GET', `/line_items/${booked.lineItem}`)).body).toEqual(before);
  });

  test('of a thousand operations is one change of the catalog; of more it is refused', async () => {
    const booked = await book(api, 'thousand');
    const operation = (i: number) => ({ method: 'PATCH', path: `/line_items/${booked.lineItem}`, body: { name: `name ${i}` } });
    const operations = Array.from({ length: 1_000 }, (_, i) => operation(i));
    const { status, body } = await api('POST', '/bulk', { operations });
    expect([status, body.results.length]).toEqual([200, 1_000]);
    expect((await api('GET', `/line_items/${booked.lineItem}`)).body.name).toBe('name 999');
    const larger = await api('POST', '/bulk', { operations: [...operations, operation(1_000)] });
    expect([larger.status, each(larger.body.errors, 'pointer')]).toEqual([400, ['/operations']]);
    for (const malformed of [{}, { operations: [] }, { operations: [{ method: 'GET', path: '/campaigns' }] }, { operations: 1, more: 1 }])
      expect((await api('POST', '/bulk', malformed)).status).toBe(400);
  });
});
