import { readFileSync } from 'node:fs';
import { isIPv4, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';
import type { BidContext } from '../../src/bidders/bidder-port.ts';
import { buildBidRequest, countryAlpha3 } from '../../src/bidders/openrtb/build-bid-request.ts';
import type { AskedImp } from '../../src/bidders/openrtb/read-bid-response.ts';
import { NO_SIGNALS } from '../../src/context/consent/privacy-signals.ts';
import { sampleBidder, sampleBlocked, sampleBlockedAdvertisers, samplePrivacy } from '../../testkit/sample-booking.ts';
import { context, opportunity } from './bidder-fixtures.ts';

const schema = JSON.parse(readFileSync(join(__dirname, 'openrtb-2.6-bid-request.schema.json'), 'utf8')) as object;
const ajv = new Ajv2020({ strict: true, allErrors: true, strictRequired: false, formats: { ipv4: isIPv4, ipv6: isIPv6 } });
const validate = ajv.addSchema(schema, 'openrtb').getSchema('openrtb')!;
const validateNative = ajv.compile({ $ref: 'openrtb#/$defs/NativeRequest' });

const parts = {
  auctionId: 'a-1',
  transactionId: 't-1',
  tmaxMs: 287,
  bidder: sampleBidder({ endpoint: 'https://bidder.example/' }),
  ...{ currency: 'USD', rate: 1 },
  blocked: [sampleBlocked],
  format: 'html' as const,
  imps: [
    {
      impId: 'imp-1',
      placement: opportunity([]).placement,
      size: { width: 300, height: 250 },
      otherSizes: [],
      floors: new Map([['', 250_000]]),
    },
  ],
  context,
  usdRate: 1,
};

const EVERY_FIELD = sampleBidder({
  endpoint: 'https://bidder.example/',
  params: { prebid: { storedrequest: { id: '${PLACEMENT_ID}' } }, sizes: [1, null, 'x'] },
  seats: ['s1', 's2'],
  schain: { asi: 'ads.example', sid: 'p-${PUBLISHER_ID}', name: 'Agency', domain: 'agency.example' },
});

const EVERY_BLOCK = [
  { bcat: ['IAB25'], acat: ['IAB1'], cattax: 1, badv: new Set(['casino.example']), battr: [1, 6] },
  { bcat: ['IAB26', 'IAB25'], acat: [], cattax: 1, badv: new Set(['casino.example', 'bet.example']), battr: [6] },
  { bcat: ['483'], acat: [], cattax: 7, badv: new Set<string>(), battr: [] },
];

test('a player is asked for by the stricter of the rules of its placement and of the auction', () => {
  const players = [
    { position: 'mid', min_duration: 5, max_duration: 30, skip: 'required', mimes: ['VIDEO/MP4', 'video/webm'] },
    { min_duration: 6.5, max_duration: 15, mimes: ['video/mp4'] },
  ] as const;
  const ask = (format: 'video' | 'audio', of: AskedImp['players']) => {
    const request = buildBidRequest({ ...parts, format, imps: [{ ...parts.imps[0]!, size: { width: 640, height: 360 }, players: of }] });
    return (request as { imp: Record<string, object>[] }).imp[0]![format];
  };
  const asked = { w: 640, h: 360, linearity: 1, protocols: [2, 3, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16] };
  expect(ask('video', players)).toEqual({
    ...asked,
    mimes: ['video/mp4'],
    minduration: 7,
    maxduration: 15,
    plcmt: 1,
    startdelay: -1,
    skip: 1,
  });
  expect(ask('video', [null, undefined])).toMatchObject({
    mimes: ['video/mp4', 'video/webm', 'application/x-mpegURL', 'application/dash+xml'],
  });
  expect(ask('audio', [{ max_duration: 30, mimes: ['audio/mpeg'] }])).toMatchObject({ mimes: ['audio/mpeg'], maxduration: 30 });
});

test('whatever a player takes, and wherever in a pod it is, the request is one of OpenRTB 2.6', () => {
  const seconds = fc.integer({ min: 1, max: 120 });
  const rules = fc.record(
    {
      position: fc.constantFrom('pre' as const, 'mid' as const, 'post' as const, 'outstream' as const),
      min_duration: fc.double({ min: 0, max: 60, noNaN: true }),
      max_duration: fc.double({ min: 1, max: 120, noNaN: true }),
      durations: fc.array(seconds, { maxLength: 3 }),
      skip: fc.constantFrom('allowed' as const, 'required' as const, 'forbidden' as const),
      mimes: fc.array(fc.constantFrom('video/mp4', 'VIDEO/webm', 'audio/mpeg', 'x/y'), { maxLength: 3 }),
      vast: fc.constantFrom('2.0' as const, '3.0' as const, '4.2' as const),
      min_cpm_per_second: fc.double({ min: 0, max: 5, noNaN: true }),
    },
    { requiredKeys: [] },
  );
  const pod = fc
    .record({ name: fc.string({ minLength: 1 }), slots: fc.integer({ min: 1, max: 10 }), slot: fc.integer({ min: 1, max: 10 }) })
    .map(({ name, slots, slot }) => ({ ...{ id: '1', impId: 'imp-1', name, maxMs: 60_000 }, slots, slot: Math.min(slot, slots) }));
  fc.assert(
    fc.property(
      fc.constantFrom('video' as const, 'audio' as const),
      fc.array(fc.option(rules), { maxLength: 3 }),
      fc.option(pod, { nil: undefined }),
      (format, players, inPod) => {
        const imps = [{ ...parts.imps[0]!, players, pod: inPod }];
        expect(validate(structuredClone(buildBidRequest({ ...parts, format, imps, rate: 0.9 })))).toBe(true);
      },
    ),
  );
  const asked = (one: number): unknown => {
    const place = { id: '1', impId: 'imp-1', name: 'main', maxMs: 60_000, slot: one, slots: 3 };
    const players = [{ vast: '3.0' as const, durations: [15, 30], min_cpm_per_second: 0.5, max_duration: 60 }];
    const built = buildBidRequest({ ...parts, format: 'video', imps: [{ ...parts.imps[0]!, players, pod: place }], rate: 0.9 });
    return (built as { imp: Record<string, object>[] }).imp[0]!['video'];
  };
  expect(asked(1)).toMatchObject({
    podid: 'main',
    podseq: 0,
    slotinpod: 1,
    rqddurs: [15, 30],
    protocols: [2, 3, 5, 6],
    mincpmpersec: 0.45,
  });
  expect([2, 3].map(asked)).toMatchObject([{ slotinpod: 0 }, { slotinpod: -1 }]);
});

test('what a bidder record has is in the request: parameters, seats, deals, block lists and the node of the supply chain', () => {
  const imps = [
    {
      ...parts.imps[0]!,
      floors: new Map([
        ['deal-1', 2_000_000],
        ['deal-2', 1_500_000],
      ]),
    },
  ];
  expect(buildBidRequest({ ...parts, bidder: EVERY_FIELD, currency: 'EUR', imps, blocked: EVERY_BLOCK })).toMatchObject({
    cur: ['EUR'],
    wseat: ['s1', 's2'],
    bcat: ['IAB25', 'IAB26'],
    acat: ['IAB1'],
    cattax: 1,
    badv: ['casino.example', 'bet.example'],
    imp: [
      {
        bidfloor: 1.5,
        bidfloorcur: 'EUR',
        banner: { battr: [1, 6] },
        ext: { prebid: { storedrequest: { id: 'top' } }, sizes: [1, null, 'x'] },
        pmp: {
          private_auction: 1,
          deals: [
            { id: 'deal-1', bidfloor: 2, bidfloorcur: 'EUR', at: 1, wseat: ['s1', 's2'] },
            { id: 'deal-2', bidfloor: 1.5, bidfloorcur: 'EUR', at: 1, wseat: ['s1', 's2'] },
          ],
        },
      },
    ],
    source: {
      tid: 't-1',
      schain: {
        complete: 1,
        ver: '1.0',
        nodes: [{ asi: 'ads.example', sid: 'p-7', hp: 1, rid: 't-1', name: 'Agency', domain: 'agency.example' }],
      },
    },
  });
  const open = [
    {
      ...parts.imps[0]!,
      floors: new Map([
        ['', 3_000_000],
        ['deal-1', 2_000_000],
      ]),
    },
  ];
  expect(buildBidRequest({ ...parts, imps: open })).toMatchObject({ imp: [{ bidfloor: 3, pmp: { private_auction: 0 } }] });
});

test('a banner request names the publisher, the impression, the page and the deadline', () => {
  expect(buildBidRequest(parts)).toEqual({
    id: 'a-1',
    at: 1,
    tmax: 287,
    cur: ['USD'],
    imp: [
      {
        id: 'imp-1',
        tagid: 'top',
        bidfloor: 0.25,
        bidfloorcur: 'USD',
        secure: 1,
        banner: { w: 300, h: 250, format: [{ w: 300, h: 250 }] },
      },
    ],
    site: {
      id: '7',
      domain: 'daily.example',
      page: 'https://daily.example/news',
      publisher: { id: '7', name: 'Daily', domain: 'daily.example' },
    },
    device: { ua: 'Mozilla/5.0 (Linux; Android 14) Mobile', ip: '198.51.100.7', geo: { country: 'DEU' }, devicetype: 4 },
    user: { id: 'u-hash', consent: 'CONSENT' },
    source: { tid: 't-1' },
    regs: { gdpr: 1, us_privacy: '1YNN' },
  });
});

test('omits unknown values', () => {
  const unknown: BidContext = {
    ...context,
    userAgent: '',
    ip: null,
    country: 'ZZ',
    device: null,
    pageUrl: 'not a page',
    signals: NO_SIGNALS,
  };
  expect(buildBidRequest({ ...parts, context: unknown })).toMatchObject({
    device: {},
    user: { id: 'u-hash' },
    site: { id: '7', domain: 'daily.example' },
  });
  expect(JSON.stringify(buildBidRequest({ ...parts, context: unknown }))).not.toContain('not a page');
  expect(Object.keys(buildBidRequest({ ...parts, context: unknown }))).not.toContain('regs');
});

test('sends an IPv6 address in device.ipv6, secure 0 for a page over http, and gdpr 0 when GDPR does not apply', () => {
  const request = buildBidRequest({
    ...parts,
    context: { ...context, ip: '2001:db8::7', pageUrl: 'http://daily.example/', signals: { ...NO_SIGNALS, gdpr: false } },
  });
  expect(request).toMatchObject({ device: { ipv6: '2001:db8::7' }, imp: [{ secure: 0 }], regs: { gdpr: 0 } });
});

test('a bid request contains no data of bookings', () => {
  const text = JSON.stringify(buildBidRequest(parts));
  for (const secret of ['secret', 'line item', '99', '123', 'campaign', 'invitation']) expect(text).not.toContain(secret);
});

test('every request is valid OpenRTB 2.6, and every native one Native 1.2', () => {
  const text = fc.string({ minLength: 1, maxLength: 128, unit: 'grapheme' });
  const contexts = fc.record({
    requestId: text,
    publisher: fc.record({
      id: fc.nat(),
      name: fc.string(),
      domain: text,
      origins: fc.constant(new Set<string>()),
      privacy: fc.constant(samplePrivacy),
      blocked: fc.constant(sampleBlocked),
      blockedAdvertisers: fc.constant(sampleBlockedAdvertisers),
      currency: fc.constant('USD'),
      onePerAdvertiser: fc.constant(false),
      dynamicAllocation: fc.constant(false),
      timeZone: fc.constant('UTC'),
      archived: fc.constant(false),
      apiKeyHash: fc.constant('k'),
    }),
    userHash: fc.oneof(fc.constant(''), text),
    userAgent: fc.string(),
    ip: fc.oneof(fc.constant(null), fc.ipV4(), fc.ipV6()),
    country: fc.oneof(fc.constant(null), fc.string({ minLength: 2, maxLength: 2 }), fc.constantFrom('US', 'gb', 'XK')),
    device: fc.constantFrom(null, 'mobile', 'desktop', 'tablet'),
    pageUrl: fc.oneof(fc.constant(null), fc.webUrl(), fc.string()),
    signals: fc.record({
      gdpr: fc.constantFrom(null, true, false),
      consent: fc.oneof(fc.constant(null), fc.string()),
      usPrivacy: fc.constantFrom(null, '', '1---', '1YNN'),
      gpp: fc.constantFrom(null, 'DBAA'),
      gppSid: fc.constantFrom([], [2, 6]),
      lmt: fc.constantFrom(null, false, true),
      coppa: fc.constantFrom(null, true, false),
      gpc: fc.boolean(),
    }),
    bidders: fc.constant(new Map()),
    dsa: fc.constantFrom(undefined, {}, { dsarequired: 3, pubrender: 1, transparency: [{ domain: 'a.example', dsaparams: [1] }] }),
    blocked: fc.constant(undefined),
    schain: fc.constantFrom(undefined, { complete: 0, ver: '1.0', nodes: [{ asi: 'a.example', sid: '1', hp: 1 }] }),
    test: fc.boolean(),
    shareWith: fc.constant(() => null),
  }) as fc.Arbitrary<BidContext>;
  const side = fc.integer({ min: 1, max: 5_000 });
  const imps = fc.uniqueArray(fc.record({ impId: text, width: side, height: side }), {
    minLength: 1,
    maxLength: 20,
    selector: ({ impId }) => impId,
  });
  fc.assert(
    fc.property(
      contexts,
      imps,
      fc.constantFrom('html' as const, 'native' as const),
      fc.nat(1_000_000_000),
      fc.constantFrom('', 'deal-1'),
      fc.constantFrom(parts.bidder, EVERY_FIELD),
      (asking, sizes, format, floorMicros, deal, bidder) => {
        const { placement } = opportunity([]);
        const request = JSON.parse(
          JSON.stringify(
            buildBidRequest({
              ...parts,
              format,
              context: asking,
              bidder,
              blocked: bidder === EVERY_FIELD ? EVERY_BLOCK : parts.blocked,
              imps: sizes.map(({ impId, ...size }) => ({ impId, placement, size, otherSizes: [], floors: new Map([[deal, floorMicros]]) })),
            }),
          ),
        ) as { readonly imp: readonly { readonly native?: { readonly request: string } }[] };
        expect([validate(request), validate.errors]).toEqual([true, null]);
        for (const { native } of request.imp) {
          expect(native !== undefined).toBe(format === 'native');
          if (native) expect([validateNative(JSON.parse(native.request)), validateNative.errors]).toEqual([true, null]);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('the schema of the tests refuses requests that OpenRTB does not allow', () => {
  const sound = JSON.parse(JSON.stringify(buildBidRequest(parts))) as Record<string, unknown>;
  const imp = (sound['imp'] as readonly object[])[0];
  for (const [name, broken] of Object.entries({
    'without id': { ...sound, id: undefined },
    'no imp': { ...sound, imp: [] },
    'floor as text': { ...sound, imp: [{ ...imp, bidfloor: '1' }] },
    'country in two letters': { ...sound, device: { geo: { country: 'DE' } } },
    'unknown field': { ...sound, budget: 1 },
    'both formats': { ...sound, imp: [{ ...imp, native: { request: '{}' } }] },
  })) {
    expect([name, validate(JSON.parse(JSON.stringify(broken)))]).toEqual([name, false]);
  }
});

test('every country has a unique three-letter code', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((a) => letters.flatMap((b) => countryAlpha3(a + b) ?? []));
  expect(codes).toHaveLength(250);
  expect(new Set(codes).size).toBe(250);
  expect(codes.every((code) => /^[A-Z]{3}$/.test(code))).toBe(true);
  expect(['us', 'GB', 'AT', 'AU', 'CH', 'CN'].map(countryAlpha3)).toEqual(['USA', 'GBR', 'AUT', 'AUS', 'CHE', 'CHN']);
});
