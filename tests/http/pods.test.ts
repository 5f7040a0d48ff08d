import { VASTClient } from '@dailymotion/vast-client';
import { DOMParser } from '@xmldom/xmldom';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { eventually } from '../../testkit/until.ts';
import { apiOf, itemsOf, type ApiCall, type Json } from '../api/api-client.ts';
import { vastFaults } from '../creative/vast/validate-vast.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const FLIGHT = { start_date: '2026-01-01', end_date: '2999-12-31' };

let replica: Replica;
let api: ApiCall;
let publisher: Json;
beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), BIDDER_TIMEOUT: '2s' } });
  api = apiOf(replica.url);
  publisher = await made('/publishers', { name: 'The Gazette', domain: 'gazette.example' });
});

const made = async (where: string, body: object): Promise<Json> => {
  const answer = await api('POST', where, body);
  if (answer.status !== 201) throw new Error(`POST ${where}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
const placement = (id: string, video: object, format = 'video'): Promise<Json> =>
  made('/placements', { id, publisher_id: publisher.id, width: 640, height: 360, formats: [format], video });

interface Spot {
  readonly cpm: number;
  readonly seconds: number;
  readonly advertiser?: number;
  readonly domain?: string;
  readonly item?: object;
  readonly format?: 'video' | 'audio';
}
/** A line item with a campaign by itself. */
const spot = async (placementId: string, { cpm, seconds, advertiser, domain, item = {}, format = 'video' }: Spot): Promise<Json> => {
  const advertiser_id = advertiser ?? (await made('/advertisers', { name: `${placementId} ${cpm}` })).id;
  const campaign = await made('/campaigns', { publisher_id: publisher.id, name: `C${cpm}`, advertiser_id, ...FLIGHT });
  const lineItem = await made('/line_items', { campaign_id: campaign.id, name: `L${cpm}`, active: true, cpm, ...FLIGHT, ...item });
  const size = { width: 640, height: 360 };
  const media = [
    format === 'video'
      ? { url: `https://cdn.example/${cpm}.mp4`, type: 'video/mp4', ...size }
      : { url: `https://cdn.example/${cpm}.mp3`, type: 'audio/mpeg' },
  ];
  const content = JSON.stringify({ duration: seconds, media });
  const creative = { placement_id: placementId, line_item_id: lineItem.id, format, content, advertiser_domain: domain ?? null };
  await made('/creatives', creative);
  return lineItem;
};
const tagOf = (placementId: string, more = ''): string => `${replica.url}/vast?key=${publisher.api_key}&placement=${placementId}${more}`;
/** The files of the ads of a break, in their order. */
const played = async (tag: string): Promise<readonly string[]> => {
  const { ads } = (await new VASTClient().get(tag, {})) as unknown as { ads: Json[] };
  return ads.map((ad: Json) => String(itemsOf(ad.creatives)[0]!.mediaFiles[0].fileURL).replace('https://cdn.example/', ''));
};

test('a break has the best ads that fit it together, no advertiser twice and no competitors, each with another token', async () => {
  await placement('pod', { pod: { max_ads: 4, max_duration: 60 } });
  const shoes = await made('/advertisers', { name: 'Shoes', exclusion_labels: ['footwear'] });
  const boots = await made('/advertisers', { name: 'Boots', exclusion_labels: ['footwear'] });
  await spot('pod', { cpm: 90, seconds: 61 }); // Longer than the break.
  await spot('pod', { cpm: 80, seconds: 20, advertiser: shoes.id });
  await spot('pod', { cpm: 70, seconds: 10, advertiser: shoes.id }); // The same advertiser.
  await spot('pod', { cpm: 60, seconds: 10, advertiser: boots.id }); // A competitor.
  await spot('pod', { cpm: 50, seconds: 25, domain: 'tea.example' });
  await spot('pod', { cpm: 45, seconds: 5, domain: 'TEA.example' }); // The same domain.
  await spot('pod', { cpm: 40, seconds: 20 }); // 15 s are left.
  await spot('pod', { cpm: 30, seconds: 15 });
  await eventually(async () => expect(await played(tagOf('pod'))).toEqual(['80.mp4', '50.mp4', '30.mp4']));
  const text = await (await fetch(tagOf('pod'))).text();
  expect(await vastFaults('4.2', [text])).toEqual([]);
  expect([...text.matchAll(/<Ad id="\d+" sequence="(\d)"/g)].map(([, sequence]) => sequence)).toEqual(['1', '2', '3']);
  expect(new Set([...text.matchAll(/\/impression\?t=([^\]]+)/g)].map(([, token]) => token)).size).toBe(3);
  for (const [v, version] of [
    ['2', '2.0'],
    ['3', '3.0'],
  ] as const)
    expect(await vastFaults(version, [await (await fetch(tagOf('pod', `&v=${v}`))).text()])).toEqual([]);
  const traced = await (await fetch(tagOf('pod', '&debug=1'))).text();
  expect(traced).toContain('break_full');
});

