import { Base64Url } from '@iabtcf/core';
import fc from 'fast-check';
import { readConsent } from '../../src/context/consent.ts';

const bits = (value: number, width: number): string => value.toString(2).padStart(width, '0');

/** A core segment as a consent platform writes it: the fields of the TCF v2 format in order. */
const consentString = ({ version = 2, purposes }: { version?: number; purposes: readonly number[] }): string =>
  Base64Url.encode(
    [
      bits(version, 6),
      bits(17_000_000_000, 36),
      bits(17_000_000_000, 36),
      bits(31, 12),
      bits(1, 12),
      bits(0, 6),
      bits(0b000100_001101, 12),
      bits(100, 12),
      bits(4, 6),
      '00',
      bits(0, 12),
      Array.from({ length: 24 }, (_, i) => (purposes.includes(i + 1) ? '1' : '0')).join(''),
      bits(0, 24),
      '0',
      bits(0b000100_001101, 12),
      bits(4, 16) + '0' + '1010',
      bits(0, 16) + '0',
      bits(0, 12),
    ].join(''),
  );

const GRANTED = consentString({ purposes: [1, 2, 7] });
const REFUSED = consentString({ purposes: [2, 3, 4] });

describe('consent', () => {
  test('without signals the user id may be used', () => {
    expect(readConsent({})).toEqual({ gdpr: null, consent: null, usPrivacy: null, gpp: null, gppSid: [], coppa: null, personal: true });
  });

  test('signals are read from their OpenRTB 2.6 fields, else from ext', () => {
    const expected = { gdpr: true, consent: GRANTED, usPrivacy: '1YNN', gpp: 'DBABMA~x', gppSid: [2, 7], coppa: null, personal: true };
    const regs = { gdpr: 1, us_privacy: '1YNN', gpp: 'DBABMA~x', gpp_sid: [2, 7] };
    expect(readConsent({ regs, user: { id: 'u', consent: GRANTED } })).toEqual(expected);
    expect(readConsent({ regs: { ext: regs }, user: { id: 'u', ext: { consent: GRANTED } } })).toEqual(expected);
  });

  test.each([
    ['purpose 1 granted', { gdpr: 1 }, GRANTED, true],
    ['purpose 1 granted, with a second segment', { gdpr: 1 }, `${GRANTED}.YAAAAAAAAAAA`, true],
    ['purpose 1 refused', { gdpr: 1 }, REFUSED, false],
    ['no string', { gdpr: 1 }, undefined, false],
    ['a string of version 1', { gdpr: 1 }, consentString({ version: 1, purposes: [1] }), false],
    ['a string cut off', { gdpr: 1 }, GRANTED.slice(0, 30), false],
    ['a string with a foreign character', { gdpr: 1 }, `${GRANTED}!`, false],
    ['not a string', { gdpr: 1 }, 1, false],
    ['the flag as text', { gdpr: '1' }, REFUSED, false],
    ['no GDPR', { gdpr: 0 }, REFUSED, true],
    ['GDPR by its GPP section alone', { gpp_sid: [2] }, undefined, false],
    ['no GDPR, whatever the GPP section', { gdpr: 0, gpp_sid: [2] }, undefined, true],
    ['a child', { coppa: 1 }, GRANTED, false],
    ['a flag that is none', { gdpr: {} }, REFUSED, true],
  ])('%s: may the user id be used?', (_, regs, consent, personal) => {
    expect(readConsent({ regs, user: { consent } }).personal).toBe(personal);
  });

  test('hostile vendor ranges take no more time than others', () => {
    const ranges = bits(65_535, 16) + '1' + bits(1_000, 12) + ('1' + bits(1, 16) + bits(65_534, 16)).repeat(1_000);
    const hostile = GRANTED.slice(0, 38) + Base64Url.encode(ranges);
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++) readConsent({ regs: { gdpr: 1 }, user: { consent: hostile } });
    expect(performance.now() - startedAt).toBeLessThan(500);
  });

  test('no input throws, and under the GDPR an invalid string is not consent', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.string(), (regs, user, text) => {
        readConsent({ regs, user });
        expect(readConsent({ regs: { gdpr: 1 }, user: { consent: text } }).personal).toBe(false);
      }),
    );
  });
});
