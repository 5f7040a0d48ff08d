import { promisify } from 'node:util';
import { gunzip as gunzipCallback } from 'node:zlib';
import { errors, type Dispatcher } from 'undici';
import type { BidOutcome } from '../bid-outcome.ts';
import { isForbiddenAddressError } from './guarded-dispatcher.ts';

const gunzip = promisify(gunzipCallback);

/** Of a response, both as sent and decompressed. */
export const MAX_ANSWER_BYTES = 256 * 1024;

/** Parsed JSON (null for 204), not yet validated, or why there is none. */
export type BidAnswer = { readonly kind: 'answer'; readonly json: unknown } | { readonly kind: 'refused'; readonly outcome: BidOutcome };

const refused = (outcome: BidOutcome): BidAnswer => ({ kind: 'refused', outcome });

export interface BidCall {
  readonly dispatcher: Dispatcher;
  readonly url: URL;
  /** A serialized OpenRTB 2.6 BidRequest. */
  readonly body: string;
  /** Sent besides the usual ones. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Aborts the call in any phase: queued, resolving, connecting, waiting or reading. */
  readonly signal: AbortSignal;
}

/** One HTTP exchange with a bidder. Never rejects; redirects are not followed. */
export const postBidRequest = async ({ dispatcher, url, body, headers, signal }: BidCall): Promise<BidAnswer> => {
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: headers ? { ...HEADERS, ...headers } : HEADERS,
      body,
      signal,
    });
    if (answer.statusCode === 200) return await readBody(answer);
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

const readBody = async (answer: Dispatcher.ResponseData): Promise<BidAnswer> => {
  const encoding = String(answer.headers['content-encoding'] ?? 'identity').toLowerCase();
  const raw = Buffer.from(await answer.body.arrayBuffer());
  if (encoding === 'identity') return parse(raw);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return refused('bad_encoding');
  try {
    return parse(await gunzip(raw, { maxOutputLength: MAX_ANSWER_BYTES }));
  } catch (error) {
    return refused(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_encoding');
  }
};

const UTF8 = new TextDecoder('utf-8', { fatal: true });

const parse = (bytes: Uint8Array): BidAnswer => {
  let text: string;
  try {
    text = UTF8.decode(bytes);
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
