import { withClient } from '../../testkit/databases.ts';
import { apiOf, book, each, itemsOf, type ApiCall, type Booked } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let replica: Replica;
let databaseUrl: string;
let api: ApiCall;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: '' } });
  api = apiOf(replica.url);
});

const ENDED = { start_date: '2026-01-01', end_date: '2026-01-30' };
const DAY_MS = 86_400_000;
const today = (later = 0): string => new Date(Date.now() + later * DAY_MS).toISOString().slice(0, 10);

/** What the line item has delivered on a day of its flight. */
const delivered = ({ publisher, campaign, lineItem }: Booked, impressions: number): Promise<unknown> =>
  withClient(databaseUrl, (client) =>
    client.query(
      `insert into daily_counts (day, publisher_id, campaign_id, line_item_id, creative_id, impressions)
       select '2026-01-10', $1, $2, $3, c.id, $4 from creatives c where c.line_item_id = $3`,
      [publisher.id, campaign, lineItem, impressions],
    ),
  );
const makeGood = (id: number) => api('POST', `/line_items/${id}/make_good`);

test('a make-good carries what is missing of the goal, with the creatives, and is linked to the line item', async () => {
  const sold = await book(api, 'short', { ...ENDED, class: 'standard', goal_impressions: 3_000, cpm: 5, external_key: 'order-7' });
  await delivered(sold, 2_000);
  const { status, body, headers } = await makeGood(sold.lineItem);
  expect([status, headers.get('location')]).toEqual([201, `/api/line_items/${body.id}`]);
  expect(body).toMatchObject({
    ...{ make_good_for: sold.lineItem, name: 'Boots (make-good)', class: 'standard', goal_impressions: 1_000, cpm: 5, external_key: null },
    // A third of the goal has a third of the days.
    ...{ active: false, start_date: today(), end_date: today(9), added_value: false },
  });
  const creatives = await api('GET', `/creatives?line_item_id=${body.id}`);
  expect(each(creatives.body, 'content')).toEqual(['<b>ad</b>']);
  expect((await api('GET', `/line_items/${body.id}`)).body.make_good_for).toBe(sold.lineItem);
  // The link is kept by changes, and not written by them.
  expect((await api('PATCH', `/line_items/${body.id}`, { active: true, make_good_for: 1 })).body.make_good_for).toBe(sold.lineItem);

  const again = await makeGood(sold.lineItem);
  expect([again.status, each(again.body.errors, 'detail')]).toEqual([
    400,
    ['nothing of its goal is missing: it was delivered, or other make-goods carry it'],
  ]);
  await api('DELETE', `/line_items/${sold.lineItem}`);
  expect((await api('GET', `/line_items/${body.id}`)).body.make_good_for).toBe(sold.lineItem);
});

test('a fee was for the whole goal: its make-good is added value', async () => {
  const sold = await book(api, 'flat', { ...ENDED, budget_type: 'Flat', budget: 900, cpm: null, goal_impressions: 100 });
  const { body } = await makeGood(sold.lineItem);
  expect(body).toMatchObject({ goal_impressions: 100, budget_type: 'Flat', budget: null, added_value: true });
});

test('a make-good past the end of its campaign is created with a warning', async () => {
  const sold = await book(api, 'late', { ...ENDED, goal_impressions: 100 });
  await api('PATCH', `/campaigns/${sold.campaign}`, { end_date: '2026-02-28' });
  const { status, body } = await makeGood(sold.lineItem);
  expect(status).toBe(201);
  expect(each(body.warnings, 'pointer')).toContain('/end_date');
});

test.each([
  ['running', { goal_impressions: 100 }, 'its flight runs until 2999-12-31, and it may deliver the rest: end it or pause it first'],
  ['no-goal', ENDED, 'it has no goal of which anything could be missing: a make-good carries goal_impressions or goal_clicks'],
])('a line item that is %s has no make-good', async (placement, fields, detail) => {
  const sold = await book(api, placement, fields);
  const { status, body } = await makeGood(sold.lineItem);
  expect([status, itemsOf(body.errors)]).toEqual([400, [{ pointer: '', detail }]]);
});
