import fc from 'fast-check';
import { INVALID_REASONS, REQUEST_REASONS, type Hit, type ServedAd } from '../../src/ledger/hit.ts';
import { BILLS_ON } from '../../src/ledger/limits.ts';
import { hitOfText, hitText, namedHitText } from '../../src/ledger/hit-text.ts';
import { eventOf } from '../events/events.ts';

/** One for each field, so that a new field is a fault of types here. */
type Fields<T> = { readonly [Name in keyof T]-?: fc.Arbitrary<T[Name]> };

const text = fc.oneof(fc.string(), fc.constantFrom('', '"', 'ä', '\0', 'null'));
const whole = fc.nat();
const ms = fc.nat({ max: 4_000_000_000_000 });
const orAbsent = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const OF_CAMPAIGN = { campaignBudgetMicros: fc.option(whole), campaignDailyMicros: fc.option(whole) };

const AD: Fields<ServedAd> = {
  ...{ tokenId: text, publisherId: whole, campaignId: whole, lineItemId: whole, creativeId: whole, placementId: text },
  ...{ priceMicros: whole, billsOn: fc.constantFrom(...BILLS_ON), day: fc.nat({ max: 2_000_000 }), servedAtMs: ms, holdEndMs: ms },
  ...{ tokenExpS: whole, userHash: fc.option(text), billingNotice: fc.boolean() },
  spendBounds: orAbsent(fc.record({ dailySpendMicros: fc.option(whole), budgetMicros: fc.option(whole), ...OF_CAMPAIGN })),
  ...{
    counted: orAbsent(fc.constantFrom([], [7, 60], [7, 60, 2 ** 33 + 5, 86_400])),
    unmeasured: orAbsent(fc.boolean()),
    isFree: orAbsent(fc.boolean()),
  },
  ...{ client: orAbsent(text), seal: orAbsent(text), size: orAbsent(fc.nat(32_768 * 32_768)) },
};

const HIT: Fields<Hit> = {
  ad: fc.record(AD),
  kind: fc.constantFrom('impression', 'click', 'event'),
  eventType: text,
  invalidReason: fc.constantFrom('', ...REQUEST_REASONS),
  signals: orAbsent(fc.record({ network: fc.option(text), agent: fc.option(text), origin: fc.option(text), elsewhere: fc.boolean() })),
  ...{ atMs: ms, country: fc.option(text), device: fc.option(text), region: orAbsent(text), browser: orAbsent(text) },
  restored: orAbsent(fc.record({ reason: fc.constantFrom(...INVALID_REASONS), atMs: ms })),
};

test('a hit is what its text says, whatever it has and lacks', () => {
  fc.assert(fc.property(fc.record(HIT), (hit) => expect(hitOfText(hitText(hit))).toEqual(hit)));
});

test('the text of an object with names is read as well, and written for people', () => {
  const { hit } = eventOf({ userHash: 'u' }, { browser: 'firefox' });
  expect(hitOfText(JSON.stringify(hit))).toEqual(hit);
  expect(JSON.parse(namedHitText(hitText(hit)))).toEqual(hit);
});

test.each([
  ['[]', /no valid tokenId, publisherId.*kind, eventType/],
  ['{}', 'it is not a hit'],
  ['7', 'it is not a hit'],
  ['["impression"', /JSON/],
  [hitText(eventOf({ day: 1e9 }).hit), 'the hit has no valid day'],
])('%s is no hit, for a reason', (wrong, reason) => {
  expect(() => hitOfText(wrong)).toThrow(reason);
});
