import { answerJson, httpBidder } from '../bidders/bidder-fixtures.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, askForAd, book, type Booked, type Json } from '../api/api-client.ts';

/** Long enough for the first connection to a bidder on a busy machine. */
const TIMEOUT_MS = 3_000;

interface Asked {
  readonly id: string;
  readonly imp: readonly { readonly id: string }[];
}

/** Answers to successive requests: prices by deal ('': none), 'late', or undefined for no bid. A price of 0 has no markup. */
type Script = readonly (Readonly<Record<string, number>> | 'late' | undefined)[];

const scripted = async (script: Script) => {
  let next = 0;
  const won: string[] = [];
  const bidder = await httpBidder(({ path, body }, response) => {
    if (path.startsWith('/won')) {
      won.push(path);
      return response.writeHead(204).end();
    }
    const answer = script[next++];
    if (answer === undefined) return response.writeHead(204).end();
    if (answer === 'late') return void setTimeout(() => response.writeHead(204).end(), 2 * TIMEOUT_MS);
    const { id, imp } = JSON.parse(body) as Asked;
    const bid = Object.entries(answer).map(([dealid, price], i) => ({
      ...{ id: String(i), impid: imp[0]?.id, price: price || 1, crid: '1', nurl: `${bidder.url}/won` },
      ...(dealid !== '' && { dealid }),
      ...(price > 0 && { adm: '<b>ad</b>' }),
    }));
    return answerJson(response, { id, cur: 'USD', seatbid: [{ bid }] });
  });
  atEnd(() => bidder.close());
  return { url: bidder.url, won, calls: () => next };
};

test('a report adds up what each bidder was asked, answered and won, by bidder, deal, placement and reason', async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), BIDDER_TIMEOUT: `${TIMEOUT_MS}ms` };
  const replica = await startReplica({ env });
  const api = apiOf(replica.url);
  const north = await scripted([{ '': 5 }, undefined, { '': 0 }, { gold: 9 }, { '': 3, gold: 9 }, 'late']);
  const south = await scripted([{ '': 4 }, { '': 4 }, { '': 4 }, { '': 4 }, undefined, undefined, { '': 2 }]);
  const bidderOf = async (name: string, endpoint: string): Promise<number> =>
    (await api('POST', '/bidders', { name, endpoint: `${endpoint}/bid` })).body.id;
  const [northId, southId] = [await bidderOf('North', north.url), await bidderOf('South', south.url)];
  const items = (bidderId: number) => ({ type: 'programmatic', cpm: null, bidder_id: bidderId });
  const top = await book(api, 'top', items(northId));
  const invite = async (item: object): Promise<void> => {
    const flight = { start_date: '2026-01-01', end_date: '2999-12-31', active: true };
    const { body } = await api('POST', '/line_items', { campaign_id: top.campaign, ...flight, ...item });
    expect((await api('POST', '/creatives', { placement_id: 'top', line_item_id: body.id, format: 'html', content: '-' })).status).toBe(
      201,
    );
  };
  await invite({ ...items(northId), name: 'Gold', deal_id: 'gold' });
  await invite({ ...items(southId), name: 'South' });
  const side: Booked = await book(api, 'side', items(southId));

  const won: unknown[] = [];
  for (const booked of [top, top, top, top, top, top, side])
    won.push((await askForAd(replica.url, booked)).body.seatbid[0]?.bid[0]?.price ?? null);
  expect(won).toEqual([5, 4, 4, 9, 9, null, 2]);

  const report = async (query: string): Promise<Json> => {
    const { status, body } = await api('GET', `/reports?range=today&${query}`);
    expect([status, body.errors]).toEqual([200, undefined]);
    return body;
  };
  const metrics = 'metrics=bid_requests,bids,bid_rate,bid_refusals,timeouts,wins,win_rate';
  const figures = (asked: number, bids: number, refused: number, timeouts: number, wins: number) => ({
    ...{ bid_requests: asked, bids, bid_rate: bids / asked, bid_refusals: refused },
    ...{ timeouts, wins, win_rate: bids && wins / bids },
  });
  await eventually(async () => {
    const { totals, rows } = await report(`group_by=bidder&${metrics}`);
    expect(rows).toEqual([
      { bidder_id: northId, bidder: 'North', ...figures(north.calls(), 4, 1, 1, north.won.length) },
      { bidder_id: southId, bidder: 'South', ...figures(south.calls(), 5, 0, 0, south.won.length) },
    ]);
    expect([totals, north.won.length, south.won.length]).toEqual([figures(13, 9, 1, 1, 6), 3, 3]);
  });
  expect((await report(`group_by=deal,bidder&${metrics}`)).rows).toEqual([
    { deal: 'gold', bidder_id: northId, bidder: 'North', ...figures(6, 2, 0, 1, 2) },
  ]);
  expect((await report(`group_by=placement,size&metrics=bids,wins&filter[bidder]=${southId}`)).rows).toEqual([
    { placement_id: 'side', size: '300x250', bids: 1, wins: 1 },
    { placement_id: 'top', size: '300x250', bids: 4, wins: 2 },
  ]);
  expect((await report('group_by=reason&metrics=bid_refusals')).rows).toEqual([{ reason: 'missing_markup', bid_refusals: 1 }]);
  expect((await report(`group_by=hour&metrics=bids&filter[deal]=gold&filter[publisher]=${top.publisher.id}`)).totals).toEqual({ bids: 2 });
  await eventually(async () => {
    const together = await report('group_by=placement&metrics=requests,unfilled,bid_requests&filter[placement]=top');
    expect(together.rows).toEqual([{ placement_id: 'top', requests: 6, unfilled: 1, bid_requests: 12 }]);
  });

  const refused = await api('GET', '/reports?group_by=bidder&metrics=impressions&filter[bidder]=9');
  expect(refused.body.errors).toEqual([
    {
      pointer: '/metrics/0',
      detail: expect.stringContaining(
        'impressions is not known by bidder; it is known by month, day, hour, publisher, currency, advertiser',
      ),
    },
  ]);
  expect((await api('GET', '/reports?group_by=bidder&metrics=bids&filter[bidder]=999')).body.errors).toMatchObject([
    { pointer: '/filter/bidder/0', detail: 'matches nothing: there is no such bidder' },
  ]);
});
