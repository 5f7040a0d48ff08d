import type { Creative } from '../../src/catalog/model/entities.ts';
import { NO_SIGNALS, type PrivacySignals } from '../../src/context/consent/privacy-signals.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { createAuctionWriter } from '../../src/http/openrtb/write-auction.ts';
import type { ReadAuction } from '../../src/http/openrtb/read-auction.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { sampleCampaign, sampleCreative, sampleLineItem } from '../../testkit/sample-booking.ts';

const flight = { startMs: 0, endMs: 1e12 };
const DOMAIN = 'brand.example';
const CLICK_URL = 'https://brand.example/?a=1&b="2"';
const SIZE = { width: 300, height: 250 };

const write = createAuctionWriter({ signToken: ({ tokenId }) => `signed.${tokenId}-_`, assetsUrl: '', creativeOrigin: '' });

/** The only bid of an answer. */
const bidFor = (
  changes: Partial<Creative>,
  {
    tokenId = 'id-1',
    size = SIZE,
    base = 'https://ads.example',
    signals = NO_SIGNALS,
    dealId = null,
    lineItemEdition = 0,
    test = false,
  }: {
    readonly tokenId?: string;
    readonly size?: typeof SIZE;
    readonly base?: string;
    readonly signals?: PrivacySignals;
    readonly dealId?: string | null;
    readonly lineItemEdition?: number;
    readonly test?: boolean;
  } = {},
) => {
  const candidate: RankedCandidate = {
    creative: sampleCreative(7, changes),
    lineItem: sampleLineItem({ id: 7, flight, dealId, edition: lineItemEdition }),
    campaign: sampleCampaign({ flight }),
    ...{ ecpmMicros: 1_500_000, priceMicros: 1500, expectedMicros: 1500, position: 0, bid: -1 },
  };
  const ad = { tokenId, tokenExpS: 1_800, holdEndMs: 66_000, servedAtMs: 0 } as ServedAd;
  const imp = { impId: '"1', placementId: 'top', size, otherSizes: [], formats: ['html' as const, 'banner' as const] };
  const auction = { request: { id: 'a"' }, seats: new Map([['"1', 'seat"']]), test, currency: 'EUR', rate: 0.5 } as unknown as ReadAuction;
  const answer = {
    currency: 'USD',
    filled: [{ imp, won: { candidate, bid: undefined, ad } }],
    unfilled: [],
    reason: undefined,
    mayRemember: true,
    trace: undefined,
  };
  const text = write({ auction, answer, signals, base, disclosure: 'public' });
  const { seatbid, ...head } = JSON.parse(text) as {
    readonly seatbid: readonly { readonly seat: string; readonly bid: readonly object[] }[];
  };
  expect([head, seatbid.map(({ seat }) => seat)]).toEqual([{ id: 'a"', cur: 'EUR', ext: { seatnonbid: [] } }, ['seat"']]);
  return seatbid[0]!.bid[0] as { readonly adm: string };
};
const html = (markup: string): Partial<Creative> => ({ content: { format: 'html', markup } });

test('a bid names its ad, its price in the currency of the auction, its creative and its end', () => {
  const banner = { image: '/static/a.png', alt: '"A" & B', images: [] };
  const creative = { content: { format: 'banner', banner } as const, clickUrl: CLICK_URL, advertiserDomain: DOMAIN };
  for (const tokenId of ['id-1', 'id-2']) {
    const { adm, ...bid } = bidFor(creative, { tokenId, dealId: 'deal"' });
    expect(bid).toEqual({
      ...{ id: tokenId, impid: '"1', price: 0.75, burl: `https://ads.example/impression?t=signed.${tokenId}-_` },
      ...{ adomain: [DOMAIN], cid: '1', crid: '7', dealid: 'deal"', mtype: 1, w: 300, h: 250, exp: 55 },
    });
    expect(adm).toContain(`href="https://ads.example/click?t=signed.${tokenId}-_"`);
    expect(adm).toContain('src="https://ads.example/static/a.png" alt="&quot;A&quot; &amp; B" width="300" height="250"');
  }
});

test('the text of a creative is kept for as long as it is the same', () => {
  expect(bidFor({ ...html('one'), edition: 1 }, { dealId: 'a' })).toMatchObject({ adm: 'one', dealid: 'a', w: 300 });
  expect(bidFor({ ...html('two'), edition: 2 }, { dealId: 'a' })).toMatchObject({ adm: 'two', dealid: 'a' });
  expect(bidFor({ ...html('two'), edition: 2 }, { dealId: 'b', lineItemEdition: 1 })).toMatchObject({ adm: 'two', dealid: 'b' });
  const wide = { width: 728, height: 90 };
  expect(bidFor({ ...html('two'), edition: 2 }, { lineItemEdition: 1, size: wide })).toMatchObject({ adm: 'two', w: 728, h: 90 });
  const banner = { content: { format: 'banner', banner: { image: '/a.png', alt: '', images: [] } } as const, edition: 3 };
  for (const base of ['https://one.example', 'https://two.example']) expect(bidFor(banner, { base }).adm).toContain(`src="${base}/a.png"`);
});

test('macros are filled anew for each answer', () => {
  const markup = '<a href="${CLICK_URL}">"${CACHEBUSTER}" ${CLICK_URL_ENC} ${CACHEBUSTER} ${AUCTION_PRICE} ${OTHER}</a>';
  for (const tokenId of ['id-1', 'id-2']) {
    const click = `https://ads.example/click?t=signed.${tokenId}-_`;
    const adm = `<a href="${click}">"${tokenId}" ${encodeURIComponent(click)} ${tokenId} \${AUCTION_PRICE} \${OTHER}</a>`;
    expect(bidFor({ ...html(markup), edition: 4 }, { tokenId }).adm).toBe(adm);
  }
  for (const gdpr of [true, false])
    expect(bidFor({ ...html('${GDPR}'), edition: 5 }, { signals: { ...NO_SIGNALS, gdpr } }).adm).toBe(gdpr ? '1' : '0');
});

test('an auction in test mode gets a bid that counts nothing', () => {
  const bid = bidFor({ ...html('<a href="${CLICK_URL}">'), clickUrl: CLICK_URL, edition: 6 }, { test: true });
  expect(bid).toEqual({
    id: 'test-"1',
    impid: '"1',
    price: 0.75,
    adm: `<a href="${CLICK_URL}">`,
    cid: '1',
    crid: '7',
    mtype: 1,
    w: 300,
    h: 250,
    exp: 55,
  });
});
