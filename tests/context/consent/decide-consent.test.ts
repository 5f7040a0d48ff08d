import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { createDecideConsent } from '../../../src/context/consent/decide-consent.ts';
import { readSignals, type SignalSources } from '../../../src/context/consent/privacy-signals.ts';
import { withhold } from '../../../src/context/consent/withhold.ts';
import { truncateAddress } from '../../../src/context/network-of.ts';
import { samplePrivacy } from '../../../testkit/sample-booking.ts';
import { COMBINED, GRANTED, PRIVACY_TABLE, privacyOf, VENDOR, type Allowed, type Request } from './privacy-table.ts';
import { expectCpuBelow } from '../../setup/expect-cpu-below.ts';

const decideConsent = createDecideConsent({ cacheSize: 100 });

const allowedBy = (request: Request): Allowed => {
  const { remember, measure, profile, shareWith } = decideConsent(readSignals(request), request.country ?? null, privacyOf(request));
  const { gvlId = VENDOR } = request;
  return { remember: remember === null, measure: measure === null, profile: profile === null, share: shareWith(gvlId) === null };
};

describe.each(PRIVACY_TABLE)('$signal', ({ requests, allowed }) => {
  test.each(requests)('%j', (request) => {
    expect(allowedBy(request)).toEqual(allowed);
    // The second time the strings are cached.
    expect(allowedBy(request)).toEqual(allowed);
  });
});

test('docs/privacy.md contains this table', () => {
  const docs = readFileSync(path.join(__dirname, '../../../docs/privacy.md'), 'utf8');
  const cell = (may: boolean) => (may ? 'yes' : 'no');
  const rows = PRIVACY_TABLE.map(
    ({ signal, allowed: { remember, measure, profile, share } }) =>
      `| ${signal} | ${[remember, measure, profile, share].map(cell).join(' | ')} |`,
  );
  expect(docs.split('\n').filter((line) => / (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$/.test(line))).toEqual(rows);
});

test('several laws at once allow what each of them allows', () => {
  expect(COMBINED.length).toBeGreaterThan(100);
  for (const { request, allowed } of COMBINED) expect([request, allowedBy(request)]).toEqual([request, allowed]);
});

test('a request without signals allocates nothing: its decisions are shared', () => {
  const signals = readSignals({ user: { id: 'u' } });
  expect(readSignals({ user: { id: 'another' }, secGpc: undefined })).toBe(signals);
  expect(decideConsent(signals, 'US', samplePrivacy)).toBe(decideConsent(signals, null, { ...samplePrivacy }));
  expect(decideConsent(signals, 'DE', samplePrivacy)).toBe(decideConsent(signals, 'FR', samplePrivacy));
});

test('no input throws, and no invalid string is a consent', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.string(), (regs, user, text) => {
      decideConsent(readSignals({ regs, user }), null, samplePrivacy).shareWith(VENDOR);
      decideConsent(readSignals({ regs: { gpp: text, gpp_sid: [2, 5, 6, 7] } }), null, samplePrivacy).shareWith(VENDOR);
      const { remember, measure, profile, shareWith } = decideConsent(
        readSignals({ regs: { gdpr: 1 }, user: { consent: text } }),
        null,
        samplePrivacy,
      );
      expect([remember, measure, profile, shareWith(VENDOR)]).not.toContain(null);
    }),
  );
});

test('8 kB of hostile signals cost less than 1 ms, a new string each time', async () => {
  const filler = (i: number, seed: string) => `${i}${seed}`.padEnd(8_192, seed);
  const hostile: readonly ((i: number) => SignalSources)[] = [
    (i) => ({ regs: { gdpr: 1 }, user: { consent: `${GRANTED.slice(0, 35)}${filler(i, '_')}`.slice(0, 8_192) } }),
    (i) => ({ regs: { gpp: `DBABMA~${filler(i, '_')}`.slice(0, 8_192), gpp_sid: [2] } }),
    (i) => ({ regs: { gpp: `DBAA~${filler(i, '~B')}`.slice(0, 8_192), gpp_sid: Array.from({ length: 32 }, (_, id) => id + 1) } }),
    (i) => ({ regs: { gpp: `DBAB${filler(i, '_')}`.slice(0, 8_192) } }),
    (i) => ({ regs: { gpp: `DBABrGA~BVVVVVVVVWA.${i}~BVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV${i}`, gpp_sid: [7, 8, 9, 10] } }),
    (i) => ({ regs: { us_privacy: filler(i, 'Y').slice(0, 8_192) } }),
  ];
  for (const signalsOf of hostile) {
    const run = (i: number) => decideConsent(readSignals(signalsOf(i)), null, samplePrivacy).shareWith(VENDOR);
    let last = 0;
    await expectCpuBelow(60, () => {
      for (let i = 0; i < 60; i++) run(last++);
    });
  }
});

test('a bidder with which nothing may be shared gets no user id, a truncated address and the page without its query', () => {
  const context = {
    userHash: 'u',
    ip: '198.51.100.7',
    pageUrl: 'https://me:secret@daily.example/a/b?email=ann@mail.example#top',
    country: 'DE',
  };
  expect(withhold(context, null)).toBe(context);
  expect(withhold(context, 'tcf')).toEqual({ userHash: '', ip: '198.51.100.0', pageUrl: 'https://daily.example/a/b', country: 'DE' });
  expect(withhold({ userHash: '', ip: null, pageUrl: null }, 'tcf')).toEqual({ userHash: '', ip: null, pageUrl: null });
  expect(['2001:db8:1:2::3', '::1', '2001:db8::'].map(truncateAddress)).toEqual(['2001:db8:1::', '0:0:0::', '2001:db8:0::']);
});
