import jwt from 'jsonwebtoken';
import { createDebugGrants } from '../../src/http/request/debug-grants.ts';
import { createTokens } from '../../src/tracking/tokens.ts';

const OLD = { kid: 'old', secret: 'the first secret, which is long enough' };
const NEW = { kid: 'new', secret: 'the second secret, which is long enough' };
const HOUR_MS = 3_600_000;

test('a grant covers its publisher for an hour, and no other publisher', () => {
  let nowMs = 1_750_000_000_000;
  const grants = createDebugGrants([OLD], () => nowMs);
  const { token, expiresAtMs } = grants.issue(7);
  expect(expiresAtMs).toBe(nowMs + HOUR_MS);
  expect([grants.covers(token, 7), grants.covers(token, 8)]).toEqual([true, false]);
  nowMs += HOUR_MS - 1_000;
  expect(grants.covers(token, 7)).toBe(true);
  nowMs += 1_000;
  expect(grants.covers(token, 7)).toBe(false);
});

test('a grant stays valid while its secret is listed, and ends when the secret is removed', () => {
  const { token } = createDebugGrants([OLD]).issue(7);
  expect(createDebugGrants([NEW, OLD]).covers(token, 7)).toBe(true);
  expect(createDebugGrants([NEW]).covers(token, 7)).toBe(false);
});

test('a grant is not a tracking token, and a token with the right claims is not a grant', () => {
  const { token } = createDebugGrants([OLD]).issue(7);
  expect(createTokens({ secrets: [OLD] }).verify(token)).toBeUndefined();
  const claims = { p: 7, aud: 'debug', exp: Math.floor(Date.now() / 1000) + 60 };
  const forged = jwt.sign(claims, OLD.secret, { keyid: 'old', algorithm: 'HS256' });
  const unsigned = jwt.sign(claims, '', { keyid: 'old', algorithm: 'none' });
  for (const each of [forged, unsigned, '', 'x', '..', 'e30.e30.', 'bm8.bm8.bm8', `${token}x`, token.repeat(10)])
    expect([each, createDebugGrants([OLD]).covers(each, 7)]).toEqual([each, false]);
});
