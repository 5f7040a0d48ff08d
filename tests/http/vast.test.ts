import { readFileSync } from 'node:fs';
import path from 'node:path';
import { VASTClient } from '@dailymotion/vast-client';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, itemsOf, type ApiCall, type Json } from '../api/api-client.ts';
import { bookVideo as bookVideoBy, type BookedVideo, type Booking } from '../api/book-video.ts';
import { VAST_VERSIONS } from '../../src/catalog/model/video-rules.ts';
import { FULL_VIDEO } from '../creative/vast/sample-video.ts';
import { vastFaults } from '../creative/vast/validate-vast.ts';

const MP4 = readFileSync(path.join(__dirname, '../uploads/media/colours.mp4'));
const M4A = readFileSync(path.join(__dirname, '../uploads/media/tone.m4a'));
const PLAIN = { duration: 15, media: [{ url: 'https://cdn.example/a.mp4', type: 'video/mp4', width: 640, height: 360 }] };

let replica: Replica;
let api: ApiCall;
beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), BIDDER_TIMEOUT: '2s' } });
  api = apiOf(replica.url);
});

const bookVideo = (...booking: Booking): Promise<BookedVideo> => bookVideoBy(api, ...booking);
const tagOf = ({ key, placement }: Pick<BookedVideo, 'key' | 'placement'>, query = ''): string =>
  `${replica.url}/vast?key=${key}&placement=${placement}${query}`;
const play = async (tag: string): Promise<Json> => new VASTClient().get(tag, { withCredentials: true });
const linearOf = (vast: Json): Json => itemsOf(vast.ads[0]?.creatives ?? []).find(({ type }) => type === 'linear');
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const report = async (url: string): Promise<number> =>
  (await fetch(url, { redirect: 'manual', headers: { 'User-Agent': BROWSER } })).status;
const delivered = async ({ lineItem }: BookedVideo): Promise<Json> => (await api('GET', `/line_items/${lineItem}/delivery`)).body;

test('a player gets an uploaded video with what was read from it, and what it reports counts once', async () => {
  const stored = await fetch(`${replica.url}/api/assets?name=boots.mov`, { method: 'PUT', body: new Uint8Array(MP4) });
  const asset = await stored.json();
  expect(asset).toMatchObject({ type: 'video/mp4', width: 64, height: 36, duration_ms: 1_183, bitrate_kbps: 17, codec: 'avc1.42c00a' });
  const booked = await bookVideo('uploaded', { media: [{ url: asset.url }] });
  expect(JSON.parse(booked.creative.content)).toEqual({
    duration: 1.183,
    media: [{ url: asset.url, type: 'video/mp4', width: 64, height: 36, bitrate: 17, codec: 'avc1.42c00a', bytes: MP4.length }],
  });
  const vast = await play(tagOf(booked));
  const linear = linearOf(vast);
  const [file] = linear.mediaFiles;
  expect(file).toMatchObject({
    mimeType: 'video/mp4',
    width: 64,
    height: 36,
    bitrate: 17,
    codec: 'avc1.42c00a',
    deliveryType: 'progressive',
  });
  expect(file.fileURL).toBe(`${replica.url}${asset.url}`);
  const [{ url: impression }] = vast.ads[0].impressionURLTemplates;
  for (let i = 0; i < 2; i++) {
    expect(await report(impression)).toBe(200);
    for (const event of ['start', 'midpoint', 'complete']) expect(await report(linear.trackingEvents[event][0])).toBe(200);
  }
  expect(await report(String(vast.ads[0].errorURLTemplates[0]).replace('[ERRORCODE]', '405'))).toBe(200);
  expect(await report(linear.videoClickThroughURLTemplate.url)).toBe(302);
  expect((await delivered(booked)).today).toMatchObject({ impressions: 1, spend: 0.004 });
});

