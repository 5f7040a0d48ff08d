import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Chance } from '../../testkit/chance.ts';
import { describeShape, manyTimes, mutateShape, rareShape, writeShape, type Shape } from './shape.ts';

/** A header or query value, written when it is sent. */
export type Value =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'repeat'; readonly unit: string; readonly times: number }
  /** Addresses, the first of them different in every replay. */
  | { readonly kind: 'addresses'; readonly times: number };

/** `unnamed gzip`: compressed without a header that says so, as Prebid.js does. */
export const ENCODINGS = ['identity', 'gzip', 'deflate', 'br', 'unnamed gzip'] as const;
export const FRAMINGS = ['length', 'chunked', 'short', 'long'] as const;

/** What requests and answers have in common: all after the first line. */
export interface Message {
  readonly headers: readonly (readonly [string, Value])[];
  readonly body: Shape | undefined;
  readonly encoding: (typeof ENCODINGS)[number];
  readonly framing: (typeof FRAMINGS)[number];
}

export const plain = (text: string): Value => ({ kind: 'plain', text });

/** Node and undici refuse more than 16 KiB of headers. */
const MAX_HEADERS_LENGTH = 15_000;

export const writeValue = (value: Value, replay: number): string => {
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

/**
 * The bytes of a message.
 *
 * @param firstLines the request or status line, and headers that never change
 * @param replay makes it differ from others of the same description
 * @param maxBodyLength in characters, before it is compressed
 */
export const writeMessage = (
  firstLines: readonly string[],
  { headers, body, encoding, framing }: Message,
  replay: number,
  maxBodyLength: number,
): Buffer => {
  const text = body === undefined ? undefined : Buffer.from(writeShape(body, replay, maxBodyLength));
  const sent = text && ENCODERS[encoding](text);
  const isNamed = sent !== undefined && encoding !== 'identity' && encoding !== 'unnamed gzip';
  const lines = [
    ...firstLines,
    'Connection: close',
    ...writeHeaders(headers, replay),
    ...(isNamed ? [`Content-Encoding: ${encoding}`] : []),
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

/** Cuts the values that come last, so that the receiver accepts all of them. */
const writeHeaders = (headers: Message['headers'], replay: number): readonly string[] => {
  let left = MAX_HEADERS_LENGTH;
  return headers.map(([name, value]) => {
    const text = writeValue(value, replay).slice(0, left);
    left -= text.length + name.length + 4;
    return `${name}: ${text}`;
  });
};

const ENCODERS: Readonly<Record<Message['encoding'], (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: (body) => gzipSync(body),
  'unnamed gzip': (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  br: (body) => brotliCompressSync(body),
};

const UNITS = ['x', ',', ' ,', '; ', 'Mozilla/5.0 ', '(', '"', 'bytes=0-1,', 'a/b;q=0.1,', 'é', '%'];

export const pickOf = <T>(values: readonly T[], chance: Chance): T => values[Math.floor(chance() * values.length)] as T;

export const rareValue = (chance: Chance): Value => ({ kind: 'repeat', unit: pickOf(UNITS, chance), times: manyTimes(chance) });

const rareHeader = (chance: Chance, names: readonly string[]): readonly [string, Value] => {
  const name = pickOf(names, chance);
  const addresses = name === 'X-Forwarded-For' && chance() < 0.7;
  return [name, addresses ? { kind: 'addresses', times: Math.min(1_500, manyTimes(chance)) } : rareValue(chance)];
};

/** Ways to change one part of a message; the more of one kind, the more often it is chosen. */
export const changesOf = <M extends Message>(message: M, chance: Chance, headerNames: readonly string[]): readonly (() => M)[] => {
  const { body, headers } = message;
  const header = rareHeader(chance, headerNames);
  const others = headers.filter(([given]) => given !== header[0]);
  return [
    ...(body
      ? [
          ...Array.from({ length: 12 }, () => () => ({ ...message, body: mutateShape(body, chance) })),
          () => ({ ...message, body: rareShape(chance) }),
          () => ({ ...message, encoding: pickOf(ENCODINGS, chance) }),
          () => ({ ...message, framing: pickOf(FRAMINGS, chance) }),
        ]
      : []),
    ...Array.from({ length: 2 }, () => () => ({ ...message, headers: [...others, header] })),
    () => ({ ...message, headers: others }),
  ];
};

/** A few headers that together take most of the room there is. */
export const largeHeaders = (chance: Chance, names: readonly string[]): Message['headers'] => {
  const headers = new Map(Array.from({ length: LARGE_HEADERS }, () => rareHeader(chance, names)));
  return [...headers].map(([name, value]) => {
    const length = MAX_HEADERS_LENGTH / LARGE_HEADERS;
    if (value.kind === 'addresses') return [name, { ...value, times: length / 10 }];
    return [name, value.kind === 'repeat' ? { ...value, times: length / value.unit.length } : value];
  });
};

const LARGE_HEADERS = 3;

/** Adds headers to a message, but to those that it needs to be accepted. */
export const withHeaders = <M extends Message>(message: M, headers: Message['headers']): M => {
  const own = new Set(message.headers.map(([name]) => name));
  return { ...message, headers: [...message.headers, ...headers.filter(([name]) => !own.has(name))] };
};

export const describeValue = (given: Value): string =>
  given.kind === 'plain'
    ? given.text.slice(0, 20)
    : `${given.kind === 'repeat' ? JSON.stringify(given.unit) : 'addresses'} × ${given.times}`;

/** In one line, without what is usual. */
export const describeMessage = ({ headers, body, encoding, framing }: Message): readonly string[] => [
  ...headers.map(([name, given]) => `${name}: ${describeValue(given)}`),
  ...(body ? [`body ${describeShape(body)}`] : []),
  ...(encoding === 'identity' ? [] : [encoding]),
  ...(framing === 'length' ? [] : [framing]),
];
