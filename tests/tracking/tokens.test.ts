import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { createTokens } from '../../src/tracking/tokens.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const FIRST = { kid: 'k1', secret: 'the first secret, thirty-two bytes long' };
const SECOND = { kid: 'k2', secret: 'the second secret, just as long as that' };
const tokens = createTokens({ secrets: [FIRST], now: () => NOW });

const AD: ServedAd = {
  tokenId: 'AbCdEfGhIjKlMnOp',
  publisherId: 1,
  campaignId: 2,
  lineItemId: 3,
  creativeId: 4,
  placementId: 'top',
  priceMicros: 1333,
  billsOn: 'impression',
  day: 20_619,
  holdEndMs: NOW + 1_800_000,
  servedAtMs: NOW - 17,
  tokenExpS: NOW / 1000 + 1800,
  userHash: 'AAAAAAAAAAAAAAAAAAAAAA',
  billingNotice: true,
};

const NO_BOUNDS = { dailySpendMicros: null, budgetMicros: null, campaignBudgetMicros: null, campaignDailyMicros: null };

describe('a tracking token', () => {
  it('carries the reservation it was signed for', () => {
    expect(tokens.verify(tokens.sign(AD))).toEqual(AD);
    const perClick = { ...AD, billsOn: 'click' as const, userHash: null, holdEndMs: 0 };
    expect(tokens.verify(tokens.sign(perClick))).toEqual(perClick);
    const bounded = { ...perClick, counted: [7, 60], spendBounds: { ...NO_BOUNDS, budgetMicros: 2_000_000, campaignBudgetMicros: 0 } };
    expect(tokens.verify(tokens.sign(bounded))).toEqual(bounded);
  });

  it('is no longer for bounds that the ad does not have', () => {
    expect((jwt.decode(tokens.sign(AD)) as { readonly a: readonly unknown[] }).a).toHaveLength(11);
    expect(tokens.sign({ ...AD, spendBounds: undefined })).toBe(tokens.sign(AD));
  });

  it('equals the token of jsonwebtoken byte by byte', () => {
    const token = tokens.sign(AD);
    const claims = jwt.decode(token) as object;
    expect(
      jwt.sign(claims, createSecretKey(Buffer.from(FIRST.secret)), {
        algorithm: 'HS256',
        noTimestamp: true,
        header: { alg: 'HS256', kid: 'k1', typ: undefined },
      }),
    ).toBe(token);
  });

  it("is refused five minutes after exp, to the second, because the stores' clocks decide until then", () => {
    const claims = jwt.decode(tokens.sign(AD)) as jwt.JwtPayload;
    const other = jwt.sign(claims, createSecretKey(Buffer.from(FIRST.secret)), {
      algorithm: 'HS256',
      noTimestamp: true,
      header: { alg: 'HS256', kid: 'k1', cty: 'other' },
    });
    for (const token of [tokens.sign(AD), other]) {
      const at = (ms: number) => createTokens({ secrets: [FIRST], now: () => ms }).verify(token);
      expect(at((AD.tokenExpS + 300) * 1000 - 1)).toEqual(AD);
      expect(at((AD.tokenExpS + 300) * 1000)).toBeUndefined();
    }
  });

  it('is signed with the first secret and verified with every secret of the list', () => {
    const both = createTokens({ secrets: [SECOND, FIRST], now: () => NOW });
    expect(both.verify(tokens.sign(AD))).toEqual(AD);
    expect(tokens.verify(both.sign(AD))).toBeUndefined();
  });

  it('is refused when another key signed it under a known name', () => {
    expect(tokens.verify(createTokens({ secrets: [{ ...SECOND, kid: 'k1' }] }).sign(AD))).toBeUndefined();
  });

  const key = createSecretKey(Buffer.from(FIRST.secret));
  const claims = jwt.decode(tokens.sign(AD)) as jwt.JwtPayload;
  const withoutEnd = Object.fromEntries(Object.entries(claims).filter(([name]) => name !== 'exp'));
  it.each([
    ['has no end', jwt.sign(withoutEnd, key, { keyid: 'k1', noTimestamp: true })],
    ['names no key', jwt.sign(claims, key, { noTimestamp: true })],
    ['uses another algorithm', jwt.sign(claims, key, { keyid: 'k1', algorithm: 'HS512', noTimestamp: true })],
    [
      'is not signed',
      `${Buffer.from('{"alg":"none","kid":"k1"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
    ],
    ['is empty', ''],
    ['is not a token', 'a.b.c'],
    ['is longer than any token', `${tokens.sign(AD)}${'a'.repeat(4096)}`],
  ])('is refused when it %s', (_, token) => {
    expect(tokens.verify(token)).toBeUndefined();
  });

  it('is refused with a character that differs above its lowest byte only', () => {
    const token = tokens.sign(AD);
    for (let at = token.indexOf('.') + 1; at < token.length; at++) {
      const higher = String.fromCharCode(token.charCodeAt(at) + 0x100);
      expect(tokens.verify(token.slice(0, at) + higher + token.slice(at + 1))).toBeUndefined();
    }
  });

  it('is refused after any single change', () => {
    const token = tokens.sign(AD);
    const change = fc.record({
      at: fc.nat(token.length - 1),
      to: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
    });
    fc.assert(
      fc.property(change, ({ at, to }) => {
        const changed = token.slice(0, at) + to + token.slice(at + 1);
        const read = tokens.verify(changed);
        // The last character of a base64url text has unused bits, so that two spellings may mean the same signature.
        if (changed !== token && read !== undefined) expect([at, read]).toEqual([token.length - 1, AD]);
      }),
      { numRuns: 3000, seed: 7 },
    );
  });
});
