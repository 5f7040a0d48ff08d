import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { readTraceParent } from '../../base/traceparent.ts';

const HEADER = 'X-Request-Id';
/** Neither spaces, quotes nor @: an id is written to logs and answers, and must not be an address of a user. */
const WELL_FORMED = /^[\w.:-]{1,128}$/;

/**
 * The id of a request: its X-Request-Id where that is well-formed, else `traceId`, the trace id of
 * its traceparent, or a new one. It is made when it is first needed, and sent with the answer
 * unless the headers are sent already.
 */
export const requestIdOf = (res: ServerResponse, traceId?: string): string => {
  const known = res.getHeader(HEADER);
  if (typeof known === 'string') return known;
  const { 'x-request-id': given, traceparent } = res.req.headers;
  const id =
    typeof given === 'string' && WELL_FORMED.test(given) ? given : (traceId ?? readTraceParent(traceparent)?.traceId ?? randomUUID());
  if (!res.headersSent) res.setHeader(HEADER, id);
  return id;
};

/** Gives every answer behind it an id. Not for the hot routes, which need one for errors only. */
export const sendRequestId: RequestHandler = (_req, res, next) => {
  requestIdOf(res);
  next();
};