test('a file is served whole and in ranges', async () => {
  await fetch(`${replica.url}/api/assets`, { method: 'PUT', body: new Uint8Array(MP4) });
  const url = `${replica.url}/static/assets/${createHash('sha256').update(MP4).digest('hex')}.mp4`;
  const get = async (range?: string, headers = {}): Promise<[number, string | null, number]> => {
    const answer = await fetch(url, { headers: { ...(range !== undefined && { Range: range }), ...headers } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const [, from = '0'] = /bytes (\d+)-/.exec(answer.headers.get('content-range') ?? '') ?? [];
    if (answer.status < 300) expect(bytes.equals(MP4.subarray(Number(from), Number(from) + bytes.length))).toBe(true);
    return [answer.status, answer.headers.get('content-range'), bytes.length];
  };
  expect(await get()).toEqual([200, null, MP4.length]);
  expect(await get('bytes=0-')).toEqual([206, `bytes 0-${MP4.length - 1}/${MP4.length}`, MP4.length]);
  expect(await get('bytes=10-19')).toEqual([206, `bytes 10-19/${MP4.length}`, 10]);
  expect(await get('bytes=-5')).toEqual([206, `bytes ${MP4.length - 5}-${MP4.length - 1}/${MP4.length}`, 5]);
  expect(await get('bytes=10-19', { 'If-Range': '"other"' })).toEqual([200, null, MP4.length]);
  expect(await get('bytes=99999-')).toEqual([416, `bytes */${MP4.length}`, 0]);
  expect(await get('nonsense')).toEqual([200, null, MP4.length]);
});

test('answers are valid VAST in each version, with CORS for players that send credentials', async () => {
  const content = JSON.parse(JSON.stringify(FULL_VIDEO).replaceAll('/static/assets/', 'https://cdn.example/'));
  const booked = await bookVideo('full', content);
  for (const [v, version] of [
    ['2', '2.0'],
    ['3', '3.0'],
    ['4', '4.2'],
    ['4.2', '4.2'],
    ['[VASTVERSIONS]', '4.2'],
  ] as const) {
    const answer = await fetch(tagOf(booked, `&v=${encodeURIComponent(v)}`), { headers: { Origin: 'https://gazette.example' } });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/xml; charset=utf-8',
      'access-control-allow-origin': 'https://gazette.example',
      'access-control-allow-credentials': 'true',
    });
    const text = await answer.text();
    expect(text).toContain(`version="${version}"`);
    expect(await vastFaults(version, [text])).toEqual([]);
  }
});

test('without an ad the document has only the address of its error, and the trace says why', async () => {
  const booked = await bookVideo('paused', PLAIN, { active: false });
  const answer = await fetch(tagOf(booked, '&debug=1'));
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text).toMatch(/<VAST xmlns="http:\/\/www.iab.com\/VAST" version="4.2"><Error>/);
  expect(await vastFaults('4.2', [text])).toEqual([]);
  expect(JSON.parse(/<!-- (.*) -->/.exec(text)![1]!).debug.trace).toBeDefined();
  const { ads, errorURLTemplates } = await play(tagOf(booked));
  expect([ads, errorURLTemplates]).toEqual([[], [`${replica.url}/vast/error?code=[ERRORCODE]`]]);
  expect(await report(errorURLTemplates[0])).toBe(200);
});

test('an ad that is not used gives its place back to the next request', async () => {
  const booked = await bookVideo('scarce', PLAIN, { daily_impression_cap: 1 });
  const first = await play(tagOf(booked));
  expect((await play(tagOf(booked))).ads).toHaveLength(0);
  expect(await report(linearOf(first).trackingEvents.notUsed[0])).toBe(200);
  // A replica remembers for a moment that the line item is used up. When the place is free is tested with the clock of the ledger.
  let second = await play(tagOf(booked));
  await eventually(async () => {
    if (second.ads.length === 0) second = await play(tagOf(booked));
    expect(second.ads).toHaveLength(1);
  });
  // The place is the second ad's.
  await report(first.ads[0].impressionURLTemplates[0].url);
  await report(second.ads[0].impressionURLTemplates[0].url);
  expect((await delivered(booked)).today).toMatchObject({ impressions: 1 });
});

