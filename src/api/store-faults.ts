import type { ErrorRequestHandler } from 'express';
import { problem, sendProblem, type Problem } from '../http/problems/problem.ts';
import { requestIdOf } from '../http/request/request-id.ts';
import type { LogFields } from '../observability/log.ts';

/**
 * The database is unavailable: SQLSTATE codes (PostgreSQL, appendix A) and socket errors of Node.
 */
const AWAY = /^(?:08\w{3}|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ENOENT|ETIMEDOUT)$/;
/**
 * A unique or foreign key that a concurrent transaction touched, a serialization failure, a
 * deadlock.
 */
const CONFLICT = /^(?:23505|23503|40001|40P01)$/;
/** JSON and URLs can contain NUL (U+0000); a text of Postgres cannot. */
const UNSTORABLE = /^(?:22021|22P05)$/;

/** Maps database errors to problems; every other error goes to the service's error handler. */
export const answerStoreFaults =
  (onFailure: (fault: Error, fields: LogFields) => void): ErrorRequestHandler =>
  (fault: Error, _req, res, next) => {
    const answer = problemOf(fault);
    if (!answer || res.headersSent) return next(fault);
    if (answer.status === 503) onFailure(fault, { requestId: requestIdOf(res) });
    sendProblem(res, answer);
  };

const problemOf = (fault: unknown): Problem | undefined => {
  const { code, name, message } = fault as { code?: unknown; name?: unknown; message?: unknown };
  if (typeof code === 'string' && CONFLICT.test(code)) return problem('conflict', 'A concurrent change prevented this one: try again.');
  if (typeof code === 'string' && UNSTORABLE.test(code))
    return problem('invalid_request', 'Texts must not contain the character NUL (U+0000).');
  const away =
    (typeof code === 'string' && AWAY.test(code)) ||
    name === 'KnexTimeoutError' ||
    /connection (?:terminated|timeout)/i.test(String(message));
  return away ? problem('unavailable', 'The database is unavailable; nothing was changed.') : undefined;
};
