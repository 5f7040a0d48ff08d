import { createSecretKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LONE_SECRET_KID } from '../src/config/read-settings.ts';
import { book } from '../testkit/book.ts';
import { createChance } from '../testkit/chance.ts';
import { inParallel } from '../testkit/in-parallel.ts';
import { readBooks, untilDrained } from '../testkit/read-books.ts';
import type { Proof } from './rig/proof.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export const tokens: Proof = {
  name: 'tokens',
  claim: 'tokens that are mutated, cut, recombined, expired, endless, unsigned, or signed by another key or algorithm',
  expected: '0 accepted, nothing counted; the originals still count',
  run: async (rig, scale) => {
    const attempts = scale.of(100_000, 5_000);
    const fleet = await rig.fleet({ replicas: 3 });
    const { page } = fleet;
    try {
      const booking = await book(fleet.knex);
      await fleet.reload();
      const originals: string[] = [];
      for (let i = 0; i < 50; i++) originals.push((await page.ask(booking, `user-${i}`)).bids[0]?.impurl.split('t=')[1] ?? '');
      const forge = createForger(originals, fleet.tokenSecret, rig.seed);
      const accepted: string[] = [];
      const statuses = new Map<number, number>();
      await inParallel(attempts, 64, async () => {
        const { how, token } = forge();
        const status = await page.hit(`/impression?t=${encodeURIComponent(token)}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status !== 401) accepted.push(`${how} → ${status}`);
      });
      const before = (await readBooks(fleet, booking)).counters.impressions;
      for (const token of originals) await page.hit(`/impression?t=${token}`);
      await untilDrained(fleet);
      const { counters } = await readBooks(fleet, booking);
      return {
        observed: `${attempts} forgeries: ${accepted.length} accepted${accepted.length > 0 ? ` (${accepted.slice(0, 3).join('; ')})` : ''}, ${before} counted; of ${originals.length} originals ${counters.impressions} counted`,
        ok: accepted.length === 0 && before === 0 && counters.impressions === originals.length,
      };
    } finally {
      await fleet.close();
    }
  },
};

interface Forgery {
  readonly how: string;
  readonly token: string;
}

const createForger = (originals: readonly string[], secret: string, seed: number): (() => Forgery) => {
  const random = createChance(seed);
  const below = (n: number) => Math.floor(random() * n);
  const original = () => originals[below(originals.length)]!;
  const parts = () => original().split('.') as [string, string, string];
  const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  const own = createSecretKey(Buffer.from(secret));
  const foreign = createSecretKey(Buffer.from('the signing secret of another service'));
  const soon = () => Math.floor(Date.now() / 1000) + 600;
  const sign = (claims: object, key: typeof own, header: Partial<jwt.JwtHeader> = {}, algorithm: jwt.Algorithm = 'HS256') =>
    jwt.sign(claims, key, { algorithm, noTimestamp: true, header: { alg: algorithm, kid: LONE_SECRET_KID, ...header } });
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  const ways: readonly (readonly [string, () => string])[] = [
    [
      'one character changed',
      () => {
        const token = original();
        const at = below(token.length);
        const other = BASE64URL[(BASE64URL.indexOf(token[at] ?? '') + 1 + below(62)) % 64];
        return token.slice(0, at) + (token[at] === other ? '!' : other) + token.slice(at + 1);
      },
    ],
    ['cut short', () => original().slice(0, -1 - below(60))],
    ['something added', () => original() + BASE64URL[below(64)]!],
    [
      'claims changed under the old signature',
      () => {
        const [head, , signature] = parts();
        return `${head}.${encode({ ...claimsOf(original()), a: [below(1_000_000)], jti: `x${below(1e9)}` })}.${signature}`;
      },
    ],
    [
      'another token’s signature',
      () => {
        const at = below(originals.length);
        const [head, body] = originals[at]!.split('.');
        return `${head}.${body}.${originals[(at + 1) % originals.length]!.split('.')[2]}`;
      },
    ],
    ['another key', () => sign({ ...claimsOf(original()), exp: soon() }, foreign)],
    ['another key under its own name', () => sign({ ...claimsOf(original()), exp: soon() }, foreign, { kid: 'theirs' })],
    ['the right key under an unknown name', () => sign({ ...claimsOf(original()), exp: soon() }, own, { kid: 'unknown' })],
    ['expired', () => sign({ ...claimsOf(original()), exp: Math.floor(Date.now() / 1000) - 1 - below(1e6) }, own)],
    [
      'without an end',
      () => {
        const { exp: _exp, ...endless } = claimsOf(original());
        return sign(endless, own);
      },
    ],
    ['HS512 by the right key', () => sign({ ...claimsOf(original()), exp: soon() }, own, {}, 'HS512')],
    ['unsigned', () => `${encode({ alg: 'none', typ: 'JWT', kid: LONE_SECRET_KID })}.${parts()[1]}.`],
    ['unsigned, with a signature', () => `${encode({ alg: 'none', kid: LONE_SECRET_KID })}.${parts()[1]}.${parts()[2]}`],
    ['noise', () => Array.from({ length: below(400) }, () => String.fromCharCode(33 + below(90))).join('')],
  ];
  return () => {
    const [how, make] = ways[below(ways.length)]!;
    return { how, token: make() };
  };
};