test('a bidder is asked for a video, and its VAST is passed on with our reports, or refused when the player does not take it', async () => {
  const asked: Json[] = [];
  let seconds = 15;
  let markup = (adm: string): object => ({ adm });
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { id, imp } = JSON.parse(body);
      asked.push(imp[0]);
      const adm =
        '<VAST version="4.2" xmlns="http://www.iab.com/VAST"><Ad id="b"><InLine><AdSystem>b</AdSystem><Impression>https://bidder.example/i</Impression><ViewableImpression><Viewable>https://bidder.example/v</Viewable></ViewableImpression><AdServingId>s</AdServingId><AdTitle>t</AdTitle>' +
        `<Creatives><Creative><Linear><Duration>00:00:${seconds}</Duration><MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="640" height="360">https://cdn.example/b.mp4</MediaFile></MediaFiles><VideoClicks><ClickThrough>https://boots.example/</ClickThrough></VideoClicks></Linear>` +
        '<UniversalAdId idRegistry="unknown">u</UniversalAdId></Creative></Creatives></InLine></Ad></VAST>';
      const bid = [{ id: 'b', impid: imp[0].id, price: 5, ...markup(adm), mtype: 2, adomain: ['boots.example'] }];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ id, seatbid: [{ bid }] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const rules = { position: 'pre', max_duration: 20, mimes: ['video/mp4'] };
  const booked = await bookVideo('demand', {}, { type: 'programmatic', endpoint, cpm: undefined });
  expect((await api('PATCH', '/placements/demand', { video: rules })).status).toBe(200);
  await eventually(async () => {
    const { ads } = await play(tagOf(booked));
    expect(asked.at(-1)?.video.maxduration).toBe(20);
    expect(ads).toHaveLength(1);
  });
  expect(asked.at(-1)).toMatchObject({
    tagid: 'demand',
    video: {
      mimes: ['video/mp4'],
      maxduration: 20,
      plcmt: 1,
      startdelay: 0,
      w: 640,
      h: 360,
      linearity: 1,
      protocols: expect.arrayContaining([7, 13]),
    },
  });
  const answered = await (await fetch(tagOf(booked))).text();
  expect(await vastFaults('4.2', [answered])).toEqual([]);
  const vast = await play(tagOf(booked));
  const urls = itemsOf(vast.ads[0].impressionURLTemplates).map(({ url }) => String(url));
  expect(urls).toEqual([expect.stringContaining(`${replica.url}/impression?t=`), 'https://bidder.example/i']);
  expect(await report(urls[0]!)).toBe(200);
  expect(await report(linearOf(vast).trackingEvents.complete[0])).toBe(200);
  await eventually(async () => expect((await delivered(booked)).today).toMatchObject({ impressions: 1, spend: 0.005 }));
  seconds = 30;
  const refused = await (await fetch(tagOf(booked, '&debug=1'))).text();
  expect([refused.includes('<Ad '), refused.includes('not what the player takes')]).toEqual([false, true]);
  // Without markup: the answer to the win notice is the markup, or Prebid Server has put it into its cache.
  const nurl = 'https://bidder.example/won?p=${AUCTION_PRICE}';
  const cached = { ext: { prebid: { cache: { vastXml: { url: 'https://cache.example/cache?uuid=1', cacheId: '1' } } } } };
  const wrapperOf = async (bid: object, version: string): Promise<string> => {
    markup = () => bid;
    return (await fetch(tagOf(booked, `&v=${version}`))).text();
  };
  for (const version of VAST_VERSIONS) {
    const wrappers = [await wrapperOf({ nurl, dur: 15 }, version), await wrapperOf({ nurl, ...cached }, version)];
    expect(wrappers.map((text) => /<VASTAdTagURI><!\[CDATA\[(.*?)\]\]>/.exec(text)?.[1])).toEqual([
      'https://bidder.example/won?p=5',
      'https://cache.example/cache?uuid=1',
    ]);
    expect(wrappers.map((text) => text.match(/<Impression>/g)?.length)).toEqual([1, 1]);
    expect(await vastFaults(version, wrappers)).toEqual([]);
  }
  markup = () => ({ nurl: 'https://192.168.1.1/won' });
  expect(await (await fetch(tagOf(booked))).text()).not.toContain('<Ad ');
  const direct = await bookVideo('demanded', PLAIN);
  expect(await api('PATCH', `/creatives/${direct.creative.id}`, { content: '{}' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/content', detail: expect.stringContaining('only bidders supply them') }] },
  });
});

test('a player follows five wrappers to the ad of another server: all six count once', async () => {
  const chain = [await bookVideo('inner', PLAIN)];
  for (let wrapper = 1; wrapper <= 5; wrapper++) {
    const tag = tagOf(chain.at(-1)!).replace('localhost', '127.0.0.1');
    chain.push(await bookVideo(`outer-${wrapper}`, { tag }, {}, { click_url: null }));
  }
  const vast = await play(tagOf(chain.at(-1)!));
  const reports = [
    ...itemsOf(vast.ads[0].impressionURLTemplates).map(({ url }) => String(url)),
    ...['start', 'complete'].flatMap((event) => linearOf(vast).trackingEvents[event] as string[]),
  ];
  expect(reports).toHaveLength(18);
  for (const url of [...reports, ...reports]) expect(await report(url)).toBe(200);
  await eventually(async () => {
    for (const booked of chain)
      expect((await delivered(booked)).today).toMatchObject({ impressions: 1, events: { start: 1, complete: 1 } });
  });
});

test('a sound is asked for by a tag, an ad request and an auction, and what its player reports counts once', async () => {
  const asset = await (await fetch(`${replica.url}/api/assets`, { method: 'PUT', body: new Uint8Array(M4A) })).json();
  const companions = [{ width: 300, height: 250, image: 'https://cdn.example/boots.png', alt: 'Boots' }];
  const booked = await bookVideo('radio', { media: [{ url: asset.url }], companions }, {}, { format: 'audio' });
  expect(await (await fetch(tagOf(booked))).text()).toContain('adType="audio"');
  const vast = await play(tagOf(booked));
  const linear = linearOf(vast);
  expect(linear.mediaFiles).toMatchObject([{ mimeType: 'audio/mp4', codec: 'Opus', fileURL: `${replica.url}${asset.url}` }]);
  const [companion] = itemsOf(vast.ads[0].creatives).find(({ type }) => type === 'companion')!.variations;
  const events = ['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete', 'mute', 'pause', 'resume'];
  const reports = [
    vast.ads[0].impressionURLTemplates[0].url,
    ...events.map((event) => linear.trackingEvents[event][0]),
    companion.trackingEvents.creativeView[0],
  ];
  for (const url of [...reports, ...reports]) expect(await report(url)).toBe(200);
  const once = Object.fromEntries([...events, 'creativeView'].map((event) => [event, 1]));
  await eventually(async () =>
    expect((await delivered(booked)).today).toMatchObject({ ...{ impressions: 1, spend: 0.004 }, events: once }),
  );
  const ask = async (where: string, body: object): Promise<Json> =>
    (await fetch(`${replica.url}${where}`, { method: 'POST', headers: { 'X-API-Key': booked.key }, body: JSON.stringify(body) })).json();
  const user = { user: { id: 'u' }, ext: { publisher_id: booked.publisher } };
  const ad = await ask('/ad', { id: 'r', imp: [{ id: '1', tagid: 'radio' }], ...user });
  expect(ad.seatbid[0].bid[0].adm).toContain('adType="audio"');
  const bidsOf = async (imp: object): Promise<readonly Json[]> =>
    itemsOf((await ask('/openrtb2/auction', { id: 'r', imp: [{ id: '1', tagid: 'radio', ...imp }] })).seatbid[0]?.bid ?? []);
  const audio = { mimes: ['audio/mp4'], protocols: [9, 10, 7], maxduration: 30 };
  expect(await bidsOf({ audio })).toMatchObject([{ mtype: 3, dur: 1, adm: expect.stringContaining('type="audio/mp4"') }]);
  expect(await bidsOf({ audio: { ...audio, mimes: ['audio/mpeg'] } })).toEqual([]);
  expect(await bidsOf({ video: audio })).toEqual([]);
});

test('an ad request and an auction answer the same document', async () => {
  const { key, publisher, placement } = await bookVideo('shared', PLAIN);
  const ask = async (where: string, body: object): Promise<Json> =>
    (await fetch(`${replica.url}${where}`, { method: 'POST', headers: { 'X-API-Key': key }, body: JSON.stringify(body) })).json();
  const ad = await ask('/ad', { id: 'r', imp: [{ id: '1', tagid: placement }], user: { id: 'u' }, ext: { publisher_id: publisher } });
  const [bid] = ad.seatbid[0].bid;
  expect(bid.adm).toContain(`<Impression><![CDATA[${bid.impurl}]]></Impression>`);
  const imp = (video: object) => ({ id: 'r', imp: [{ id: '1', tagid: placement, ...video }], site: { page: 'https://gazette.example/' } });
  const auction = await ask('/openrtb2/auction', imp({ video: { mimes: ['video/mp4'], protocols: [2, 3], w: 640, h: 360 } }));
  const [won] = auction.seatbid[0].bid;
  expect(won).toMatchObject({ mtype: 2, dur: 15, w: 640, h: 360 });
  expect(won.burl).toBeUndefined();
  expect(won.adm).toContain('version="3.0"');
  expect(await vastFaults('3.0', [won.adm])).toEqual([]);
  const banner = await ask('/openrtb2/auction', imp({ banner: { w: 640, h: 360 } }));
  expect(banner.seatbid).toEqual([]);
});

test('a player gets no ad that its placement or its auction does not take, and the trace says why', async () => {
  const booked = await bookVideo('strict', { ...PLAIN, skip_after: 5 });
  const rules = async (video: object | null): Promise<string> => {
    // A PATCH merges objects (RFC 7396).
    await api('PATCH', '/placements/strict', { video: null });
    expect((await api('PATCH', '/placements/strict', { video })).status).toBe(200);
    await fetch(`${replica.url}/reload`, { method: 'POST' });
    const text = await (await fetch(tagOf(booked, '&debug=1'))).text();
    return text.includes('<InLine>')
      ? 'served'
      : (/\b(it plays[^"]*|the player[^"]*|none of[^"]*)"/.exec(text.replaceAll('\\u002d', '-'))?.[1] ?? text);
  };
  expect(await rules({ position: 'pre', min_duration: 10, max_duration: 15, skip: 'required', mimes: ['video/MP4'] })).toBe('served');
  expect(await rules({ max_duration: 10 })).toBe('it plays for 15 s, and the player takes 10 s at most');
  expect(await rules({ min_duration: 20 })).toBe('it plays for 15 s, and the player takes 20 s at least');
  expect(await rules({ skip: 'forbidden' })).toBe('the player takes no ads that can be skipped');
  expect(await rules({ mimes: ['video/webm'] })).toBe('none of its files is video/webm');
  const page = (await api('GET', `/line_items/${booked.lineItem}/delivery`)).body;
  expect(JSON.stringify(page)).toContain('none of its files is video/webm');
  expect(await rules(null)).toBe('served');
  const auction = async (video: object): Promise<Json> => {
    const body = { id: 'r', imp: [{ id: '1', tagid: 'strict', video }], site: { page: 'https://gazette.example/' } };
    const headers = { 'X-API-Key': booked.key };
    return (await fetch(`${replica.url}/openrtb2/auction`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  expect((await auction({ mimes: ['video/mp4'], minduration: 5, maxduration: 30 })).seatbid).toHaveLength(1);
  expect((await auction({ mimes: ['video/mp4'], maxduration: 10 })).ext.seatnonbid[0].nonbid).toMatchObject([{ statuscode: 202 }]);
  const bad = await api('PATCH', '/placements/strict', { video: { skip: 'never', size: 1 } });
  expect([bad.status, bad.body.errors.length]).toEqual([400, 2]);
});

test('bad tags and creatives are refused in words', async () => {
  const booked = await bookVideo('words', PLAIN);
  const statuses = ['&v=1', ''].map(async (query) => (await fetch(tagOf(booked, query))).status);
  expect(await Promise.all(statuses)).toEqual([400, 200]);
  expect((await fetch(`${replica.url}/vast?key=no&placement=words`)).status).toBe(401);
  const bad = await api('PATCH', `/creatives/${booked.creative.id}`, { content: JSON.stringify({ ...PLAIN, skip_after: 20 }) });
  expect([bad.status, bad.body.errors]).toEqual([400, [{ pointer: '/content', detail: 'skip_after must be less than the duration' }]]);
  const wrapped = await api('PATCH', `/creatives/${booked.creative.id}`, {
    content: JSON.stringify({ tag: 'https://other.example/vast' }),
  });
  expect(wrapped.body.errors).toEqual([{ pointer: '/click_url', detail: expect.stringContaining('tag of the other server') }]);
  for (const [tag, words] of [
    [tagOf(booked), 'its wrapper would lead back to it'],
    ['http://192.168.1.1/vast', 'is an address of a private network'],
  ] as const) {
    const refused = await api('PATCH', `/creatives/${booked.creative.id}`, { content: JSON.stringify({ tag }), click_url: null });
    expect([refused.status, refused.body.errors]).toEqual([400, [{ pointer: '/content', detail: expect.stringContaining(words) }]]);
  }
  expect((await api('GET', `/creatives/${booked.creative.id}`)).body.content).toBe(booked.creative.content);
  const unstored = await api('PATCH', `/creatives/${booked.creative.id}`, {
    content: JSON.stringify({ ...PLAIN, poster: `/static/assets/${'0'.repeat(64)}.png` }),
  });
  expect(unstored.body.errors).toEqual([{ pointer: '/content', detail: expect.stringContaining('not stored') }]);
});
