import type { ErrorRequestHandler } from 'express';
import { problem, sendProblem, type Problem } from '../http/problems/problem.ts';

/** Postgres's SQLSTATE, Node's socket errors, and knex when the pool gives up. */
const AWAY = /^(?:08\w{3}|57P0[123]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ENOENT|ETIMEDOUT)$/;
/** A unique or a foreign key that somebody else's statement touched at the same moment. */
const CONFLICT = /^(?:23505|23503|40001|40P01)$/;
/** JSON and URLs can spell NUL; a text of Postgres cannot hold it. */
const UNSTORABLE = /^(?:22021|22P05)$/;

/** What a store's fault means to whoever asked; any other fault goes on to the service's own error handler. */
export const answerStoreFaults =
  (onFailure: (fault: Error) => void): ErrorRequestHandler =>
  (fault: Error, _req, res, next) => {
    const answer = problemOf(fault);
    if (!answer || res.headersSent) return next(fault);
    if (answer.status === 503) onFailure(fault);
    sendProblem(res, answer);
  };

const problemOf = (fault: unknown): Problem | undefined => {
  const { code, name, message } = fault as { code?: unknown; name?: unknown; message?: unknown };
  if (typeof code === 'string' && CONFLICT.test(code))
    return problem('conflict', 'Something else was changed at the same moment: try again.');
  if (typeof code === 'string' && UNSTORABLE.test(code)) return problem('invalid_request', 'No text may hold the character NUL (U+0000).');
  const away =
    (typeof code === 'string' && AWAY.test(code)) ||
    name === 'KnexTimeoutError' ||
    /connection (?:terminated|timeout)/i.test(String(message));
  return away ? problem('unavailable', 'The database does not answer; nothing was changed.') : undefined;
};
