import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Log } from '../../observability/log.ts';
import { requestIdOf } from '../request/request-id.ts';
import { problem, sendProblem, type Problem, type ProblemCode } from './problem.ts';

export interface ErrorHandlerParts {
  readonly log: Log;
  /** Counts an internal error. */
  readonly countError: () => void;
}

/**
 * Maps thrown errors to problem responses. Client errors that Express and its file server report
 * stay 4xx; all others become a 500, logged once with the stack and counted. The response never
 * carries an error's message, its stack or the body.
 */
export const createErrorHandler =
  ({ log, countError }: ErrorHandlerParts): ErrorRequestHandler =>
  (error: unknown, req, res, next) => {
    const answer = problemOf(error);
    if (answer.status >= 500) {
      countError();
      log.error('A request failed', { requestId: requestIdOf(res), method: req.method, path: req.path, error });
    }
    // Express's default handler closes the connection, so that a client cannot mistake half a
    // response for a whole one.
    if (res.headersSent) next(error);
    else sendProblem(res, answer);
  };

export const notFound: RequestHandler = (_req, res) => {
  sendProblem(res, problem('not_found', 'No resource exists at this path.'));
};

/** `allow`: the methods of the path, as the Allow header lists them. */
export const methodNotAllowed =
  (allow: string): RequestHandler =>
  (_req, res) => {
    sendProblem(res, problem('method_not_allowed', `This path supports ${allow}.`), { Allow: allow });
  };

const BY_STATUS: ReadonlyMap<number, ProblemCode> = new Map([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [408, 'request_timeout'],
  [409, 'conflict'],
  [413, 'body_too_large'],
  [415, 'unsupported_media'],
  [416, 'range_not_satisfiable'],
  [429, 'too_many_requests'],
]);

const INTERNAL = problem('internal', 'The request failed. The error has been logged.');
const UNAVAILABLE = problem('unavailable', 'Try again later.');

const problemOf = (error: unknown): Problem => {
  const { status, statusCode } = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const given = typeof status === 'number' ? status : statusCode;
  // Express reports a path with broken percent-encoding as a URIError with status 400.
  if (typeof given !== 'number' || given < 400) return INTERNAL;
  if (given >= 500) return given === 503 ? UNAVAILABLE : INTERNAL;
  return problem(BY_STATUS.get(given) ?? 'invalid_request', 'The request is malformed.');
};
