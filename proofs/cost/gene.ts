import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from '../../testkit/chance.ts';
import { manyTimes, mutateShape, rareShape, writeShape, type Shape } from './shape.ts';

/** Whose budget a request has: staff are known by the admin token, operators by their network. */
export type Role = 'stranger' | 'staff' | 'operator';

/** A header or query value, written when it is sent. */
export type Value =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'repeat'; readonly unit: string; readonly times: number }
  /** Addresses, the first of them different in every replay. */
  | { readonly kind: 'addresses'; readonly times: number };

export const ENCODINGS = ['identity', 'gzip', 'deflate', 'br'] as const;
export const FRAMINGS = ['length', 'chunked', 'short', 'long'] as const;

/** A request from which others are bred. */
export interface Gene {
  readonly endpoint: string;
  readonly role: Role;
  /** Its answer is a file or a creative, whose size the service does not choose. */
  readonly carriesFiles: boolean;
  readonly method: string;
  /** `{7..9}` is another number in each request: 7, 8, 9, 7, … */
  readonly path: string;
  readonly query: readonly (readonly [string, Value])[];
  readonly headers: readonly (readonly [string, Value])[];
  readonly body: Shape | undefined;
  readonly encoding: (typeof ENCODINGS)[number];
  readonly framing: (typeof FRAMINGS)[number];
}

export const plain = (text: string): Value => ({ kind: 'plain', text });

/** Node refuses more than 16 KiB of headers. */
const MAX_HEADERS_LENGTH = 15_000;
const MAX_BODY_LENGTH: Readonly<Record<Role, number>> = { stranger: 65_000, operator: 65_000, staff: 2_000_000 };

const writeValue = (value: Value, replay: number): string => {
  switch (value.kind) {
    case 'plain':
      return value.text;
    case 'repeat':
      return value.unit.repeat(Math.min(value.times, Math.floor(MAX_HEADERS_LENGTH / value.unit.length)));
    case 'addresses': {
      const first = `198.${100 + (replay % 150)}.${100 + (Math.floor(replay / 150) % 150)}.${100 + (Math.floor(replay / 22_500) % 150)}`;
      return `${first}${', 10.0.0.1'.repeat(Math.max(0, Math.min(value.times - 1, MAX_HEADERS_LENGTH / 10)))}`;
    }
  }
};

