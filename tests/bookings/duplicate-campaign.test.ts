import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, askForAd, book, each, type ApiCall } from '../api/api-client.ts';

let url: string;
let api: ApiCall;

beforeAll(async () => {
  ({ url } = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } }));
  api = apiOf(url);
});

test('a campaign is copied with its line items and creatives, paused, with its dates, and each copy is in the audit trail', async () => {
  const booked = await book(api, 'copied');
  const archived = await api('POST', '/line_items', {
    campaign_id: booked.campaign,
    active: true,
    start_date: '2026-01-01',
    end_date: '2026-01-02',
    cpm: 1,
  });
  await api('PATCH', `/line_items/${archived.body.id}`, { archived: true });
  const second = { line_item_id: booked.lineItem, placement_id: booked.placement, format: 'html', content: '<b>second</b>' };
  await api('POST', `/creatives/${(await api('POST', '/creatives', second)).body.id}/block`);

  const copy = await api('POST', `/campaigns/${booked.campaign}/duplicate`);
  const { body: original } = await api('GET', `/campaigns/${booked.campaign}`);
  expect([copy.status, copy.headers.get('location')]).toEqual([201, `/api/campaigns/${copy.body.id}`]);
  expect(copy.body).toEqual({ ...original, id: copy.body.id, name: `${original.name} (copy)`, active: false });

  const { body: items } = await api('GET', `/line_items?campaign_id=${copy.body.id}`);
  const { body: item } = await api('GET', `/line_items/${booked.lineItem}`);
  expect(items).toEqual([{ ...item, id: items[0].id, campaign_id: copy.body.id }]);
  const { body: creatives } = await api('GET', `/creatives?campaign_id=${copy.body.id}`);
  expect([each(creatives, 'status'), each(creatives, 'blocked_at')]).toEqual([
    ['approved', 'rejected'],
    [null, null],
  ]);
  for (const [entity, id] of [
    ['campaign', copy.body.id],
    ['line_item', items[0].id],
    ['creative', creatives[0].id],
  ] as const)
    expect(each((await api('GET', `/audit?entity=${entity}&entity_id=${id}`)).body, 'action')).toEqual(['create']);

  // The way back, and that the copy serves nothing before it is resumed.
  await api('PATCH', `/campaigns/${booked.campaign}`, { active: false });
  expect((await askForAd(url, booked)).body).toMatchObject({ seatbid: [], nbr: 502 });
  expect((await api('DELETE', `/campaigns/${copy.body.id}`)).status).toBe(204);
  expect((await api('GET', `/line_items?campaign_id=${copy.body.id}`)).body).toEqual([]);
});

test('a campaign with a record that cannot be copied is not copied at all, and the problem names that record', async () => {
  const booked = await book(api, 'uncopied');
  await api('PATCH', `/placements/${booked.placement}`, { formats: ['native'] });
  const copy = await api('POST', `/campaigns/${booked.campaign}/duplicate`);
  expect([copy.status, copy.body.code, copy.body.errors[0].detail]).toEqual([
    400,
    'invalid_request',
    expect.stringContaining(`creative ${booked.creative} cannot be copied`),
  ]);
  expect((await api('GET', `/campaigns?publisher_id=${booked.publisher.id}`)).body).toHaveLength(1);
  expect((await api('POST', '/campaigns/999999/duplicate')).status).toBe(404);
});
