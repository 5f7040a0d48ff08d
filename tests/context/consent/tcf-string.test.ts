import { TcfCaV1 } from '@iabgpp/cmpapi';
import { Base64Url, GVL, PurposeRestriction, RestrictionType, Segment, TCModel, TCString } from '@iabtcf/core';
import fc from 'fast-check';
import { readTcfCanada, readTcfString, type Purpose } from '../../../src/context/consent/tcf-string.ts';
import { bits, tcfString, vendors } from './consent-strings.ts';
import { expectCpuBelow } from '../../setup/expect-cpu-below.ts';

const OWN: readonly Purpose[] = [1, 2, 7];
const ownPurposes = (text: string): readonly Purpose[] => OWN.filter((purpose) => readTcfString(text)?.allowsPublisher(purpose));

describe('the publisher’s own purposes', () => {
  test.each([
    ['consent', { purposes: [1, 2, 7] }, [1, 2, 7]],
    ['legitimate interest, which storage cannot rest on', { legitimate: [1, 2, 7] }, [2, 7]],
    ['the publisher segment, which wins when it allows more', { publisher: { purposes: [1, 2, 7] } }, [1, 2, 7]],
    ['the publisher segment, which wins when it allows less', { purposes: [1, 2, 7], publisher: { purposes: [2] } }, [2]],
    ['the publisher segment after DisclosedVendors', { disclosed: [2], publisher: { purposes: [1], legitimate: [7] } }, [1, 7]],
    ['nothing', {}, []],
  ])('rest on %s', (_, parts, expected) => {
    expect(ownPurposes(tcfString(parts))).toEqual(expected);
  });
});

describe('a vendor', () => {
  const allows = (parts: Parameters<typeof tcfString>[0], id = 2) => readTcfString(tcfString(parts))?.allowsVendor(id);
  const both = [1, 2];

  test.each([
    ['consent for both purposes', { purposes: both }, true],
    ['in ranges', { purposes: both, vendors: vendors([1, 2, 9], 'ranges') }, true],
    ['not in ranges', { purposes: both, vendors: vendors([1, 9], 'ranges') }, false],
    ['no vendor consent', { purposes: both, vendors: vendors([4]) }, false],
    ['no purpose 1', { purposes: [2] }, false],
    ['no purpose 2', { purposes: [1] }, false],
    ['purpose 2 by legitimate interest', { purposes: [1], legitimate: [2], legitimateVendors: vendors([2]) }, true],
    ['legitimate interest objected to by the vendor', { purposes: [1], legitimate: [2], legitimateVendors: vendors([4]) }, false],
    ['purpose 1 by legitimate interest', { purposes: [2], legitimate: [1], legitimateVendors: vendors([2]) }, false],
    ['a purpose that the publisher forbids', { purposes: both, restrictions: [[2, 0, 2] as const] }, false],
    ['a restriction of another vendor', { purposes: both, restrictions: [[2, 0, 4] as const] }, true],
    ['a restriction of another purpose', { purposes: both, restrictions: [[7, 0, 2] as const] }, true],
    [
      'a restriction to consent, with legitimate interest only',
      { purposes: [1], legitimate: [2], legitimateVendors: vendors([2]), restrictions: [[2, 1, 2] as const] },
      false,
    ],
    ['a restriction to legitimate interest, with consent only', { purposes: both, restrictions: [[2, 2, 2] as const] }, false],
    ['disclosed', { purposes: both, disclosed: [2] }, true],
    ['not disclosed', { purposes: both, disclosed: [4] }, false],
    ['no DisclosedVendors, in a string of 28 February 2026', { purposes: both, at: '2026-02-28T23:59Z' }, true],
    ['no DisclosedVendors, in a string of 1 March 2026', { purposes: both, at: '2026-03-01T00:00Z' }, false],
    ['DisclosedVendors in a string of 1 March 2026', { purposes: both, at: '2026-03-01T00:00Z', disclosed: [2] }, true],
  ])('with %s: allowed %s', (_, parts, expected) => {
    expect(allows(parts)).toBe(expected);
  });
});

