import { promisify } from 'node:util';
import { gunzip as gunzipCallback, gzip as gzipCallback } from 'node:zlib';
import { errors, type Dispatcher } from 'undici';
import { isBoundedJson } from '../../base/is-bounded-json.ts';
import type { BidOutcome } from '../bid-outcome.ts';
import { isForbiddenAddressError } from './guarded-dispatcher.ts';

const gunzip = promisify(gunzipCallback);
const gzip = promisify(gzipCallback);

/** Of a response, both as sent and decompressed. */
export const MAX_ANSWER_BYTES = 256 * 1024;
/**
 * Values of a response: 20 impressions with ten native bids each have about 9,000. One object with
 * 28,000 members took JSON.parse 20 ms.
 */
const MAX_ANSWER_VALUES = 12_000;

/** Parsed JSON (null for 204), not yet validated, or why there is none. */
export type BidAnswer = { readonly kind: 'answer'; readonly json: unknown } | RefusedCall;

export interface RefusedCall {
  readonly kind: 'refused';
  readonly outcome: BidOutcome;
  /** The status and the text of a bidder that refused the request: printable, and short. */
  readonly said?: string | undefined;
}

const refused = (outcome: BidOutcome, said?: string): RefusedCall => ({ kind: 'refused', outcome, said });

/** Headers of one call besides those of its bidder. */
export type CallHeaders = Readonly<Record<string, string>> | undefined;

export interface BidCall {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  /** A serialized OpenRTB 2.6 BidRequest. */
  readonly body: string;
  /** Aborts the call in any phase: queued, resolving, connecting, waiting or reading. */
  readonly signal: AbortSignal;
}

/** One HTTP exchange with a bidder. Never rejects; redirects are not followed. */
export const postBidRequest = async ({ dispatcher, url, headers, gzip: compress, body, signal }: BidCall): Promise<BidAnswer> => {
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: compress ? { ...headers, ...HEADERS, 'content-encoding': 'gzip' } : { ...headers, ...HEADERS },
      body: compress ? await gzip(body) : body,
      signal,
    });
    if (answer.statusCode === 200) return parse(await readBody(answer));
    if (answer.statusCode >= 400 && answer.statusCode < 500) return refused('bad_status', await whatItSaid(answer));
    // Reads the rest of the body so that the socket can be reused; past 16 KiB or the deadline the
    // socket is closed, which rejects.
    answer.body.dump({ limit: 16 * 1024, signal }).catch(() => undefined);
    if (answer.statusCode === 204) return { kind: 'answer', json: null };
    return refused(answer.statusCode >= 300 && answer.statusCode < 400 ? 'redirect' : 'bad_status');
  } catch (error) {
    return refused(signal.aborted ? 'timeout' : outcomeOfError(error));
  }
};

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  'accept-encoding': 'gzip',
  'x-openrtb-version': '2.6',
};

const MAX_SAID_LENGTH = 160;

/** A text that a person at the trace can read; '' for one that cannot be decoded. */
const whatItSaid = async (answer: Dispatcher.ResponseData): Promise<string> => {
  const body = await readBody(answer);
  const text = typeof body === 'string' ? '' : body.toString('utf8', 0, MAX_ANSWER_BYTES);
  const printable = text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim();
  return `HTTP ${answer.statusCode} ${printable.slice(0, MAX_SAID_LENGTH)}`.trim();
};

/** The decompressed body, or why it cannot be read. */
const readBody = async (answer: Dispatcher.ResponseData): Promise<Buffer | BidOutcome> => {
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  const raw = Buffer.from(await answer.body.arrayBuffer());
  if (encoding === 'identity') return raw;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return 'bad_encoding';
  try {
    return await gunzip(raw, { maxOutputLength: MAX_ANSWER_BYTES });
  } catch (error) {
    return codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_encoding';
  }
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const parse = (body: Buffer | BidOutcome): BidAnswer => {
  if (typeof body === 'string') return refused(body);
  if (!isBoundedJson(body, MAX_ANSWER_VALUES)) return refused('too_large');
  let text: string;
  try {
    text = UTF8.decode(body);
  } catch {
    return refused('bad_encoding');
  }
  try {
    return { kind: 'answer', json: JSON.parse(text) };
  } catch {
    return refused('malformed');
  }
};

const NOT_HTTP: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const outcomeOfError = (error: unknown): BidOutcome => {
  const code = codeOf(error);
  if (isForbiddenAddressError(error)) return 'forbidden_address';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too_large';
  // undici leaves the code of some parser errors undefined, so the class is checked.
  const notHttp = error instanceof errors.HTTPParserError || NOT_HTTP.has(code);
  return notHttp ? 'malformed' : 'unreachable';
};

const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '');
