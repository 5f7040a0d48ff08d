import fc from 'fast-check';
import { BID_OUTCOMES } from '../../src/bidders/bid-outcome.ts';
import { fillAuctionMacros, formatCpm } from '../../src/bidders/openrtb/fill-auction-macros.ts';
import { hasInsecureResource } from '../../src/bidders/openrtb/has-insecure-resource.ts';
import { mockBid } from '../../src/bidders/openrtb/mock-bid.ts';
import { sampleBidder, sampleBlocked } from '../../testkit/sample-booking.ts';
import { readNativeAssets } from '../../src/bidders/openrtb/native-assets.ts';
import { readBidResponse, type AskedBid } from '../../src/bidders/openrtb/read-bid-response.ts';
import { expectCpuBelow } from '../setup/expect-cpu-below.ts';

const RATES = new Map([
  ['USD', 1],
  ['EUR', 0.8],
]);

const asked = ({ floorMicros = 0, ...more }: Partial<AskedBid> & { readonly floorMicros?: number } = {}): AskedBid => ({
  auctionId: 'auction',
  bidder: sampleBidder({ endpoint: 'https://bidder.example/' }),
  currencies: { asked: 'USD', booked: 'USD' },
  rateOf: (currency) => RATES.get(currency),
  blocked: [],
  dsa: undefined,
  format: 'html',
  secure: true,
  mayNotify: () => true,
  imps: new Map([
    ['a', { size: { width: 300, height: 250 }, otherSizes: [{ width: 160, height: 600 }], floors: new Map([['', floorMicros]]) }],
    ['b', { size: { width: 728, height: 90 }, otherSizes: [], floors: new Map([['', floorMicros]]) }],
  ]),
  ...more,
});

const maybe = <T>(sound: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 19, arbitrary: sound }, { weight: 1, arbitrary: fc.jsonValue() });

test('for any JSON, an accepted bid is valid and a refused bid has a reason', () => {
  const bid = fc.record(
    {
      id: maybe(fc.string()),
      impid: maybe(fc.constantFrom('a', 'b', 'a', 'b', 'c', '__proto__')),
      price: maybe(fc.oneof(fc.double(), fc.double({ min: 0, max: 5, noNaN: true }), fc.double({ min: 0.1, max: 5, noNaN: true }))),
      adm: maybe(
        fc.constantFrom(
          '<b>ad ${AUCTION_PRICE}</b>',
          '<img src="http://x/">',
          '{"link":{"url":"https://x.example"},"assets":[{"id":1,"title":{"text":"${AUCTION_PRICE}"}}]}',
          ' ',
        ),
      ),
      w: maybe(fc.constantFrom(300, 0, 728, -1, 1.5)),
      h: maybe(fc.constantFrom(90, 0, 250, -1, 1.5)),
      mtype: fc.constantFrom(undefined, 1, 4, '1'),
      adomain: maybe(fc.array(fc.string())),
      nurl: maybe(fc.webUrl()),
      burl: maybe(fc.webUrl()),
      lurl: maybe(fc.constant('https://x.example/?${AUCTION_LOSS}')),
    },
    { requiredKeys: [] },
  );
  const answer = maybe(
    fc.record(
      {
        id: maybe(fc.string()),
        cur: maybe(fc.constantFrom('USD', 'EUR', 'GBP', 'toString')),
        seatbid: maybe(fc.array(maybe(fc.record({ bid: maybe(fc.array(maybe(bid))) })))),
      },
      { requiredKeys: [] },
    ),
  );
  let accepted = 0;
  fc.assert(
    fc.property(answer, fc.constantFrom('html' as const, 'native' as const), fc.boolean(), (json, format, secure) => {
      const { best, refused } = readBidResponse(json, asked({ format, secure, floorMicros: 10_000 }));
      for (const read of best) {
        accepted += 1;
        expect(['a', 'b']).toContain(read.impId);
        expect(Number.isSafeInteger(read.cpmMicros) && read.cpmMicros >= 10_000 && read.cpmMicros <= 1_000_000_000).toBe(true);
        expect(read.adm.trim()).not.toBe('');
        expect(read.adm).not.toContain('${AUCTION_PRICE}');
        expect(Buffer.byteLength(read.adm)).toBeLessThanOrEqual(64 * 1024);
        expect(read.adomain.every((domain) => typeof domain === 'string')).toBe(true);
      }
      for (const { outcome } of refused) expect(BID_OUTCOMES[outcome].seatNonBid).toBeGreaterThanOrEqual(100);
    }),
    { numRuns: 4_000 },
  );
  expect(accepted).toBeGreaterThan(50);
});

