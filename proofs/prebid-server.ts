import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startBidder } from '../testkit/start-bidder.ts';
import { startPrebidCache } from '../testkit/start-prebid-cache.ts';
import { untilTrue } from '../testkit/until.ts';
import { startRealPrebidServer } from './prebid/start-real-prebid-server.ts';
import type { Fleet } from './rig/open-fleet.ts';
import type { Proof } from './rig/proof.ts';

const ADMIN_TOKEN = 'a-token-of-the-staff-of-this-proof';
const PUBLIC_URL = 'https://ads.example';
const PAGE = 'https://news.example/a';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const FLIGHT = { start_date: '2020-01-01', end_date: '2099-12-31' };
/** US dollars for a euro is 1 / this. */
const EUROS = 0.8;
const SIZE = { w: 300, h: 250 };
const BANNER = { banner: { format: [SIZE] } };
const VIDEO = { mimes: ['video/mp4'], protocols: [2, 3, 5, 6, 7, 8], w: 640, h: 360, maxduration: 30 };
const FILM = JSON.stringify({ duration: 15, media: [{ url: 'https://brand.example/a.mp4', type: 'video/mp4', width: 640, height: 360 }] });

interface Bid {
  readonly impid: string;
  readonly price: number;
  readonly adm: string;
  readonly mtype?: number;
  readonly burl?: string;
  readonly adomain?: readonly string[];
  readonly w?: number;
  readonly h?: number;
  readonly ext?: { readonly prebid?: { readonly cache?: { readonly bids?: { readonly url: string } } } };
}
interface Answer {
  readonly cur?: string;
  readonly seatbid?: readonly { readonly seat: string; readonly bid: readonly Bid[] }[];
  readonly ext?: { readonly errors?: Readonly<Record<string, readonly { readonly message: string }[]>> };
}

/** What is compared: a sentence, and whether it holds. */
type Check = readonly [what: string, holds: boolean];

const api =
  (url: string) =>
  async (kind: string, fields: object): Promise<{ readonly id: number }> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` };
    const answer = await fetch(`${url}/api/${kind}`, { method: 'POST', headers, body: JSON.stringify(fields) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST /api/${kind} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as { readonly id: number };
  };

/** The bidder that a stored imp asks. */
const BEHIND = { ext: { prebid: { bidder: { exchange: { type: 'publisher', placementId: 'any' } } } } };

/** A publisher whose placements the pages of Prebid Server ask for, and a line item that asks Prebid Server. */
const bookAll = async (url: string, prebidServer: string): Promise<{ readonly key: string }> => {
  const post = api(url);
  const { id: publisher_id, api_key } = (await post('publishers', {
    ...{ name: 'News', domain: 'news.example', origins: ['https://news.example'] },
  })) as { readonly id: number; readonly api_key: string };
  for (const placement of [
    { id: 'top', width: 300, height: 250, formats: ['banner'] },
    { id: 'feed', width: 300, height: 250, formats: ['native'] },
    { id: 'side', width: 300, height: 250, formats: ['banner'] },
    { id: 'film', width: 640, height: 360, formats: ['video'] },
    { id: 'clip', width: 640, height: 360, formats: ['video'] },
  ])
    await post('placements', { publisher_id, ...placement });
  const { id: campaign_id } = await post('campaigns', { publisher_id, name: 'Coffee', ...FLIGHT });
  const { id: bidder_id } = await post('bidders', {
    ...{ name: 'Prebid Server', endpoint: prebidServer, gzip: true },
    params: { prebid: { storedrequest: { id: '${PLACEMENT_ID}' } } },
  });
  const lineItem = (fields: object) => post('line_items', { campaign_id, active: true, ...FLIGHT, ...fields });
  const direct = await lineItem({ name: 'direct', budget_type: 'CPM', cpm: 4.5, deal_id: 'autumn' });
  const programmatic = await lineItem({ name: 'exchange', type: 'programmatic', budget_type: 'CPM', bidder_id });
  const link = { click_url: 'https://brand.example/', advertiser_domain: 'brand.example' };
  const image = (name: string): string => JSON.stringify({ image: `https://brand.example/${name}.png`, alt: 'Coffee' });
  const ofDirect = { line_item_id: direct.id, ...link };
  await post('creatives', { ...ofDirect, placement_id: 'top', format: 'banner', content: image('a'), width: 300, height: 250 });
  await post('creatives', {
    ...ofDirect,
    ...{ placement_id: 'feed', format: 'native', content: '{"title":"Coffee","image":"https://brand.example/b.png"}' },
  });
  await post('creatives', { ...ofDirect, placement_id: 'film', format: 'video', content: FILM });
  await post('creatives', { placement_id: 'side', line_item_id: programmatic.id, format: 'banner', content: image('c') });
  await post('creatives', { placement_id: 'clip', line_item_id: programmatic.id, format: 'video', content: '{}' });
  return { key: api_key };
};

