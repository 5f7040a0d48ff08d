import fc from 'fast-check';
import { sampleBlocked, sampleBlockedAdvertisers, samplePrivacy } from '../../testkit/sample-booking.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { parseAuction } from '../../src/http/openrtb/auction-schema.ts';
import { publisherIdOf, readAuction } from '../../src/http/openrtb/read-auction.ts';

const PUBLISHER = {
  ...{
    id: 1,
    name: 'News',
    domain: 'news.example',
    origins: new Set<string>(),
    privacy: samplePrivacy,
    blocked: sampleBlocked,
    blockedAdvertisers: sampleBlockedAdvertisers,
    onePerAdvertiser: false,
    dynamicAllocation: false,
    timeZone: 'UTC',
    currency: 'USD',
    archived: false,
    apiKeyHash: '',
  },
};
const PLACEMENT = { id: 'top', publisherId: 1, width: 300, height: 250, formats: ['html' as const], floorMicros: 0 };
const SNAPSHOT = { placements: new Map([['top', PLACEMENT]]) } as unknown as Snapshot;
const DIMENSIONS = new Map([
  ['age', { name: 'age', label: 'Age', type: 'integer' as const, values: null, minimum: 0, maximum: 120, description: '' }],
]);
const RATES = new Map([
  ['USD', 1],
  ['EUR', 0.8],
]);
const reading = { dimensions: DIMENSIONS, rateOf: (currency: string) => RATES.get(currency) };

const read = (request: object, publisher = PUBLISHER) => {
  const parsed = parseAuction(request);
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults));
  return readAuction(reading, SNAPSHOT, publisher, parsed.request);
};
const termsOf = (imp: object, more: object = {}) => read({ id: 'a', imp: [{ id: '1', ...imp }], ...more }).terms.get('1')!;

test('a floor in another currency is converted; one without a rate cannot be met', () => {
  expect(termsOf({ bidfloor: 1.2, bidfloorcur: 'EUR' }).floorMicros).toBe(1_500_000);
  expect(termsOf({ bidfloor: 1.2 }).floorMicros).toBe(1_200_000);
  expect(termsOf({ bidfloor: 1.2, bidfloorcur: 'GBP' }).floorMicros).toBe(Infinity);
  expect(termsOf({ bidfloor: -1 }).floorMicros).toBe(0);
});

test('the deals of a private auction are read, each with its floor; those of an open one are not', () => {
  const deals = [{ id: 'gold', bidfloor: 1.2, bidfloorcur: 'EUR' }, { id: 'silver' }, { id: '' }, { bidfloor: 9 }, 'bronze'];
  const dealsOf = (pmp: unknown) => termsOf({ bidfloor: 2, pmp }).deals;
  expect(dealsOf({ private_auction: 1, deals })).toEqual(
    new Map([
      ['gold', 1_500_000],
      ['silver', 2_000_000],
    ]),
  );
  expect([dealsOf({ private_auction: 1 }), dealsOf({ private_auction: 1, deals: {} })]).toEqual([new Map(), new Map()]);
  for (const pmp of [undefined, null, 'x', { deals }, { private_auction: 0, deals }, { private_auction: '1', deals }])
    expect(dealsOf(pmp)).toBeUndefined();
});

test('the answer is in the currency of the publisher where it may be, else in the first with a rate', () => {
  const currencyOf = (cur: unknown, own = 'USD', imp: object = {}) => {
    const { currency, rate, terms } = read({ id: 'a', imp: [{ id: '1', ...imp }], cur }, { ...PUBLISHER, currency: own });
    return [currency, rate, terms.get('1')!.floorMicros];
  };
  expect(currencyOf(undefined)).toEqual(['USD', 1, 0]);
  expect(currencyOf(['GBP', 'EUR', 'USD'])).toEqual(['USD', 1, 0]);
  expect(currencyOf(['GBP', 'EUR'])).toEqual(['EUR', 0.8, 0]);
  expect(currencyOf(['GBP'])).toEqual(['GBP', 1, Infinity]);
  expect(currencyOf(undefined, 'EUR', { bidfloor: 1.2, bidfloorcur: 'EUR' })).toEqual(['EUR', 1, 1_200_000]);
  // A floor without a currency is in USD.
  expect(currencyOf(['USD'], 'EUR', { bidfloor: 1 })).toEqual(['USD', 1.25, 800_000]);
  // Its own currency needs no rate.
  expect(currencyOf(['CHF'], 'CHF', { bidfloor: 1, bidfloorcur: 'CHF' })).toEqual(['CHF', 1, 1_000_000]);
});

test('the publisher is that of the path, else the first that the request names', () => {
  const ofPath = (path: string | undefined, more: object) => publisherIdOf({ id: 'a', imp: [], ...more }, path);
  expect(ofPath('7', { site: { publisher: { id: '8' } } })).toBe(7);
  expect(ofPath(undefined, { ext: { publisher_id: {} }, site: { publisher: { id: '8' } }, app: { publisher: { id: '9' } } })).toBe(8);
  for (const id of ['', '0', '-1', '1.5', '1e3', '__proto__', [], null])
    expect(ofPath(undefined, { site: { publisher: { id } } })).toBeUndefined();
});