test('the highest of several bids wins, and the first of equal bids', () => {
  const bids = [1, 3, 3, 2].map((price, index) => ({ id: `b${index}`, impid: 'a', price, adm: 'x' }));
  const { best, refused } = readBidResponse({ seatbid: [{ bid: bids }] }, asked());
  expect(best).toMatchObject([{ impId: 'a', bidId: 'b1', cpmMicros: 3_000_000 }]);
  expect(refused.map(({ outcome }) => outcome)).toEqual(['outbid_by_itself', 'outbid_by_itself', 'outbid_by_itself']);
});

const FLOORS = { size: { width: 300, height: 250 }, otherSizes: [] };
const bidder = (changes: object) => sampleBidder({ endpoint: 'https://bidder.example/', ...changes });
const readOne = (bid: object, more: Partial<AskedBid> = {}, answer: object = {}) => {
  const { best, refused } = readBidResponse(
    { ...answer, seatbid: [{ seat: 's1', bid: [{ impid: 'a', price: 2, adm: 'x', ...bid }] }] },
    asked(more),
  );
  return best[0] ?? refused[0]?.outcome;
};

test('a bid is read in its currency, adjusted, and compared with the floor in the currency that was asked for', () => {
  expect(readOne({ adm: '${AUCTION_PRICE} ${AUCTION_CURRENCY}' }, {}, { cur: 'EUR' })).toMatchObject({
    cpmMicros: 2_500_000,
    adm: '2 EUR',
  });
  expect(readOne({}, { bidder: bidder({ bidAdjustment: 0.85 }) })).toMatchObject({ cpmMicros: 1_700_000 });
  const imps = (floorMicros: number) => new Map([['a', { ...FLOORS, floors: new Map([['', floorMicros]]) }]]);
  const inEuros = { currencies: { asked: 'EUR', booked: 'USD' } };
  expect(readOne({}, { ...inEuros, imps: imps(2_000_000) }, { cur: 'EUR' })).toMatchObject({ cpmMicros: 2_500_000 });
  expect(readOne({}, { ...inEuros, imps: imps(2_000_001) }, { cur: 'EUR' })).toBe('below_floor');
  expect(readOne({}, { ...inEuros, imps: imps(1_600_000) })).toMatchObject({ cpmMicros: 2_000_000 });
  expect(readOne({}, { ...inEuros, imps: imps(1_600_001) })).toBe('below_floor');
  // In the books of a publisher in EUR, whatever was asked for; its own currency needs no rate.
  expect(readOne({}, { currencies: { asked: 'USD', booked: 'EUR' } })).toMatchObject({ cpmMicros: 1_600_000 });
  expect(readOne({}, { currencies: { asked: 'CHF', booked: 'CHF' } }, { cur: 'CHF' })).toMatchObject({ cpmMicros: 2_000_000 });
  // 1,500 yen are no mistake in units where yen have no rate; a hundred times as many are.
  const inYen = { currencies: { asked: 'JPY', booked: 'JPY' } };
  expect(readOne({ price: 1_500 }, inYen, { cur: 'JPY' })).toMatchObject({ cpmMicros: 1_500_000_000 });
  expect(readOne({ price: 150_000 }, inYen, { cur: 'JPY' })).toBe('bad_price');
  for (const cur of ['GBP', 'eur', 5, ['USD'], '']) expect(readOne({}, {}, { cur })).toBe('wrong_currency');
});

