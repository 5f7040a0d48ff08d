/*
 * Visitors for a running demonstration (`npm start`), so that boards and reports have something to show:
 * ad requests, impressions, clicks, events, spiders, and a bidder with two deals, which it books first.
 * Usage: node scripts/demo-traffic.mjs http://localhost:8787 [seconds] [visitors per second]
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const [service = 'http://localhost:8787', seconds = '300', rate = '20'] = process.argv.slice(2);
const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
];
const SPIDER = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const PLACEMENTS = ['article-top', 'article-mid', 'article-side', 'feed-1', 'empty-slot'];
const FLIGHT = { start_date: '2026-01-01', end_date: '2099-12-31' };
const chance = (probability) => Math.random() < probability;
const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

const config = await (await fetch(`${service}/static/demo/demo-config.js`)).text();
const publisherId = Number(/PUBLISHER_ID = (\d+)/.exec(config)?.[1]);
const apiKey = /pk_demo_[\w-]+/.exec(config)?.[0];
if (!apiKey) throw new Error(`${service} has no demonstration data`);

/** Bids for two impressions of three, under its deals or without, and is late once in 20 times. */
const bidder = createServer(async (request, response) => {
  const { id, imp } = await json(request);
  if (chance(0.05)) return;
  await sleep(20 + Math.random() * 60);
  const bids = imp.flatMap((one) => {
    const deal = chance(0.6) ? oneOf(one.pmp?.deals ?? [undefined]) : undefined;
    const price = (deal?.bidfloor ?? one.bidfloor) * (0.8 + Math.random());
    return chance(0.65) ? [{ id: `b-${one.id}`, impid: one.id, price, crid: 'b', adm: '<b>A bid</b>', dealid: deal?.id }] : [];
  });
  response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ id, cur: 'USD', seatbid: [{ bid: bids }] }));
});
await new Promise((resolve) => bidder.listen(0, '127.0.0.1', resolve));

const post = async (path, body) => {
  const answer = await fetch(`${service}/api${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST /api${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
};
const endpoint = `http://127.0.0.1:${bidder.address().port}/`;
const { id: bidderId } = await post('/bidders', { name: 'Demonstration exchange', endpoint });
const { id: campaignId } = await post('/campaigns', { publisher_id: publisherId, name: 'Demonstration exchange', ...FLIGHT });
for (const [deal, floor] of [
  ['spring-gold', 4],
  ['spring-silver', 2.5],
  [null, 0.5],
]) {
  const item = { campaign_id: campaignId, name: deal ?? 'Open market', active: true, ...FLIGHT };
  const { id } = await post('/line_items', { ...item, type: 'programmatic', bidder_id: bidderId, deal_id: deal, floor });
  for (const placement of ['article-top', 'article-mid'])
    await post('/creatives', { placement_id: placement, line_item_id: id, format: 'html', content: '<b>In place of a bid</b>' });
}

const visit = async () => {
  const headers = {
    'User-Agent': chance(0.04) ? SPIDER : oneOf(BROWSERS),
    'X-Forwarded-For': `203.0.113.${Math.ceil(Math.random() * 250)}`,
  };
  const imp = PLACEMENTS.filter(() => chance(0.5)).map((tagid) => ({ id: tagid, tagid }));
  const answer = await fetch(`${service}/ad`, {
    method: 'POST',
    headers: { ...headers, 'X-API-Key': apiKey },
    body: JSON.stringify({
      ...{
        id: 'v',
        imp: imp.length > 0 ? imp : [{ id: '1', tagid: 'article-top' }],
        user: { id: `reader-${Math.ceil(Math.random() * 5000)}` },
      },
      ext: { publisher_id: publisherId, kv: { section: oneOf(['sport', 'culture', 'news']) } },
    }),
  });
  const { seatbid = [] } = await answer.json();
  const hit = (url) => fetch(new URL(url, service), { headers, redirect: 'manual' });
  for (const { impurl, clkurl, evturl } of seatbid.flatMap(({ bid }) => bid)) {
    await sleep(200 + Math.random() * 1_500);
    if (chance(0.25)) continue;
    await hit(impurl);
    if (chance(0.5)) await hit(`${evturl}&type=viewable`);
    if (chance(0.01)) await hit(impurl);
    if (!chance(0.02)) continue;
    await sleep(2_000);
    await hit(clkurl);
  }
};

const end = Date.now() + Number(seconds) * 1_000;
let failed = 0;
while (Date.now() < end) {
  visit().catch(() => failed++);
  await sleep(-Math.log(1 - Math.random()) * (1_000 / Number(rate)));
}
await sleep(5_000);
bidder.close();
bidder.closeAllConnections();
console.log(`${failed} visits failed`);
