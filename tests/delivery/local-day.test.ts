import { browse } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, book, each, serveAd, type ApiCall } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let replica: Replica;
let api: ApiCall;
beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
  api = apiOf(replica.url);
});

// Of these two one has another date than UTC at each moment; no clocks of theirs ever change.
test.each([
  ['Pacific/Kiritimati', 14],
  ['Pacific/Pago_Pago', -11],
])('lists, delivery and reports of a publisher in %s say its day', async (zone, offsetHours) => {
  const booked = await book(api, `in ${zone.replace('/', ' ')}`, { cpm: 10, daily_impression_cap: 2, pacing: 'Even' });
  const { id } = booked.publisher;
  expect((await api('PATCH', `/publishers/${id}`, { time_zone: zone })).status).toBe(200);
  const path = `/line_items/${booked.lineItem}/delivery`;
  await eventually(async () => expect((await api('GET', path)).body.time_zone).toBe(zone));
  const localMs = Date.now() + offsetHours * 3_600_000;
  const date = new Date(localMs).toISOString().slice(0, 10);
  const bid = await serveAd(replica.url, booked);
  expect((await browse(`${replica.url}${bid.impurl}`)).status).toBe(200);
  await eventually(async () => {
    const { body } = await api('GET', path);
    expect(body.last_days[13]).toMatchObject({ day: date, impressions: 1, serves: 1 });
    expect(body).toMatchObject({ day: date, today: { impressions: 1 }, pacing: { goal: 2 } });
    expect(Date.parse(body.day_began_at) + offsetHours * 3_600_000).toBe(Date.parse(date));
    // The second one is due later in that day, if not at the end of it.
    if (body.status.held_until !== null)
      expect(Date.parse(body.status.held_until)).toBeLessThanOrEqual(Date.parse(body.day_began_at) + 86_400_000);
    expect(body.hourly).toHaveLength(new Date(localMs).getUTCHours() + 1);
    expect((each(body.hourly, 'impressions') as number[]).at(-1)).toBe(1);
    expect(body.pacing.curve).toHaveLength(24);
  });
  const flight = { start_date: '2026-01-01', end_date: '2999-12-31' };
  const other = await api('POST', '/line_items', { campaign_id: booked.campaign, name: 'Hats', active: true, ...flight, cpm: 1 });
  const { body: list } = await api('GET', `/line_items?campaign_id=${booked.campaign}&sort=impressions_today`);
  expect(each(list, 'id')).toEqual([other.body.id, booked.lineItem]);
  const { body: report } = await api('GET', `/campaigns/${booked.campaign}/report`);
  expect(report.to).toBe(date);
  expect(report.rows).toMatchObject([{ day: date, impressions: 1 }]);
});