test('each deal has its own floor and its own best bid, and the open market another', () => {
  const floors = new Map([
    ['', 1_000_000],
    ['d1', 3_000_000],
    ['d2', 2_000_000],
  ]);
  const imps = new Map([['a', { ...FLOORS, floors }]]);
  const bid = (id: string, price: number, dealid?: unknown) => ({ id, impid: 'a', price, adm: 'x', dealid });
  const bids = [bid('1', 2), bid('2', 1.5, 'elsewhere'), bid('3', 3, 'd1'), bid('4', 4, 'd1'), bid('5', 1, 'd2'), bid('6', 9, 5)];
  const { best, refused } = readBidResponse({ seatbid: [{ bid: bids }] }, asked({ imps }));
  expect(best.map(({ bidId, deal }) => [bidId, deal])).toEqual([
    ['1', ''],
    ['4', 'd1'],
  ]);
  expect(refused.map(({ outcome }) => outcome).sort()).toEqual([
    'below_deal_floor',
    'outbid_by_itself',
    'outbid_by_itself',
    'unknown_deal',
  ]);
  const closed = new Map([['a', { ...FLOORS, floors: new Map([['d1', 0]]) }]]);
  expect([readOne({}, { imps: closed }), readOne({ dealid: 'd9' }, { imps: closed })]).toEqual(['unknown_deal', 'unknown_deal']);
  expect(readOne({ dealid: 'd1' }, { imps: closed })).toMatchObject({ deal: 'd1' });
});

test('a bid of another seat, a blocked advertiser, category or attribute is refused', () => {
  const blocked = { bcat: ['IAB25', 'IAB7-1'], cattax: 1, badv: new Set(['casino.example']), battr: [6] };
  const strict = { blocked: [sampleBlocked, { ...sampleBlocked, ...blocked }] };
  expect(readOne({ adomain: ['WWW.Casino.example'] }, strict)).toBe('blocked_advertiser');
  expect(readOne({ adomain: ['notcasino.example'] }, strict)).toMatchObject({ adomain: ['notcasino.example'] });
  expect([['IAB25'], ['IAB1', 'IAB25-3'], ['IAB7-1']].map((cat) => readOne({ cat }, strict))).toEqual(Array(3).fill('blocked_category'));
  expect(readOne({ cat: ['IAB7', 'IAB250'] }, strict)).toMatchObject({ cat: ['IAB7', 'IAB250'], cattax: 1 });
  expect(readOne({ cat: ['IAB25'], cattax: 7 }, strict)).toMatchObject({ cattax: 7 });
  expect(readOne({ attr: [1, 6] }, strict)).toBe('blocked_attribute');
  expect(readOne({ attr: ['6', null], cat: 'IAB25', adomain: 'casino.example' }, strict)).toMatchObject({ cat: [], adomain: [] });
  const { imps } = asked();
  const forImp = { imps: new Map([...imps].map(([id, imp]) => [id, { ...imp, battr: [3] }])) };
  expect([readOne({ attr: [1, 3] }, forImp), readOne({ attr: [1] }, forImp)]).toMatchObject(['blocked_attribute', { bidId: '' }]);
  const only = { blocked: [{ ...sampleBlocked, acat: ['IAB1'] }] };
  expect([[], ['IAB2'], ['IAB10']].map((cat) => readOne({ cat }, only))).toEqual(Array(3).fill('blocked_category'));
  expect([readOne({ cat: ['IAB1-2'] }, only), readOne({ cat: ['IAB1'], cattax: 7 }, only)]).toMatchObject([
    { cat: ['IAB1-2'] },
    'blocked_category',
  ]);
  expect([readOne({}, { bidder: bidder({ seats: ['s1'] }) }), readOne({}, { bidder: bidder({ seats: ['s2'] }) })]).toMatchObject([
    { bidId: '' },
    'blocked_seat',
  ]);
});

const dsaOf = (dsa: unknown, ext = { dsa }) => readOne({ ext }, { dsa: { dsarequired: 2, pubrender: 1 } });
const DISCLOSED = { behalf: 'Brand', paid: 'Agency', adrender: 1, transparency: [{ domain: 'b.example', dsaparams: [1, 2] }] };

