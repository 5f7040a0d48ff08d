import { withClient } from '../../testkit/databases.ts';
import { apiOf, book, type ApiCall, type Booked } from '../api/api-client.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let api: ApiCall;
let booked: Booked;
let advertiser: number;

const OUTRANKED = 0;
const [SIZE, TARGETING, DAILY_CAP, NO_BID] = [501, 503, 505, 508];

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: '' } });
  api = apiOf(replica.url);
  booked = await book(api, 'flowing');
  advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id as number;
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
  const hour = "date_trunc('hour', now()) - interval '2 days'";
  const old = "date_trunc('hour', now()) - interval '9 days'";
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `insert into refusals (hour, line_item_id, reason, outranked_by, impressions)
       select ${hour}, $1, reason, 0, impressions from unnest($2::int[], $3::bigint[]) as lost (reason, impressions)`,
      [booked.lineItem, [OUTRANKED, SIZE, TARGETING, DAILY_CAP, NO_BID], [40, 5, 100, 20, 3]],
    );
    for (const [at, reason, serves, impressions, viewable, clicks, micros] of [
      [hour, '', 50, 40, 30, 2, 200_000],
      [hour, 'spider', 0, 4, 4, 1, 0],
      [old, '', 900, 900, 900, 9, 9_000_000],
    ] as const)
      await client.query(
        `insert into report_hours (day, hour, publisher_id, campaign_id, line_item_id, creative_id, placement_id, reason, serves, impressions, viewable, clicks, spend_micros)
         values (cast(${at} as date), ${at}, $1, $2, $3, $4, 'flowing', $5, $6, $7, $8, $9, $10)`,
        [booked.publisher.id, booked.campaign, booked.lineItem, booked.creative, reason, serves, impressions, viewable, clicks, micros],
      );
    await client.query(
      `insert into request_hours (day, hour, publisher_id, placement_id, reason, requests)
       select cast(${hour} as date), ${hour}, $1, 'flowing', reason, requests from unnest($2::text[], $3::bigint[]) as asked (reason, requests)`,
      [booked.publisher.id, ['', 'targeting', 'nothing_booked'], [50, 10, 7]],
    );
  });
});

const delivered = { served: 50, not_shown: 6, filtered: 4, shown: 40, seen: 30, clicked: 2, billed: [{ currency: 'USD', amount: 0.2 }] };

test('the flow of a line item, its campaign and its advertiser is what was asked less what was lost at each step', async () => {
  const whole = {
    ...{ asked: 218, off_target: 100, unsuitable: 5, matched: 113, capped: 20, other: 3, outranked: 40, ...delivered },
    reasons: [
      { reason: 'daily_cap', words: 'the daily cap is delivered or reserved', step: 'capped', impressions: 20 },
      { reason: 'size_or_format', words: 'the creative has another format or size', step: 'unsuitable', impressions: 5 },
      { reason: 'bidders_did_not_bid', words: 'the bidder did not bid', step: 'other', impressions: 3 },
    ],
  };
  for (const path of [`line_items/${booked.lineItem}`, `campaigns/${booked.campaign}`, `advertisers/${advertiser}`])
    expect([path, (await api('GET', `/${path}/flow`)).body]).toEqual([path, expect.objectContaining(whole)]);
});

test('the flow of a placement begins with its requests, and a period is one of those that are kept', async () => {
  const { body } = await api('GET', '/placements/flowing/flow');
  expect(body).toMatchObject({ asked: 67, off_target: 10, unsuitable: 7, matched: 50, capped: 0, outranked: 0, ...delivered });
  expect((await api('GET', '/placements/flowing/flow?from=2020-01-01&to=2020-01-02')).body.asked).toBe(0);
  expect((await api('GET', '/placements/flowing/flow?from=2020-01-01&to=2020-02-02')).status).toBe(400);
  expect((await api('GET', '/placements/none/flow')).status).toBe(404);
  expect((await api('GET', '/line_items/999999/flow')).status).toBe(404);
});
