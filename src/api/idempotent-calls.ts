import { createHash, type Hash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Knex } from 'knex';
import { createSecretBox } from '../base/secret-box.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { requestIdOf } from '../http/request/request-id.ts';
import type { LogFields } from '../observability/log.ts';
import { callerKey } from '../access/caller.ts';
import { callerOf } from './call-rights.ts';
import { text } from '../base/schema.ts';
import { accept, reject, type Parameter } from './parameters.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;
const KEY_WORDS = 'must be 1 to 255 visible ASCII characters, such as a UUID';
/** A call that has no end by then ended with its replica. */
const MAX_CALL_MS = 120_000;
const RETRY_SECONDS = 2;
/** Of an answer that is kept; files are longer, and no answers to a POST. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const KEPT_HEADERS = ['content-type', 'etag', 'location', 'cache-control', 'x-content-type-options'];

/** Of every POST of staff (IETF draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_PARAMETER: Parameter<string | undefined> = {
  ...{ in: 'header', required: false, schema: text },
  description: `A key of your choice, ${KEY_WORDS.replace('must be ', '')}: a call that is sent again with it, within a day, is carried out once, and gets the first answer again`,
  read: ([word]) => (word === undefined || word === '' ? accept(undefined) : KEY_FORM.test(word) ? accept(word) : reject(KEY_WORDS)),
};

export interface IdempotentCallsOptions {
  readonly knex: Knex;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** An answer could not be kept. */
  readonly onFailure: (fault: Error, fields: LogFields) => void;
}

/** In place of a hash: the handler did not read the body. */
const ANY_BODY = Buffer.alloc(0);

interface KeptCall {
  readonly route: string;
  readonly begun_at: Date;
  readonly body_hash: Buffer | null;
  readonly status: number | null;
  readonly answer: string | null;
}

interface KeptAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Carries a POST with an Idempotency-Key out once, whichever replicas it is sent to and however often: later ones get the
 * first answer, with `Idempotent-Replayed: true`. A call that was refused has changed nothing, and leaves no key behind.
 */
export const idempotentCalls =
  ({ knex, now, onFailure }: IdempotentCallsOptions): RequestHandler =>
  async (req, res, next) => {
    const key = req.get(IDEMPOTENCY_KEY);
    if (req.method !== 'POST' || key === undefined || !KEY_FORM.test(key)) return next();
    const row = { caller: callerKey(callerOf(res)), key_hash: createHash('sha256').update(key).digest() };
    const route = `${req.baseUrl}${req.url}`;
    await knex('idempotency_keys')
      .where('begun_at', '<', new Date(now() - MS_PER_DAY))
      .delete();
    const begun = await knex('idempotency_keys')
      .insert({ ...row, route, begun_at: new Date(now()) })
      .onConflict(['caller', 'key_hash'])
      .ignore()
      .returning('route');
    const body = hashOfBody(req);
    const noted = (fault: Error): void => onFailure(fault, { requestId: requestIdOf(res) });
    if (begun.length > 0) {
      keepAnswer(res, (status, answer) => {
        const call = knex('idempotency_keys').where(row);
        if (status >= 400 || answer === undefined) return call.delete().catch(noted);
        const bodyHash = req.readableEnded ? body.digest() : ANY_BODY;
        return call.update({ status, body_hash: bodyHash, answer: boxOf(key).seal(JSON.stringify(answer), row.caller) }).catch(noted);
      });
      return next();
    }
    const kept = await knex('idempotency_keys').where(row).first<KeptCall | undefined>();
    for await (const _ of req) continue;
    replay(res, kept, { key, caller: row.caller, route, bodyHash: body.digest(), nowMs: now() });
  };

const boxOf = (key: string) => createSecretBox([{ kid: 'key', secret: key }]);

/** Hashes what a handler reads of a body. */
const hashOfBody = (req: Request): Hash => {
  const hash = createHash('sha256');
  const emit = req.emit.bind(req) as (event: string, ...values: unknown[]) => boolean;
  req.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event === 'data') hash.update(values[0] as Buffer);
    return emit(event as string, ...values);
  };
  return hash;
};

/** Calls back before an answer ends, once it is whole; with undefined, when it is none that can be kept, or the client has gone. */
const keepAnswer = (res: Response, keep: (status: number, answer: KeptAnswer | undefined) => Promise<unknown>): void => {
  const parts: Buffer[] = [];
  let bytes = 0;
  let isKept = false;
  const add = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return;
    const part = Buffer.from(chunk as string);
    bytes += part.length;
    if (bytes <= MAX_KEPT_BYTES) parts.push(part);
  };
  const written = (answer: KeptAnswer | undefined): Promise<unknown> => {
    isKept = true;
    return keep(res.statusCode, answer);
  };
  const [write, end] = [res.write.bind(res), res.end.bind(res)] as [(...values: unknown[]) => boolean, (...values: unknown[]) => Response];
  res.write = (...values: unknown[]): boolean => {
    add(values[0]);
    return write(...values);
  };
  res.end = (...values: unknown[]): Response => {
    add(values[0]);
    const headers = Object.fromEntries(KEPT_HEADERS.flatMap((name) => (res.hasHeader(name) ? [[name, String(res.getHeader(name))]] : [])));
    const answer = bytes <= MAX_KEPT_BYTES ? { headers, body: Buffer.concat(parts).toString('utf8') } : undefined;
    // The next call with the key is to find the answer, so it is stored first.
    void written(answer).then(() => end(...values));
    return res;
  };
  res.once('close', () => {
    if (!isKept) void written(undefined);
  });
};

interface Repeated {
  readonly key: string;
  readonly caller: string;
  readonly route: string;
  readonly bodyHash: Buffer;
  readonly nowMs: number;
}

const isSameBody = (first: Buffer | null, body: Buffer): boolean => first?.length === ANY_BODY.length || first?.equals(body) === true;

const replay = (res: Response, kept: KeptCall | undefined, { key, caller, route, bodyHash, nowMs }: Repeated): void => {
  const retry = { 'Retry-After': String(RETRY_SECONDS) };
  if (!kept)
    return sendProblem(res, problem('conflict', 'The first call with this Idempotency-Key has just failed: send it again.'), retry);
  const { answer, status, body_hash: firstHash } = kept;
  if (answer === null || status === null) {
    return nowMs - kept.begun_at.getTime() < MAX_CALL_MS
      ? sendProblem(res, problem('conflict', 'The first call with this Idempotency-Key has not ended: send it again.'), retry)
      : sendProblem(
          res,
          problem('conflict', 'The end of the first call with this Idempotency-Key is not known: read what it was to change.'),
        );
  }
  const opened = boxOf(key).open(answer, caller);
  if (kept.route !== route || !isSameBody(firstHash, bodyHash) || opened === undefined)
    return sendProblem(res, problem('idempotency_key_reused', 'This Idempotency-Key was sent with another call: take a new one for each.'));
  const { headers, body } = JSON.parse(opened) as KeptAnswer;
  res.writeHead(status, { ...headers, 'Idempotent-Replayed': 'true', 'Content-Length': Buffer.byteLength(body) }).end(body);
};