test('a break of sounds has its ads in their order, and each report counts once, for its ad alone', async () => {
  await placement('radio', { pod: { max_ads: 3, max_duration: 60 } }, 'audio');
  const items: Json[] = [];
  for (const cpm of [90, 80, 70]) items.push(await spot('radio', { cpm, seconds: 20, format: 'audio' }));
  await eventually(async () => expect(await played(tagOf('radio'))).toEqual(['90.mp3', '80.mp3', '70.mp3']));
  const text = await (await fetch(tagOf('radio'))).text();
  expect(await vastFaults('4.2', [text])).toEqual([]);
  expect(text.match(/<Ad id="\d+" sequence="\d" adType="audio">/g)).toHaveLength(3);
  const { ads } = (await new VASTClient().get(tagOf('radio'), {})) as unknown as { ads: Json[] };
  // Of the second, whose player leaves in its middle, and of the third twice.
  const events = [
    ['start', 'midpoint', 'complete'],
    ['start', 'midpoint'],
    ['start', 'complete', 'start', 'complete'],
  ];
  for (const [i, ad] of ads.entries()) {
    const { trackingEvents } = itemsOf(ad.creatives).find(({ type }) => type === 'linear')!;
    for (const url of [ad.impressionURLTemplates[0].url, ...events[i]!.map((event) => trackingEvents[event][0])])
      expect((await fetch(url, { headers: { 'User-Agent': BROWSER } })).status).toBe(200);
  }
  await eventually(async () => {
    const today = await Promise.all(items.map(async ({ id }) => (await api('GET', `/line_items/${id}/delivery`)).body.today));
    expect(today.map(({ impressions, events: counted }) => [impressions, counted])).toEqual([
      [1, { start: 1, midpoint: 1, complete: 1 }],
      [1, { start: 1, midpoint: 1 }],
      [1, { start: 1, complete: 1 }],
    ]);
  });
});

test('each ad of a break is a selection: a cap of one is taken once, and what is not used comes back', async () => {
  await placement('capped', { pod: { max_ads: 3, max_duration: 90 } });
  const scarce = await spot('capped', { cpm: 9, seconds: 30, item: { daily_impression_cap: 1 } });
  await spot('capped', { cpm: 8, seconds: 30 });
  await eventually(async () => expect((await played(tagOf('capped', '&debug=1'))).length).toBeGreaterThan(0));
  const delivery = async (): Promise<Json> => (await api('GET', `/line_items/${scarce.id}/delivery`)).body.today;
  await eventually(async () => expect((await delivery()).serves).toBe(1));
  expect(await played(tagOf('capped', '&debug=1'))).toEqual(['8.mp4']);
});

test('a film has its breaks as VMAP, and each break its own ads', async () => {
  const breaks = [
    { at: 'start', max_ads: 1, max_duration: 30 },
    { at: '00:10:00', max_ads: 2, max_duration: 60 },
    { at: '75%', max_ads: 1, max_duration: 10 },
    { at: 'end', max_ads: 1, max_duration: 30 },
  ];
  await placement('film', { breaks, vast: '3.0' });
  await spot('film', { cpm: 9, seconds: 30 });
  await spot('film', { cpm: 8, seconds: 30 });
  await eventually(async () => expect(await played(tagOf('film', '&break=2'))).toEqual(['9.mp4', '8.mp4']));
  expect(await played(tagOf('film', '&break=1'))).toEqual(['9.mp4']);
  expect(await played(tagOf('film', '&break=3'))).toEqual([]);
  const answer = await fetch(`${replica.url}/vmap?key=${publisher.api_key}&placement=film&page=[PAGEURL]&break=7`, {
    headers: { Origin: 'https://a.example' },
  });
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'application/xml; charset=utf-8',
    'https://a.example',
  ]);
  const document = new DOMParser().parseFromString(await answer.text(), 'text/xml');
  const named = (name: string): Element[] => Array.from(document.getElementsByTagName(`vmap:${name}`) as unknown as Element[]);
  expect(named('AdBreak').map((one) => ['timeOffset', 'breakType', 'breakId'].map((name) => one.getAttribute(name)))).toEqual([
    ['start', 'linear', 'pre-1'],
    ['00:10:00', 'linear', 'mid-2'],
    ['75%', 'linear', 'mid-3'],
    ['end', 'linear', 'post-4'],
  ]);
  expect(named('AdTagURI').map((one) => [one.getAttribute('templateType'), one.textContent])).toEqual(
    breaks.map((_, i) => ['vast3', `${tagOf('film')}&page=[PAGEURL]&break=${i + 1}`]),
  );
  const wrong = await fetch(tagOf('film', '&break=9'));
  expect([wrong.status, (await wrong.json()).errors]).toEqual([
    400,
    [{ pointer: '/break', detail: 'must be the number of a break of the placement, 1 to 4' }],
  ]);
  const unknown = await (await fetch(`${replica.url}/vmap?key=${publisher.api_key}&placement=nothing`)).text();
  expect(unknown).toContain('timeOffset="start"');
  expect(
    (await api('PATCH', '/placements/film', { video: { breaks: [{ at: 'noon', max_ads: 1, max_duration: 30 }] } })).body.errors,
  ).toEqual([{ pointer: '/video/breaks/0/at', detail: expect.any(String) }]);
});

