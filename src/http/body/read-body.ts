import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import getRawBody from 'raw-body';
import { problem, type Problem } from '../problems/problem.ts';

/** `gone`: the client left before its body was whole; nobody is there to answer. */
export type BodyOutcome = { readonly body: Buffer } | { readonly refusal: Problem } | { readonly gone: true };

export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** A refused body is read on and thrown away up to here, so that the client, which is still sending, gets to the answer: twice the largest body that is taken. */
const DISCARD_BYTES = 4 * 1024 * 1024;
const DISCARD_MS = 2_000;

const GONE = { gone: true } as const;
const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = new Map([
  ['gzip', promisify(unzip)],
  ['x-gzip', promisify(unzip)],
  ['deflate', promisify(unzip)],
  ['br', promisify(brotliDecompress)],
]);

/**
 * The body of a request, decoded, up to `limit` bytes before and after decoding. Never rejects for what a client did: too long is 413 (without
 * waiting for a body whose length says so), an encoding that is unknown 415, one that is broken 400.
 */
export const readBody = (req: IncomingMessage, limit: number = DEFAULT_BODY_LIMIT): Promise<BodyOutcome> => {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase();
  return encoding === undefined || encoding === '' || encoding === 'identity'
    ? collect(req, limit)
    : collectEncoded(req, limit, DECODERS.get(encoding));
};

const collectEncoded = async (req: IncomingMessage, limit: number, decode: ReturnType<typeof DECODERS.get>): Promise<BodyOutcome> => {
  if (decode === undefined) {
    discard(req);
    return { refusal: problem('unsupported_media', 'The content encodings gzip, deflate and br are supported.') };
  }
  const received = await collect(req, limit);
  if (!('body' in received)) return received;
  try {
    return { body: await decode(received.body, { maxOutputLength: limit }) };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(limit)
      : { refusal: problem('invalid_request', 'The body does not decode as its Content-Encoding says.') };
  }
};

const tooLarge = (limit: number): BodyOutcome => ({ refusal: problem('body_too_large', `The body may have up to ${limit} bytes.`) });

const collect = async (req: IncomingMessage, limit: number): Promise<BodyOutcome> => {
  try {
    return { body: await getRawBody(req, { limit, length: req.headers['content-length'] ?? null }) };
  } catch (error) {
    if ((error as getRawBody.RawBodyError).type !== 'entity.too.large') return GONE;
    discard(req);
    return tooLarge(limit);
  }
};

const ignore = (): void => {};

/**
 * Closing at once would answer with a reset, which can overtake the answer on its way to a client that is still sending. So the rest is read and
 * dropped; a client that goes on for longer than is polite loses its connection.
 */
const discard = (req: IncomingMessage): void => {
  let discarded = 0;
  const impatience = setTimeout(() => req.socket.destroy(), DISCARD_MS).unref();
  req.on('error', ignore);
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_BYTES) req.socket.destroy();
  });
  req.once('close', () => clearTimeout(impatience));
  req.once('end', () => clearTimeout(impatience));
  req.resume();
};
