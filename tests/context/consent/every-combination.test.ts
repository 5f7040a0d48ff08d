import { UsCa, UsNat, UspV1 } from '@iabgpp/cmpapi';
import { createDecideConsent } from '../../../src/context/consent/decide-consent.ts';
import { readSignals } from '../../../src/context/consent/privacy-signals.ts';
import { samplePrivacy } from '../../../testkit/sample-booking.ts';
import { canadianString, gppString, tcfString, vendors } from './consent-strings.ts';
import { VENDOR } from './privacy-table.ts';
import { BIDDERS, readByTheDocument, UNREADABLE, type Meaning, type SaidByTcf, type SaidByUs, type Uses } from './second-reading.ts';

/** A signal as it is written, and what that means. */
interface Written<Text, Said> {
  readonly text: Text;
  readonly said: Said;
}

const NO_PURPOSE = { purpose1: false, purpose2: false, purpose4: false, purpose7: false, vendorMayUse: false };
const GRANTED_ALL = { purpose1: true, purpose2: true, purpose4: true, purpose7: true, vendorMayUse: true };
const europe = (parts: Parameters<typeof tcfString>[0]): string => tcfString({ vendors: vendors([VENDOR]), disclosed: [VENDOR], ...parts });

const GRANTED = { text: europe({ purposes: [1, 2, 4, 7] }), said: GRANTED_ALL };
const TCF: readonly Written<string | undefined, SaidByTcf | typeof UNREADABLE | null>[] = [
  { text: undefined, said: null },
  GRANTED,
  { text: europe({ purposes: [1, 2] }), said: { ...GRANTED_ALL, purpose4: false, purpose7: false } },
  { text: europe({ purposes: [2, 7] }), said: { ...NO_PURPOSE, purpose2: true, purpose7: true } },
  { text: europe({ purposes: [1, 2, 7], publisher: { purposes: [7] } }), said: { ...NO_PURPOSE, purpose7: true, vendorMayUse: true } },
  { text: 'CQ', said: UNREADABLE },
];

const OPT_OUT = 1;
const NO_OPT_OUT = 2;
const national = (value: number): string => {
  const section = new UsNat();
  section.setFieldValue('SaleOptOut', value);
  return section.encode();
};
const californian = (): string => {
  const section = new UsCa();
  section.setFieldValue('SharingOptOut', OPT_OUT);
  return section.encode();
};
const usPrivacy = (optOut: string): string => {
  const section = new UspV1();
  section.setFieldValue('OptOutSale', optOut);
  return section.encode();
};

type Section = Written<string, SaidByTcf | SaidByUs>;
const sections = (of: Readonly<Record<number, Section>>): Written<string, Meaning['gpp']> => ({
  text: gppString(Object.fromEntries(Object.entries(of).map(([id, { text }]) => [id, text]))),
  said: new Map(Object.entries(of).map(([id, { said }]) => [Number(id), said])),
});
const NO: Section = { text: national(NO_OPT_OUT), said: 'no opt-out' };
const OUT: Section = { text: national(OPT_OUT), said: 'opt-out' };
const GPP: readonly Written<string | undefined, Meaning['gpp']>[] = [
  { text: undefined, said: null },
  { text: 'unreadable', said: UNREADABLE },
  sections({ 2: GRANTED }),
  sections({ 2: { text: 'CQ', said: UNREADABLE } }),
  sections({ 5: { text: canadianString([1, 2, 4, 7], VENDOR), said: GRANTED_ALL } }),
  sections({ 5: { text: canadianString([1], VENDOR), said: { ...NO_PURPOSE, purpose1: true } } }),
  sections({ 6: { text: usPrivacy('Y'), said: 'opt-out' } }),
  sections({ 7: NO }),
  sections({ 7: OUT }),
  sections({ 2: GRANTED, 7: OUT }),
  sections({ 7: NO, 8: { text: californian(), said: 'opt-out' } }),
];
const APPLYING: readonly (readonly number[])[] = [[], [-1], [2], [5], [6, 7]];

const US_PRIVACY: readonly Written<string | undefined, SaidByUs | null>[] = [
  { text: undefined, said: null },
  { text: '1YNN', said: 'no opt-out' },
  { text: '1YYN', said: 'opt-out' },
];
const COUNTRIES = ['US', 'DE'] as const;
const FLAG = [false, true];

