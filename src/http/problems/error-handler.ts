import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Log } from '../../observability/log.ts';
import { problem, sendProblem, type Problem } from './problem.ts';
import type { ProblemCode } from './problems.ts';

export interface ErrorHandlerParts {
  readonly log: Log;
  /** Counts a fault of the service. */
  readonly countError: () => void;
}

/**
 * The end of every road that threw. What a client did wrong (as Express, its parsers and its file server report it) stays a 4xx; all else is a 500, logged
 * once with its stack and counted. The answer never carries a message, a stack or the body.
 */
export const createErrorHandler =
  ({ log, countError }: ErrorHandlerParts): ErrorRequestHandler =>
  (error: unknown, req, res, next) => {
    const answer = problemOf(error);
    if (answer.status >= 500) {
      countError();
      log.error('a request failed', { method: req.method, path: req.path, error });
    }
    // Half an answer cannot be taken back: Express's own last step closes the connection, so that nobody takes the half for the whole.
    if (res.headersSent) next(error);
    else sendProblem(res, answer);
  };

export const notFound: RequestHandler = (_req, res) => {
  sendProblem(res, problem('not_found', 'No resource has this path.'));
};

/** `allow`: the methods of the path, as the Allow header lists them. */
export const methodNotAllowed =
  (allow: string): RequestHandler =>
  (_req, res) => {
    sendProblem(res, problem('method_not_allowed', `This path answers ${allow}.`), { Allow: allow });
  };

const BY_TYPE: ReadonlyMap<unknown, Problem> = new Map([
  ['entity.parse.failed', problem('invalid_json', 'The body could not be parsed as JSON.')],
  ['entity.too.large', problem('body_too_large', 'The body is longer than this path takes.')],
  ['encoding.unsupported', problem('unsupported_media', 'The content encoding is not supported.')],
  ['charset.unsupported', problem('unsupported_media', 'The character set is not supported.')],
]);

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

const INTERNAL = problem('internal', 'The service could not answer this request. It has been logged.');
const UNAVAILABLE = problem('unavailable', 'Try again shortly.');

const problemOf = (error: unknown): Problem => {
  const { type, status, statusCode } = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const known = BY_TYPE.get(type);
  if (known !== undefined) return known;
  const given = typeof status === 'number' ? status : statusCode;
  // Express reports a path with broken percent-encoding as a URIError with status 400.
  if (typeof given !== 'number' || given < 400) return INTERNAL;
  if (given >= 500) return given === 503 ? UNAVAILABLE : INTERNAL;
  return problem(BY_STATUS.get(given) ?? 'invalid_request', 'The request could not be understood.');
};