/** A page that asks Prebid Server for impressions of the bidder `direct`. */
const pageOf =
  (url: string) =>
  async (imps: readonly object[], changes: object = {}): Promise<Answer> => {
    const body = {
      id: 'r1',
      imp: imps.map((imp, i) => ({ id: String(i + 1), ...imp })),
      site: { page: PAGE, domain: 'news.example', publisher: { id: '1' } },
      device: { ua: BROWSER, ip: '203.0.113.7' },
      user: { id: 'visitor' },
      tmax: 2_000,
      ...changes,
    };
    const answer = await fetch(`${url}/openrtb2/auction`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Prebid Server answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Answer;
  };

const placed = (placementId: string, more: object = BANNER): object => ({
  ...more,
  ext: { prebid: { bidder: { direct: { type: 'publisher', placementId } } } },
});
const bidsOf = ({ seatbid = [] }: Answer): readonly Bid[] => seatbid.flatMap(({ bid }) => bid);
const isPrice = (bid: Bid | undefined, price: number): boolean => bid !== undefined && Math.abs(bid.price - price) < 1e-6;

const asNative = {
  native: {
    request: JSON.stringify({
      ver: '1.2',
      assets: [
        { id: 7, required: 1, title: { len: 90 } },
        { id: 8, img: { type: 3, wmin: 1, hmin: 1 } },
      ],
    }),
  },
};

/** What pages get of us through Prebid Server. */
const asSeller = async (fleet: Fleet, ask: ReturnType<typeof pageOf>): Promise<readonly Check[]> => {
  const [banner] = bidsOf(await ask([placed('top')]));
  const two = bidsOf(await ask([placed('top'), placed('feed', asNative)]));
  const native = two.find(({ impid }) => impid === '2');
  const unknown = await ask([placed('nowhere')]);
  const dear = await ask([placed('top', { ...BANNER, bidfloor: 9, bidfloorcur: 'USD' })]);
  const fair = await ask([placed('top', { ...BANNER, bidfloor: 4, bidfloorcur: 'USD' })]);
  const euros = await ask([placed('top')], { cur: ['EUR'] });
  const foreign = await ask([placed('top')], {
    site: { page: 'https://elsewhere.example/', domain: 'elsewhere.example', publisher: { id: '1' } },
  });
  const counted = () => fleet.metric('adserver_impressions_total');
  const before = await counted();
  const burl = banner?.burl?.replace(PUBLIC_URL, '') ?? '/none';
  const notify = async (): Promise<number> =>
    (await fetch(fleet.url + burl, { headers: { 'user-agent': BROWSER, referer: 'https://news.example/' } })).status;
  const notices = [await notify(), await notify()];
  await untilTrue(async () => (await counted()) > before, 5_000);
  return [
    ['a banner is bid for at its price', isPrice(banner, 4.5)],
    ['with its size', banner?.w === SIZE.w && banner.h === SIZE.h],
    ['and its advertiser domain', banner?.adomain?.[0] === 'brand.example'],
    ['its markup names no address but ours and the advertiser’s', banner?.adm.includes(`${PUBLIC_URL}/click?t=`) === true],
    ['its notice is taken', notices.every((status) => status === 200)],
    ['and bills once', (await counted()) === before + 1],
    ['two impressions get two bids', two.length === 2],
    ['native answers have the ids of the assets that were asked for', /"id":7\b/.test(native?.adm ?? '')],
    ['an unknown placement gets no bid and no error', bidsOf(unknown).length === 0 && unknown.ext?.errors?.['direct'] === undefined],
    ['a floor above the price gets no bid', bidsOf(dear).length === 0],
    ['a floor below it gets one', bidsOf(fair).length === 1],
    ['prices are in the currency that the page asks for', euros.cur === 'EUR' && isPrice(bidsOf(euros)[0], 4.5 * EUROS)],
    ['a page of another origin gets no bid', bidsOf(foreign).length === 0],
  ];
};

/** Of the VAST that a player gets. */
const impressionsIn = (vast: string): readonly string[] =>
  [...vast.matchAll(/<Impression>(?:<!\[CDATA\[)?([^<\]]+)/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'));

/** What players get of us by way of Prebid Server and its cache. */
const asSellerOfVideo = async (fleet: Fleet, ask: ReturnType<typeof pageOf>): Promise<readonly Check[]> => {
  const cached = { ext: { prebid: { cache: { vastxml: {} }, targeting: {} } } };
  const [film] = bidsOf(await ask([placed('film', { video: VIDEO })], cached));
  const [long] = bidsOf(await ask([placed('film', { video: { ...VIDEO, maxduration: 10 } })], cached));
  // Where Prebid Server for Java says `vastXml`, that for Go says `bids`.
  const kept = film?.ext?.prebid?.cache?.bids?.url;
  const text = kept === undefined ? '' : await (await fetch(kept)).text();
  const counted = () => fleet.metric('adserver_impressions_total');
  const before = await counted();
  const [impression = '/none'] = impressionsIn(text).map((url) => url.replace(PUBLIC_URL, ''));
  const seen = { headers: { 'user-agent': BROWSER, referer: 'https://news.example/' } };
  for (let i = 0; i < 2; i++) await fetch(fleet.url + impression, seen);
  await untilTrue(async () => (await counted()) > before, 5_000);
  return [
    ['a video is bid for as VAST at its price', isPrice(film, 4.5) && film?.mtype === 2 && /^<\?xml.*<VAST /.test(film.adm)],
    ['it has no notice: its Impression bills', film !== undefined && film.burl === undefined],
    ['a player gets the same from the cache of Prebid Server', text !== '' && text === film?.adm],
    ['whose Impression bills once', (await counted()) === before + 1],
    ['a video that is too long for the player gets no bid', long === undefined],
  ];
};

/** What players get of the demand behind Prebid Server. */
const asBuyerOfVideo = async (fleet: Fleet, apiKey: string, demand: { vastAt: string | undefined }): Promise<readonly Check[]> => {
  const ask = async (): Promise<string> => (await fleet.page.get(`/vast?key=${apiKey}&placement=clip`)).text;
  const inBid = impressionsIn(await ask());
  demand.vastAt = 'https://bidder.example/vast?p=${AUCTION_PRICE}';
  const wrapper = await ask();
  return [
    ['the VAST of an exchange plays with its Impression and ours', inBid.length === 2 && inBid.includes('https://bidder.example/i')],
    [
      'VAST at an address is wrapped',
      wrapper.includes('<VASTAdTagURI><![CDATA[https://bidder.example/vast?p=') && impressionsIn(wrapper).length === 1,
    ],
  ];
};

/** What we get of the demand behind Prebid Server. */
const asBuyer = async (fleet: Fleet, apiKey: string, prices: { cpm: number }): Promise<readonly Check[]> => {
  const ask = (placementId: string) =>
    fleet.page.ask({ publisherId: 1, apiKey, placementId, campaignId: 1, lineItemIds: [], creativeIds: [] }, 'visitor');
  const won = await ask('side');
  prices.cpm = 2.25;
  const again = await ask('side');
  return [
    ['a stored imp finds the demand of an exchange', won.bids.length === 1],
    ['its bid is shown', won.text.includes('bid</b>')],
    ['at its price', Math.abs((won.bids[0]?.price ?? 0) - 3) < 1e-6],
    ['the next one at the next price', Math.abs((again.bids[0]?.price ?? 0) - 2.25) < 1e-6],
  ];
};

/** Rates as Prebid's currency service publishes them: a file for us, an address for Prebid Server. */
const startRates = async (folder: string) => {
  const body = JSON.stringify({ dataAsOf: '2026-01-01', conversions: { USD: { EUR: EUROS, USD: 1 }, EUR: { USD: 1 / EUROS, EUR: 1 } } });
  const file = path.join(folder, 'rates.json');
  await writeFile(file, body);
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { file, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
};

export const prebidServer: Proof = {
  name: 'prebid-server',
  needs: 'Go',
  claim: 'the real Prebid Server for Go, built from its module, with the bidder file that sdk/examples publishes',
  expected: 'pages get our ads through it, and line items get the ads of exchanges behind it',
  run: async (rig) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'prebid-server-'));
    const rates = await startRates(folder);
    const prices = { cpm: 3 };
    const demand: { vastAt: string | undefined } = { vastAt: undefined };
    const exchange = await startBidder(
      () => prices.cpm,
      () => demand.vastAt,
    );
    const cache = await startPrebidCache();
    const fleet = await rig.fleet({
      replicas: 1,
      env: { PUBLIC_URL, ADMIN_TOKEN, EARNED_HOLDS: 'false', CURRENCY_RATES: rates.file, BIDDER_TIMEOUT: '2s' },
    });
    try {
      const server = await startRealPrebidServer({
        ...{ folder, exchange: exchange.endpoint, ratesUrl: rates.url, endpoint: `${fleet.url}/openrtb2/auction/1`, cacheUrl: cache.url },
        stored: { side: { ...BANNER, ...BEHIND }, clip: { video: VIDEO, ...BEHIND } },
      });
      try {
        const { key } = await bookAll(fleet.url, `${server.url}/openrtb2/auction`);
        await fleet.reload();
        const ask = pageOf(server.url);
        const checks = [
          ...(await asSeller(fleet, ask)),
          ...(await asSellerOfVideo(fleet, ask)),
          ...(await asBuyer(fleet, key, prices)),
          ...(await asBuyerOfVideo(fleet, key, demand)),
        ];
        const failed = checks.filter(([, holds]) => !holds).map(([what]) => what);
        return {
          observed: `Prebid Server ${server.version}: ${checks.length - failed.length} of ${checks.length} checks hold${failed.length > 0 ? `; not: ${failed.join('; ')}` : ''}`,
          ok: failed.length === 0,
        };
      } finally {
        await server.stop();
      }
    } finally {
      await fleet.close();
      exchange.close();
      cache.close();
      rates.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
};