test('where the DSA requires it, a bid names on whose behalf the ad is shown, who pays and who renders that', () => {
  expect(dsaOf(DISCLOSED)).toMatchObject({ dsa: DISCLOSED });
  const hostile = [
    undefined,
    null,
    1,
    'x',
    [],
    {},
    { behalf: 'Brand' },
    { ...DISCLOSED, paid: 5 },
    { ...DISCLOSED, behalf: 'x'.repeat(101) },
  ];
  for (const dsa of hostile) expect([dsa, dsaOf(dsa)]).toEqual([dsa, 'no_dsa']);
  expect(dsaOf({ ...DISCLOSED, adrender: '1', transparency: [5, { domain: 7 }, { domain: 'b.example', dsaparams: 'x' }] })).toMatchObject({
    dsa: { behalf: 'Brand', paid: 'Agency', transparency: [{ domain: 'b.example', dsaparams: [] }] },
  });
  const render = (pubrender: number, adrender: number) =>
    readOne({ ext: { dsa: { ...DISCLOSED, adrender } } }, { dsa: { dsarequired: 3, pubrender } });
  expect([render(0, 0), render(2, 1)]).toEqual(['no_dsa', 'no_dsa']);
  expect([render(0, 1), render(1, 0), render(2, 0)]).toMatchObject([{ bidId: '' }, { bidId: '' }, { bidId: '' }]);
  expect(readOne({}, { dsa: { dsarequired: 1 } })).toMatchObject({ dsa: undefined });
});

test.each([
  [1, '0.000001'],
  [10, '0.00001'],
  [1_750_000, '1.75'],
  [2_000_000, '2'],
  [1_000_000_000, '1000'],
  [123_456_789, '123.456789'],
])('%i micros are the decimal %s', (micros, text) => {
  expect(formatCpm(micros)).toBe(text);
});

test('a price as text equals the price and has no exponent', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (micros) => {
      expect(formatCpm(micros)).toMatch(/^\d+(\.\d{1,6})?$/);
      expect(Math.round(Number(formatCpm(micros)) * 1_000_000)).toBe(micros);
    }),
  );
});

test('macros without a value are kept or removed as OpenRTB specifies, and values are escaped for their context', () => {
  expect(fillAuctionMacros('${AUCTION_PRICE}|${AUCTION_LOSS}|${AUCTION_MBR}|${AUCTION_FOO}|${CLICK}', { PRICE: '1.5', MBR: '' })).toBe(
    '1.5|${AUCTION_LOSS}||${AUCTION_FOO}|${CLICK}',
  );
  expect(fillAuctionMacros('${AUCTION_constructor}${AUCTION_SEAT_ID}', { SEAT_ID: '$&' })).toBe('${AUCTION_constructor}%24%26');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(fillAuctionMacros('${AUCTION_IMP_ID}${AUCTION_AD_ID:B64}', { IMP_ID: `${value}\ud800`, AD_ID: value })).toMatch(
        /^[\w.!~*'()%-]*$/,
      );
    }),
  );
});

test.each([
  '<img src="http://x">',
  "<img src='http://x'>",
  '<img src=http://x>',
  '<IMG SRC = "HTTP://x">',
  '<img alt=">" src="http://x">',
  '<img/src="http://x">',
  '<img src=" http://x">',
  '<img src="h\nttp://x">',
  '<img src="http&colon;//x">',
  '<img src="&#104;ttp://x">',
  '<script src="http://x"></script>',
  '<iframe src="http://x">',
  '<link rel=stylesheet href="http://x">',
  '<video poster="http://x">',
  '<object data="http://x">',
  '<image xlink:href="http://x">',
  '<img srcset="https://a 1x, http://b 2x">',
  '<style>b{background:url(http://x)}</style>',
  '<style>@import "http://x"</style>',
  '<i style="background:URL(\'http://x\')">',
  '<!--><img src="http://x">',
  '<!-- a --!><img src="http://x">',
  '<script>if (a<b && c>"</script><img src="http://x">',
  '<img src="http://x',
  "<img src='http://x",
  '<![CDATA[><img src="http://x">]]>',
  '<![CDATA[-- ><img src="http://x">-->',
  '<svg><style>b{background:url(&#104;ttp://x)}</style></svg>',
])('%s loads something over http', (markup) => {
  expect(hasInsecureResource(markup)).toBe(true);
});

test.each([
  '<a href="http://x">go</a>',
  '<img src="https://x/?u=http://y">',
  '<img src="//x">',
  '<img alt="src=http://x" src="https://x">',
  'http://x',
  '<!-- <img src="http://x"> -->',
  '<img title="<img src=http://x>" src="https://x">',
  '<area href="http://x">',
  '<script>var a = "<img src=http://x>"</script>',
  '<form action="http://x">',
  '1 < 2',
])('%s loads nothing over http', (markup) => {
  expect(hasInsecureResource(markup)).toBe(false);
});

