import type { ServerResponse } from 'node:http';
import type { Fault } from '../../base/fault.ts';
import { PROBLEMS, type ProblemCode } from './problems.ts';

/** A refusal as a value; `instance` joins when it is sent. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly errors?: readonly Fault[];
}

/** `detail` is for the developer who reads it: what is wrong and what would be right, never the body's own text nor the service's insides. */
export const problem = (code: ProblemCode, detail: string, errors?: readonly Fault[]): Problem => {
  const { status, title } = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, detail, code, ...(errors !== undefined && errors.length > 0 && { errors }) };
};

const LONGEST_INSTANCE = 256;

/** The path of the request without its query, which may hold a token. */
const instanceOf = (res: ServerResponse): string => {
  const { originalUrl, url = '/' } = res.req as { originalUrl?: string; url?: string };
  return (originalUrl ?? url).split('?', 1)[0]!.slice(0, LONGEST_INSTANCE);
};

/**
 * Sends a problem as `application/problem+json`, readable from any origin unless the response has been declared same-origin: a page's script must be able
 * to tell a wrong key from a dead network.
 * `headers` come on top (Allow, Retry-After, WWW-Authenticate). Does nothing when an answer is under way already.
 */
export const sendProblem = (res: ServerResponse, sent: Problem, headers: Readonly<Record<string, string>> = {}): void => {
  if (res.headersSent) return;
  const { type, title, status, detail, code, errors } = sent;
  const body = JSON.stringify({ type, title, status, detail, instance: instanceOf(res), code, errors });
  res.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // An answer that has been declared same-origin (the trafficking API's) stays it, also when it is an error.
    ...(res.getHeader('Cross-Origin-Resource-Policy') === 'same-origin' ? {} : { 'Access-Control-Allow-Origin': '*' }),
    ...headers,
  });
  res.end(body);
};
