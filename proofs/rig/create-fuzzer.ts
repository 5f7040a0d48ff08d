import { deflateSync, gzipSync } from 'node:zlib';
import type { Booking } from '../../testkit/book.ts';
import { createChance } from '../../testkit/chance.ts';

export interface FuzzedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PATCH';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface Fuzzer {
  request(): FuzzedRequest;
  /** Bytes that resemble HTTP. */
  raw(): Buffer;
}

/** Hostile requests from a seed. Many are almost valid, to reach code behind the first checks. */
export const createFuzzer = ({
  seed,
  booking,
  token,
}: {
  readonly seed: number;
  readonly booking: Booking;
  readonly token: string;
}): Fuzzer => {
  const random = createChance(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;
  const chance = (share: number) => random() < share;
  const noise = (length: number) =>
    Array.from({ length: below(length) }, () =>
      String.fromCharCode(pick([below(128), below(0x800), 0xd800 + below(0x800), 0xfeff, 0])),
    ).join('');
  const letters = (length: number) => 'x'.repeat(below(length));

  const scalar = (): unknown =>
    pick<() => unknown>([
      () => null,
      () => true,
      () => below(2 ** 31),
      () => -below(1e9),
      () => random() * 1e300,
      () => 1e21,
      () => '',
      () => noise(40),
      () => letters(400),
      () => booking.placementId,
      () => String(booking.publisherId),
      () => '__proto__',
      () => "'; drop table line_items; --",
      () => '{{constructor.constructor("return process")()}}',
      () => '\u0000',
      () => [],
      () => ({}),
    ])();
  const value = (depth = 0): unknown => {
    if (depth > 4 || chance(0.5)) return scalar();
    if (chance(0.5)) return Array.from({ length: below(6) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: below(6) }, () => [
        pick(['id', 'imp', 'ext', 'kv', '__proto__', 'constructor', 'toString', noise(10)]),
        value(depth + 1),
      ]),
    );
  };

  const goodBody = (): Record<string, unknown> => ({
    id: 'r',
    imp: Array.from({ length: 1 + below(3) }, (_, i) => ({ id: `${i}`, tagid: pick([booking.placementId, 'no-such-slot']) })),
    user: { id: `user-${below(100)}` },
    device: { ip: pick(['203.0.113.9', '::1', 'nonsense']), ua: pick(['', 'Mozilla/5.0', noise(60)]) },
    regs: { coppa: below(2) },
    ext: { publisher_id: booking.publisherId, kv: { topic: 'sport' } },
  });
  const goodAuction = (): Record<string, unknown> => ({
    id: 'a',
    imp: Array.from({ length: 1 + below(3) }, (_, i) => ({
      id: `${i}`,
      banner: { format: [{ w: 300, h: 250 }], w: 300, h: 250 },
      native: { request: JSON.stringify(mutate({ assets: [{ id: 1, required: 1, title: { len: 90 } }] })) },
      bidfloor: random(),
      bidfloorcur: pick(['USD', 'EUR', 'XXX']),
      tagid: booking.placementId,
      ext: { prebid: { bidder: { direct: { placement: booking.placementId } } }, gpid: booking.placementId, data: { topic: 'sport' } },
    })),
    site: { publisher: { id: String(booking.publisherId) }, page: 'https://example.com/', ext: { data: { topic: ['sport'] } } },
    user: { id: 'u', consent: noise(20), eids: [{ source: 'pubcid.org', uids: [{ id: 'u' }] }] },
    device: { ua: 'Mozilla/5.0', ip: '203.0.113.9' },
    regs: { gdpr: below(2), gpp: noise(20), gpp_sid: [7], ext: { dsa: { dsarequired: below(5) } } },
    cur: ['USD', 'EUR'],
    ext: { prebid: { storedrequest: { id: String(booking.publisherId) }, debug: true } },
  });
  /** Replaces, removes or adds something somewhere. */
  const mutate = (target: unknown, depth = 0): unknown => {
    if (typeof target !== 'object' || target === null || depth > 3 || chance(0.15)) return value();
    const keys = Object.keys(target);
    const key = pick(keys.length > 0 ? keys : ['x']);
    const copy: Record<string, unknown> | unknown[] = Array.isArray(target) ? [...(target as unknown[])] : { ...target };
    if (chance(0.15)) delete (copy as Record<string, unknown>)[key];
    else if (chance(0.2)) (copy as Record<string, unknown>)[noise(12)] = value();
    else (copy as Record<string, unknown>)[key] = mutate((target as Record<string, unknown>)[key], depth + 1);
    return copy;
  };
  const nested = (): string => {
    const depth = 1 + below(20_000);
    return pick(['[', '{"a":']).repeat(depth);
  };
  const body = (): string | Buffer => {
    const text = (): string => JSON.stringify(mutate(chance(0.5) ? goodBody() : goodAuction()));
    return pick<() => string | Buffer>([
      text,
      text,
      text,
      () => JSON.stringify(goodBody()),
      () => JSON.stringify(goodAuction()),
      () => JSON.stringify(goodBody()).replace('"ext"', '"__proto__":{"polluted":1},"ext"'),
      () => JSON.stringify({ publisher_id: booking.publisherId, placement_id: booking.placementId, user_id: value() }),
      () => text().slice(0, below(200)),
      () => Buffer.from(Buffer.from(text()).map((byte) => (chance(0.02) ? below(256) : byte))),
      () => nested(),
      () => `{"id":"r","imp":${'['.repeat(5_000)}${']'.repeat(5_000)},"user":{"id":"u"},"ext":{"publisher_id":${booking.publisherId}}}`,
      () =>
        `{"id":"r","imp":[{"id":"1","tagid":"${booking.placementId}"}],"user":{"id":"u"},"ext":{"publisher_id":${pick(['NaN', '1e400', '01', '0x1', '-0', '9007199254740993'])}}}`,
      () => letters(100_000),
      () => '',
      () => JSON.stringify({ token: pick([token, noise(30), value()]), reason: pick(['other', value()]) }),
      () => noise(300),
    ])();
  };
  const encoded = (headers: Record<string, string>, plain: string | Buffer): string | Buffer => {
    if (!chance(0.1)) return plain;
    const encoding = pick(['gzip', 'deflate', 'br', 'identity', 'zstd', 'gzip, gzip', noise(5).replace(/[^a-z]/g, '') || 'x']);
    headers['content-encoding'] = encoding;
    const packed = encoding === 'gzip' ? gzipSync(plain) : encoding === 'deflate' ? deflateSync(plain) : Buffer.from(plain);
    return chance(0.3) ? packed.subarray(0, below(packed.length + 1)) : packed;
  };

  const query = (): string => {
    const part = () =>
      pick([
        () => `t=${token}`,
        () => `t=${token.slice(0, below(token.length))}`,
        () => `t=${encodeURIComponent(letters(3_000))}`,
        () => 't',
        () => 't=&t=',
        () => 't[]=a&t[b]=c',
        () => `t=%${pick(['', '0', 'zz', 'ff', 'c0%af', '00'])}`,
        () => `type=${pick(['like', 'share', 'no-such', '', '%', '__proto__', 'like&type=share'])}`,
        () => 'debug=1',
        () => 'gzip=1',
        () => '__proto__[x]=1',
        () => `${letters(20)}=${letters(2_000)}`,
        () => `bids=${pick(['0', '-1', '1e9', 'x'])}&delay=${pick(['-1', 'x', '5'])}&status=${pick(['0', '999', 'x', '204'])}`,
      ])();
    return chance(0.1) ? '' : `?${Array.from({ length: 1 + below(3) }, part).join('&')}`;
  };
  const path = (): string =>
    pick([
      '/ad',
      '/ad',
      '/ad',
      '/ad',
      '/ad',
      '/openrtb2/auction',
      '/openrtb2/auction',
      '/openrtb2/auction',
      `/openrtb2/auction/${booking.publisherId}`,
      '/openrtb2/auction/__proto__',
      '/openrtb2/',
      '/impression',
      '/impression',
      '/click',
      '/event',
      '/event',
      '/report',
      '/report',
      '/test/bid',
      '/health',
      '/ready',
      '/api/line_items',
      '/api/creatives/1',
      '/api/publishers/x',
      '/api/__proto__',
      '/static/../../package.json',
      '/static/%2e%2e/%2e%2e/etc/passwd',
      '/static/sdk/adsdk.js',
      '/static/%00',
      '/static/%',
      '/%',
      '/%c0%ae',
      '//',
      '/.',
      '/ad/',
      '/AD',
      '/impression/x',
      '/constructor',
      `/${'a/'.repeat(500)}`,
      '/ad%0d%0aX:y',
    ]);
  const headerValue = () =>
    pick([
      '',
      'x',
      letters(3_000),
      'application/json',
      'text/html',
      'application/json; charset=utf-7',
      '203.0.113.1, 10.0.0.1',
      'nonsense,,,',
      'prefetch',
      '0',
      '-1',
      'null',
    ]);

  return {
    request: () => {
      const to = path();
      const isPost = /^\/(ad|report|test|openrtb2)/i.test(to) || to.startsWith('/api') ? chance(0.9) : chance(0.05);
      const method = chance(0.05) ? pick(['PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'] as const) : isPost ? 'POST' : 'GET';
      const headers: Record<string, string> = {};
      if (chance(0.85)) headers['x-api-key'] = chance(0.9) ? booking.apiKey : headerValue();
      if (chance(0.6))
        headers['content-type'] = pick([
          'application/json',
          'text/plain',
          'application/x-www-form-urlencoded',
          'multipart/form-data',
          headerValue(),
        ]);
      for (const name of [
        'user-agent',
        'x-forwarded-for',
        'accept',
        'origin',
        'cookie',
        'range',
        'if-none-match',
        'sec-purpose',
        'purpose',
        'authorization',
        'accept-encoding',
      ])
        if (chance(0.1)) headers[name] = headerValue();
      const withBody = method !== 'GET' && method !== 'HEAD';
      const sent = withBody ? encoded(headers, body()) : undefined;
      return { method, path: to + query(), headers, ...(sent === undefined ? {} : { body: sent }) };
    },
    raw: () => {
      const good = `POST /ad HTTP/1.1\r\nHost: x\r\nX-API-Key: ${booking.apiKey}\r\nContent-Length: 2\r\n\r\n{}`;
      return pick<() => Buffer>([
        () => Buffer.from(noise(300)),
        () => Buffer.from(Buffer.from(good).map((byte) => (chance(0.05) ? below(256) : byte))),
        () => Buffer.from('GET /health HTTP/9.9\r\n\r\n'),
        () => Buffer.from('GET /health HTTP/1.1\r\n\r\n'),
        () => Buffer.from('POST /ad HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nContent-Length: 11\r\n\r\n{}'),
        () => Buffer.from('POST /ad HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'),
        () => Buffer.from('POST /ad HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}'),
        () => Buffer.from(`GET /impression?t=${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
        () => Buffer.from(`GET / HTTP/1.1\r\nHost: x\r\n${'X-Y: z\r\n'.repeat(3_000)}\r\n`),
        () => Buffer.from(good.slice(0, below(good.length))),
        () => Buffer.from('GET /health HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
        () => Buffer.from('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'),
        () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
      ])();
    },
  };
};