/** The values of all signals, each with every other. */
const SIGNALS = {
  consentWhenSilent: ['by_country', 'allow', 'deny'],
  usOptOutEndsCaps: FLAG,
  country: COUNTRIES,
  gdpr: [null, false, true],
  tcf: TCF,
  coppa: FLAG,
  usPrivacy: US_PRIVACY,
  gpc: FLAG,
  lmt: FLAG,
  gpp: GPP,
  applying: APPLYING,
} as const;
type Signals = { readonly [Name in keyof typeof SIGNALS]: (typeof SIGNALS)[Name][number] };
const COMBINATIONS = Object.values(SIGNALS).reduce((product, { length }) => product * length, 1);

/** Calls `visit` with every combination. */
const forEachCombination = (visit: (signals: Signals, number: number) => void): void => {
  const names = Object.keys(SIGNALS) as (keyof Signals)[];
  let number = 0;
  const choose = (chosen: Partial<Signals>, at: number): void => {
    const name = names[at];
    if (name === undefined) return visit(chosen as Signals, number++);
    for (const value of SIGNALS[name]) choose(Object.assign(chosen, { [name]: value }), at + 1);
  };
  choose({}, 0);
};

const GVL_IDS: Readonly<Record<(typeof BIDDERS)[number], number | null>> = { vendor: VENDOR, 'another vendor': 9, 'no vendor': null };
const decideConsent = createDecideConsent({ cacheSize: 100 });

/** What the service decides. Each second request has its signals where OpenRTB 2.5 has them, and Global Privacy Control as a header. */
const decide = (signals: Signals, isOlder: boolean): Uses => {
  const { gdpr, tcf, coppa, usPrivacy: us, gpc, lmt, gpp, applying } = signals;
  const regs = {
    ...(gdpr !== null && { gdpr: gdpr ? 1 : 0 }),
    ...(us.text !== undefined && { us_privacy: us.text }),
    ...(gpp.text !== undefined && { gpp: gpp.text }),
    ...(applying.length > 0 && { gpp_sid: applying }),
    ...(gpc && isOlder && { gpc: '1' }),
  };
  const user = tcf.text === undefined ? {} : { consent: tcf.text };
  const { remember, measure, profile, shareWith } = decideConsent(
    readSignals({
      regs: { coppa: coppa ? 1 : 0, ...(isOlder ? { ext: regs } : regs) },
      user: isOlder ? { ext: user } : user,
      device: { lmt: lmt ? 1 : 0 },
      secGpc: gpc && !isOlder ? '1' : undefined,
    }),
    isOlder || signals.country === 'DE' ? signals.country : null,
    { ...samplePrivacy, consentWhenSilent: signals.consentWhenSilent, usOptOutEndsCaps: signals.usOptOutEndsCaps },
  );
  const shares = BIDDERS.map((bidder) => [`share with ${bidder}`, shareWith(GVL_IDS[bidder]) === null] as const);
  return { remember: remember === null, measure: measure === null, profile: profile === null, ...Object.fromEntries(shares) } as Uses;
};

const meaningOf = ({ country, gdpr, tcf, coppa, usPrivacy: us, gpc, lmt, gpp, applying, ...privacy }: Signals): Meaning => ({
  privacy,
  isGdprCountry: country === 'DE',
  gdprApplies: gdpr,
  tcf: tcf.said,
  isForChildren: coppa,
  usPrivacy: us.said,
  globalPrivacyControl: gpc,
  limitsTracking: lmt,
  gpp: gpp.said,
  applying,
});

const USES: readonly (keyof Uses)[] = ['remember', 'measure', 'profile', ...BIDDERS.map((bidder) => `share with ${bidder}` as const)];

test('every combination of all signals is decided as a second reading of docs/privacy.md decides it', () => {
  expect(COMBINATIONS).toBeGreaterThan(250_000);
  const outcomes = new Map<string, number>();
  const deviations: unknown[] = [];
  forEachCombination((signals, number) => {
    const decided = decide(signals, number % 7 > 3);
    const read = readByTheDocument(meaningOf(signals));
    if (USES.some((use) => decided[use] !== read[use])) deviations.push({ number, signals: { ...signals }, decided, read });
    const outcome = USES.filter((use) => read[use]).join(', ');
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  });
  expect(deviations.slice(0, 3)).toEqual([]);
  // A second reading that allowed or refused everything would show little.
  expect(outcomes.size).toBeGreaterThanOrEqual(8);
});