test('reads what @iabtcf/core writes', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 12 });
  const purposes = fc.uniqueArray(fc.integer({ min: 1, max: 10 }), { maxLength: 10 });
  const restriction = fc.record({
    purpose: fc.constantFrom(1, 2),
    type: fc.constantFrom(0, 1, 2),
    vendor: fc.integer({ min: 1, max: 60 }),
  });
  fc.assert(
    fc.property(
      fc.record({
        consent: ids,
        legitimate: ids,
        purposes,
        legitimatePurposes: purposes,
        restriction,
        own: fc.option(purposes),
      }),
      ({ consent, legitimate, purposes: given, legitimatePurposes, restriction: { purpose, type, vendor }, own }) => {
        const written = new TCModel(everyVendor(60));
        written.cmpId = 31;
        written.cmpVersion = 1;
        written.publisherCountryCode = 'DE';
        written.isServiceSpecific = true;
        written.vendorConsents.set([...consent]);
        written.vendorLegitimateInterests.set([...legitimate]);
        written.purposeConsents.set([...given]);
        written.purposeLegitimateInterests.set([...legitimatePurposes]);
        if (own) written.publisherConsents.set([...own]);
        written.publisherRestrictions.add(vendor, new PurposeRestriction(purpose, type));
        const segments = [Segment.CORE, Segment.VENDORS_DISCLOSED, ...(own ? [Segment.PUBLISHER_TC] : [])];
        const text = TCString.encode(written, { version: 2, segments });
        // The encoder corrects what it was given by its vendor list.
        const model = TCString.decode(text);
        const read = readTcfString(text);

        const basisOf = (one: number, id: number): boolean => {
          const types = model.publisherRestrictions
            .getRestrictions(id)
            .filter(({ purposeId }) => purposeId === one)
            .map((r) => r.restrictionType);
          if (types.includes(RestrictionType.NOT_ALLOWED)) return false;
          const byConsent = model.purposeConsents.has(one) && model.vendorConsents.has(id) && !types.includes(RestrictionType.REQUIRE_LI);
          const byInterest = model.purposeLegitimateInterests.has(one) && model.vendorLegitimateInterests.has(id);
          return byConsent || (one !== 1 && byInterest && !types.includes(RestrictionType.REQUIRE_CONSENT));
        };
        const shared = (id: number) => model.vendorsDisclosed.has(id) && basisOf(1, id) && basisOf(2, id);
        const all = Array.from({ length: 62 }, (_, id) => id);
        expect(all.filter((id) => read?.allowsVendor(id))).toEqual(all.filter(shared));
        const [consents, interests] = own
          ? [model.publisherConsents, model.publisherLegitimateInterests]
          : [model.purposeConsents, model.purposeLegitimateInterests];
        expect(OWN.filter((one) => read?.allowsPublisher(one))).toEqual(
          OWN.filter((one) => consents.has(one) || (one !== 1 && interests.has(one))),
        );
      },
    ),
    { numRuns: 200 },
  );
});

/** A vendor list on which every vendor may rest each purpose on either basis. */
const everyVendor = (count: number): GVL => {
  const purposes = Array.from({ length: 10 }, (_, i) => i + 1);
  const list = { gvlSpecificationVersion: 3, vendorListVersion: 100, tcfPolicyVersion: 5, lastUpdated: '2026-01-01T00:00:00Z' };
  const named = Object.fromEntries(purposes.map((id) => [id, { id, name: '', description: '', illustrations: [] }]));
  return new GVL({
    ...list,
    purposes: named,
    specialPurposes: {},
    features: {},
    specialFeatures: {},
    stacks: {},
    dataCategories: {},
    vendors: Object.fromEntries(
      Array.from({ length: count }, (_, i) => [
        i + 1,
        {
          ...{ id: i + 1, name: '', purposes, legIntPurposes: purposes, flexiblePurposes: purposes, specialPurposes: [], features: [] },
          ...{ specialFeatures: [], cookieMaxAgeSeconds: null, usesCookies: false, usesNonCookieAccess: false, urls: [] },
        },
      ]),
    ),
  } as unknown as ConstructorParameters<typeof GVL>[0]);
};