/** The bytes of a request. `replay` makes it differ from others of the same gene. */
export const writeGene = (gene: Gene, replay: number): Buffer => {
  const { method, path, query, headers, body, encoding, framing, role } = gene;
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(writeValue(value, replay))}`).join('&');
  const text = body === undefined ? undefined : Buffer.from(writeShape(body, replay, MAX_BODY_LENGTH[role]));
  const sent = text && ENCODERS[encoding](text);
  const lines = [
    `${method} ${pathOf(path, replay)}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    ...writeHeaders(headers, replay),
    ...(encoding === 'identity' || !sent ? [] : [`Content-Encoding: ${encoding}`]),
  ];
  if (!sent) return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  if (framing === 'chunked')
    return Buffer.concat([
      Buffer.from(`${lines.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n${sent.length.toString(16)}\r\n`, 'latin1'),
      sent,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
  const length = sent.length + (framing === 'short' ? -Math.min(10, sent.length) : framing === 'long' ? 10 : 0);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${length}\r\n\r\n`, 'latin1'), sent]);
};

const pathOf = (path: string, replay: number): string =>
  path.replace(/\{(\d+)\.\.(\d+)\}/, (_, first: string, last: string) =>
    String(Number(first) + (replay % (Number(last) - Number(first) + 1))),
  );

/** Cuts the values that come last, so that the service accepts all of them. */
const writeHeaders = (headers: Gene['headers'], replay: number): readonly string[] => {
  let left = MAX_HEADERS_LENGTH;
  return headers.map(([name, value]) => {
    const text = writeValue(value, replay).slice(0, left);
    left -= text.length + name.length + 4;
    return `${name}: ${text}`;
  });
};

const ENCODERS: Readonly<Record<Gene['encoding'], (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  br: (body) => brotliCompressSync(body),
};

/** Every header that the service or its libraries read. */
const HEADERS = [
  'X-Forwarded-For',
  'User-Agent',
  'X-API-Key',
  'Authorization',
  'Content-Type',
  'Origin',
  'Sec-Fetch-Site',
  'Sec-Purpose',
  'Purpose',
  'X-Moz',
  'Sec-GPC',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'Range',
  'Accept',
  'Accept-Encoding',
  'Cookie',
  'Referer',
  'Expect',
];
const UNITS = ['x', ',', ' ,', '; ', 'Mozilla/5.0 ', '(', '"', 'bytes=0-1,', 'a/b;q=0.1,', 'é', '%'];

const rareValue = (chance: Chance): Value => ({
  kind: 'repeat',
  unit: UNITS[Math.floor(chance() * UNITS.length)] as string,
  times: manyTimes(chance),
});

const rareHeader = (chance: Chance): readonly [string, Value] => {
  const name = HEADERS[Math.floor(chance() * HEADERS.length)] as string;
  const addresses = name === 'X-Forwarded-For' && chance() < 0.7;
  return [name, addresses ? { kind: 'addresses', times: Math.min(1_500, manyTimes(chance)) } : rareValue(chance)];
};

/** Changes one to three parts of a request. */
export const mutateGene = (gene: Gene, chance: Chance): Gene => {
  let bred = gene;
  for (let changes = 1 + Math.floor(chance() * 3); changes > 0; changes--) bred = mutateOnce(bred, chance);
  return bred;
};

const mutateOnce = (gene: Gene, chance: Chance): Gene => {
  const { body, query, headers } = gene;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const [name, value] = rareHeader(chance);
  const others = headers.filter(([given]) => given !== name);
  const at = Math.floor(chance() * query.length);
  const ofBody: readonly (() => Gene)[] = body
    ? [
        ...Array.from({ length: 12 }, () => () => ({ ...gene, body: mutateShape(body, chance) })),
        () => ({ ...gene, body: rareShape(chance) }),
        () => ({ ...gene, encoding: pick(ENCODINGS) }),
        () => ({ ...gene, framing: pick(FRAMINGS) }),
      ]
    : [];
  const ofQuery = query.map(() => () => ({
    ...gene,
    query: query.map((given, i) => (i === at ? ([given[0], rareValue(chance)] as const) : given)),
  }));
  return pick<() => Gene>([
    ...ofBody,
    ...ofQuery,
    () => ({ ...gene, headers: [...others, [name, value]] }),
    () => ({ ...gene, headers: [...others, [name, value]] }),
    () => ({ ...gene, headers: others }),
  ])();
};

/** A few headers that together take most of the room there is. */
export const largeHeaders = (chance: Chance): Gene['headers'] => {
  const headers = new Map(Array.from({ length: LARGE_HEADERS }, () => rareHeader(chance)));
  return [...headers].map(([name, value]) => {
    const length = MAX_HEADERS_LENGTH / LARGE_HEADERS;
    if (value.kind === 'addresses') return [name, { ...value, times: length / 10 }];
    return [name, value.kind === 'repeat' ? { ...value, times: length / value.unit.length } : value];
  });
};

const LARGE_HEADERS = 3;

/** Adds headers to a request, but to those that it needs to be accepted. */
export const withHeaders = (gene: Gene, headers: Gene['headers']): Gene => {
  const own = new Set(gene.headers.map(([name]) => name));
  return { ...gene, headers: [...gene.headers, ...headers.filter(([name]) => !own.has(name))] };
};

/** A request in one line: what a reader needs to send it again. */
export const describeGene = (gene: Gene): string => {
  const { method, path, query, headers, body, encoding, framing } = gene;
  const value = (given: Value): string =>
    given.kind === 'plain'
      ? given.text.slice(0, 20)
      : `${given.kind === 'repeat' ? JSON.stringify(given.unit) : 'addresses'} × ${given.times}`;
  const parts = [
    `${method} ${path}`,
    ...query.map(([name, given]) => `?${name}=${value(given)}`),
    ...headers.map(([name, given]) => `${name}: ${value(given)}`),
    ...(body ? [`body ${describeShape(body)}`] : []),
    ...(encoding === 'identity' ? [] : [encoding]),
    ...(framing === 'length' ? [] : [framing]),
  ];
  return parts.join(', ');
};

const describeShape = (shape: Shape): string => {
  switch (shape.kind) {
    case 'json':
      return shape.text.slice(0, 20);
    case 'fresh':
      return 'fresh';
    case 'text':
      return `${JSON.stringify(shape.unit)} × ${shape.times}`;
    case 'list':
      return `[${shape.items.map(describeShape).join()}]${shape.times === 1 ? '' : ` × ${shape.times}`}`;
    case 'nested':
      return `${shape.open} × ${shape.times}`;
    case 'object': {
      const { members, more } = shape;
      const crowd = more ? [`${more.times} × ${more.same ? 'same name' : 'name'}: ${describeShape(more.value)}`] : [];
      return `{${[...members.map(([name, inner]) => `${name}: ${describeShape(inner)}`), ...crowd].join(', ')}}`;
    }
  }
};