test('block lists and the supply chain of an auction are read; what cannot be read is left out, and the chain is then incomplete', () => {
  const banner = { battr: [1, '6', 1.5] };
  const lists = { badv: ['Bet.example', 7, 'x/y'], bcat: ['IAB25', 7, '', 'x'.repeat(33)], acat: 'IAB1', cattax: -1 };
  const node = { asi: 'first.example', sid: '1', hp: 0, name: 'First', rid: 5 };
  const schainOf = (schain: unknown) => read({ id: 'a', imp: [{ id: '1' }], source: { ext: { schain } } }).schain;
  const { blocked, terms } = read({ id: 'a', imp: [{ id: '1', banner, native: { battr: [3] } }], ...lists });
  expect(blocked).toEqual({ badv: new Set(['bet.example']), bcat: ['IAB25'], acat: [], cattax: 1, battr: [] });
  expect(terms.get('1')).toMatchObject({ blocked, battr: [1, 3] });
  expect(read({ id: 'a', imp: [{ id: '1' }], badv: {}, bcat: null }).blocked).toBeUndefined();
  const first = { asi: 'first.example', sid: '1', hp: 1, name: 'First' };
  expect(schainOf({ complete: 1, nodes: [node] })).toEqual({ complete: 1, ver: '1.0', nodes: [first] });
  expect(schainOf({ complete: 1, nodes: [node, { asi: 'second.example', sid: 'x'.repeat(65) }] })).toEqual({
    complete: 0,
    ver: '1.0',
    nodes: [first],
  });
  expect([schainOf({ complete: 1, nodes: [] }), schainOf({ nodes: 'x' }), schainOf([])]).toEqual([undefined, undefined, undefined]);
});

test('whatever the optional fields hold, an auction is read: sizes, floors, ids and key-values are what a decision takes', () => {
  const junk = fc.oneof({ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) }, { weight: 1, arbitrary: fc.constant(undefined) });
  const side = fc.oneof(fc.integer({ min: -10, max: 20_000 }), junk);
  const size = fc.oneof(fc.record({ w: side, h: side }), junk);
  const imp = fc.record(
    {
      banner: fc.oneof(fc.record({ format: fc.oneof(fc.array(size), junk), w: side, h: side }), junk),
      native: fc.oneof(
        fc.record({ request: fc.oneof(fc.json(), junk, fc.constant('{"assets":[{"id":1,"title":{}},{"id":2,"data":{"type":1}}]}')) }),
        junk,
      ),
      tagid: junk,
      bidfloor: fc.oneof(fc.double(), junk),
      pmp: fc.oneof(
        fc.record({
          private_auction: fc.oneof(fc.constant(1), junk),
          deals: fc.oneof(fc.array(fc.oneof(fc.record({ id: junk, bidfloor: junk }), junk)), junk),
        }),
        junk,
      ),
      bidfloorcur: fc.oneof(fc.constantFrom('USD', 'EUR', 'x'), junk),
      ext: fc.oneof(
        fc.record({
          prebid: fc.oneof(fc.record({ bidder: fc.oneof(fc.dictionary(fc.string(), junk), junk), storedrequest: junk }), junk),
          data: junk,
          bidder: junk,
        }),
        junk,
      ),
    },
    { requiredKeys: [] },
  );
  const request = fc.record(
    {
      site: fc.oneof(
        fc.record({ ext: fc.record({ data: fc.dictionary(fc.constantFrom('age', 'topic', '__proto__'), junk) }), page: junk }),
        junk,
      ),
      user: junk,
      device: junk,
      regs: junk,
      cur: junk,
      badv: junk,
      bcat: junk,
      cattax: junk,
      source: fc.oneof(fc.record({ schain: fc.oneof(fc.record({ nodes: fc.oneof(fc.array(junk), junk) }), junk) }), junk),
      ext: junk,
      app: junk,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(imp, { minLength: 1, maxLength: 3 }), request, (imps, more) => {
      // As it arrives: parsed from text.
      const body = JSON.parse(JSON.stringify({ ...more, id: 'a', imp: imps.map((one, i) => ({ ...one, id: `i${i}` })) })) as object;
      const { request: wire, terms, seats } = read(body);
      expect(wire.imp.map(({ id }) => id)).toEqual([...terms.keys()]);
      for (const { id, tagid, banner, ext } of wire.imp) {
        expect(tagid.length >= 1 && tagid.length <= 256).toBe(true);
        for (const { w, h } of [banner ?? {}, ...((banner?.format ?? []) as { w?: number; h?: number }[])])
          expect([w, h].every((pixels) => pixels === undefined || (Number.isInteger(pixels) && Number(pixels) > 0))).toBe(true);
        for (const value of Object.values({ ...wire.ext.kv, ...ext?.kv })) expect(Array.isArray(value) && value.length > 0).toBe(true);
        expect(terms.get(id)!.floorMicros).toBeGreaterThanOrEqual(0);
        for (const floorMicros of terms.get(id)!.deals?.values() ?? []) expect(floorMicros).toBeGreaterThanOrEqual(0);
        expect(typeof seats.get(id)).toBe('string');
      }
      const { age } = (wire.ext.kv ?? {}) as { readonly age?: readonly unknown[] };
      expect((age ?? []).every((one) => Number.isInteger(one) && Number(one) >= 0 && Number(one) <= 120)).toBe(true);
      const { ua = '', ip = '' } = wire.device ?? {};
      expect([typeof ua, typeof ip]).toEqual(['string', 'string']);
    }),
    { numRuns: 1_000, seed: 11 },
  );
});