describe('a string for Canada', () => {
  test('is read as @iabgpp/cmpapi writes it', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { maxLength: 30 }).map((list) => list.toSorted((a, b) => a - b));
    const purposes = fc.array(fc.boolean(), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(ids, ids, purposes, purposes, (express, implied, expressPurposes, impliedPurposes) => {
        const section = new TcfCaV1();
        section.setFieldValue('VendorExpressConsent', express);
        section.setFieldValue('VendorImpliedConsent', implied);
        section.setFieldValue('PurposesExpressConsent', expressPurposes);
        section.setFieldValue('PurposesImpliedConsent', impliedPurposes);
        const [core = ''] = section.encode().split('.');
        const read = readTcfCanada(core);
        const has = (purpose: number, id: number) =>
          (expressPurposes[purpose - 1] && express.includes(id)) || (impliedPurposes[purpose - 1] && implied.includes(id));
        const all = Array.from({ length: 902 }, (_, id) => id);
        expect(all.filter((id) => read?.allowsVendor(id))).toEqual(all.filter((id) => has(1, id) && has(2, id)));
        expect(OWN.filter((one) => read?.allowsPublisher(one))).toEqual(
          OWN.filter((one) => expressPurposes[one - 1] || impliedPurposes[one - 1]),
        );
      }),
      { numRuns: 100 },
    );
  });
});

const GRANTED = tcfString({ purposes: [1, 2, 7] });

test.each([
  ['version 1', tcfString({ version: 1, purposes: [1] })],
  ['a cut', GRANTED.slice(0, 30)],
  ['a cut in the vendors', tcfString({ purposes: [1, 2], vendors: vendors(Array.from({ length: 90 }, (_, i) => i + 1)) }).slice(0, 45)],
  ['a foreign character', `${GRANTED}!`],
  ['no text', ''],
  ['too many segments', `${GRANTED}.a.a.a.a`],
])('a string with %s cannot be read', (_, text) => {
  expect(readTcfString(text)).toBeUndefined();
});

test('8 kB of hostile ranges take less than 1 ms, and a vendor in them as little', async () => {
  const ranges = bits(65_535, 16) + '1' + bits(1_400, 12) + ('1' + bits(1, 16) + bits(65_534, 16)).repeat(1_400);
  const hostile = `${GRANTED.slice(0, 35)}${Base64Url.encode(`000${ranges}`)}`.slice(0, 8_192);
  const restrictions = (bits(2, 6) + '00' + bits(1, 12) + '0' + bits(9, 16)).repeat(1_200);
  const restricted = Base64Url.encode(`${tcfBits().slice(0, -12)}${bits(1_200, 12)}${restrictions}`).slice(0, 8_192);
  for (const text of [hostile, restricted, 'A'.repeat(8_192), `C${'_'.repeat(8_191)}`]) {
    const run = () => readTcfString(text)?.allowsVendor(65_535);
    await expectCpuBelow(20, () => {
      for (let i = 0; i < 20; i++) run();
    });
  }
});

const tcfBits = (): string => Base64Url.decode(GRANTED).slice(0, 213 + 17 + 4 + 17 + 12);

test('no text throws', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'ABCYZaz019-_.') }).map((rest) => GRANTED.slice(0, 50) + rest),
  );
  fc.assert(
    fc.property(text, (given) => {
      readTcfString(given)?.allowsVendor(7);
      readTcfCanada(given)?.allowsVendor(7);
    }),
  );
});