test.each(['<a ', '<', '<a b', '"', '<a "', '<!--', '<script', 'url(', 'a=', '<x a=', ' ', '&#', '<a\n='])(
  '64 KiB of %j are scanned in no time',
  async (piece) => {
    const markup = `<a ${piece.repeat(Math.floor(65_000 / piece.length))}`;
    await expectCpuBelow(250, () => hasInsecureResource(markup));
  },
);

const link = { url: 'https://x.example' };
const title = { id: 1, title: { text: 'T' } };
test.each([
  ['no title', { link, assets: [] }, 'bad_native'],
  ['no link', { assets: [title] }, 'bad_native'],
  ['a script as link', { link: { url: 'javascript:alert(1)' }, assets: [title] }, 'bad_native'],
  ['assets that are no list', { link, assets: {} }, 'bad_native'],
  ['nothing', null, 'bad_native'],
  [
    'an image whose URL would end an attribute',
    { link, assets: [title, { id: 2, img: { url: `https://x.example/a'.png?"onerror="alert(1)` } }] },
    { title: 'T', click: 'https://x.example/', image: { url: 'https://x.example/a%27.png?%22onerror=%22alert(1)' } },
  ],
  ['an http image', { link, assets: [title, { id: 2, img: { url: 'http://x.example/i.png' } }] }, 'not_secure'],
  ['an http tracker', { link, assets: [title], imptrackers: ['http://x.example/'] }, 'not_secure'],
  ['a link to an http page', { link: { url: 'http://x.example' }, assets: [title] }, { title: 'T', click: 'http://x.example/' }],
  [
    'assets of the wrong shape',
    { link, assets: [title, null, { id: 2, img: 'x' }, { id: 5, data: { value: 7 } }] },
    { title: 'T', click: 'https://x.example/' },
  ],
])('a native answer with %s', (_, markup, expected) => {
  expect(readNativeAssets(markup, true)).toEqual(expected);
});

test('the mock bidder bids 1.75 for any body', () => {
  for (const body of [undefined, null, 'text', 7, [], { imp: 'x' }, { imp: [null, {}] }, { id: 5 }]) {
    const { status, delayMs, body: answer } = mockBid(new URLSearchParams(), body);
    expect([status, delayMs]).toEqual([200, 0]);
    expect(answer).toMatchObject({
      id: 'test',
      cur: 'USD',
      seatbid: [{ bid: expect.arrayContaining([expect.objectContaining({ impid: '1', price: 1.75 })]) }],
    });
  }
  expect(mockBid(new URLSearchParams('delay=250&price=9'), { id: 'q', imp: [{ id: 'i1' }, { id: 'i2' }] })).toMatchObject({
    delayMs: 250,
    body: {
      id: 'q',
      seatbid: [
        {
          bid: [
            { impid: 'i1', price: 9 },
            { impid: 'i2', price: 9 },
          ],
        },
      ],
    },
  });
  expect(mockBid(new URLSearchParams('delay=-5&price=x&no_bid=0'), {})).toMatchObject({ status: 200, delayMs: 0 });
  expect(mockBid(new URLSearchParams('no_bid=1'), {})).toEqual({ status: 204, delayMs: 0, body: null });
});

test('the markup of one response with its macros filled has at most 256 KiB, and a notice 2,048 characters', () => {
  const imps = Array.from({ length: 20 }, (_, i) => `${i}`);
  const size = { size: { width: 300, height: 250 }, otherSizes: [], floors: new Map([['', 0]]) };
  const seat = 'é'.repeat(128);
  // A macro of 18 characters becomes one of 768.
  const bid = imps.map((impid) => ({
    id: impid,
    impid,
    price: 1,
    adm: '${AUCTION_SEAT_ID}'.repeat(80),
    nurl: `https://x.example/${'${AUCTION_SEAT_ID}'.repeat(3)}`,
  }));
  const read = readBidResponse({ seatbid: [{ seat, bid }] }, asked({ imps: new Map(imps.map((impid) => [impid, size])) }));
  const filled = [...read.best.values()];
  expect(filled.map(({ adm }) => adm.length)).toEqual([61_440, 61_440, 61_440, 61_440]);
  expect(filled.map(({ winNoticeUrl }) => winNoticeUrl)).toEqual([null, null, null, null]);
  expect(read.refused.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 16 }, () => 'markup_too_large'));
});