test('an auction asks for a pod: a bid for each of its ads, and bidders are asked for each of its slots', async () => {
  const asked: Json[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { id, imp } = JSON.parse(body);
      asked.push(imp);
      const adm = (seconds: number): string =>
        '<VAST version="4.2" xmlns="http://www.iab.com/VAST" xmlns:b="urn:b"><Ad id="b"><InLine><AdSystem>b</AdSystem><Impression>https://bidder.example/i</Impression><ViewableImpression><Viewable>https://bidder.example/v</Viewable></ViewableImpression><AdServingId>s</AdServingId><AdTitle>t</AdTitle>' +
        `<Creatives><Creative><Linear><Duration>00:00:${seconds}</Duration><MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="640" height="360">https://cdn.example/bid.mp4</MediaFile></MediaFiles><VideoClicks><ClickThrough>https://brand.example/</ClickThrough></VideoClicks></Linear>` +
        '<UniversalAdId idRegistry="unknown">u</UniversalAdId></Creative></Creatives></InLine></Ad></VAST>';
      const bid = itemsOf(imp).map((one, i) => ({
        id: `b${i}`,
        impid: one.id,
        price: 20 - i,
        adm: adm(15),
        mtype: 2,
        adomain: [`brand${i % 2}.example`],
      }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ id, seatbid: [{ bid }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  await placement('demand', {});
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const campaign = await made('/campaigns', { publisher_id: publisher.id, name: 'Exchange', ...FLIGHT });
  const lineItem = await made('/line_items', {
    campaign_id: campaign.id,
    name: 'Exchange',
    active: true,
    type: 'programmatic',
    endpoint,
    ...FLIGHT,
  });
  await made('/creatives', { placement_id: 'demand', line_item_id: lineItem.id, format: 'video', content: '{}' });
  await spot('demand', { cpm: 30, seconds: 30 });
  const auction = async (video: object): Promise<Json> => {
    const answer = await fetch(`${replica.url}/openrtb2/auction`, {
      method: 'POST',
      headers: { 'X-API-Key': publisher.api_key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: 'a', imp: [{ id: 'v', tagid: 'demand', video: { mimes: ['video/mp4'], protocols: [3, 7], ...video } }] }),
    });
    return answer.json();
  };
  const pod = { podid: 'main', poddur: 60, maxseq: 4, mincpmpersec: 0.5 };
  let answer = await auction(pod);
  await eventually(async () => {
    answer = await auction(pod);
    expect(itemsOf(answer.seatbid[0]?.bid ?? [])).toHaveLength(3);
  });
  const { seatbid, ext } = answer;
  expect(itemsOf(seatbid[0].bid).map(({ impid, price, dur, mtype }) => [impid, price, dur ?? null, mtype])).toEqual([
    ['v', 30, 30, 2],
    ['v', 19, null, 2],
    ['v', 18, null, 2],
  ]);
  expect(ext.seatnonbid).toEqual([]);
  expect(itemsOf(asked.at(-1)).map(({ video }) => [video.podid, video.slotinpod, video.mincpmpersec, video.maxduration])).toEqual([
    ['main', 1, 0.5, 60],
    ['main', 0, 0.5, 60],
    ['main', 0, 0.5, 60],
    ['main', -1, 0.5, 60],
  ]);
  // 15 seconds at 2 cost 30.
  expect(itemsOf((await auction({ ...pod, mincpmpersec: 2 })).seatbid[0]?.bid ?? []).map(({ price }) => price)).toEqual([]);
  // Bids are parts of one document.
  await api('PATCH', '/placements/demand', { video: { pod: { max_ads: 3, max_duration: 60 } } });
  await eventually(async () => expect(await played(tagOf('demand'))).toEqual(['30.mp4', 'bid.mp4', 'bid.mp4']));
  expect(await vastFaults('4.2', [await (await fetch(tagOf('demand'))).text()])).toEqual([]);
});
