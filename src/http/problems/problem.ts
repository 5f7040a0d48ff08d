import type { ServerResponse } from 'node:http';
import type { Fault } from '../../base/fault.ts';
import { requestIdOf } from '../request/request-id.ts';

/**
 * Every way in which a request can fail. As RFC 9457 requires, each has a stable type, a fixed
 * title and a status. Client programs read `code`, the last part of `type`. Listed in docs/api.md.
 */
export const PROBLEMS = {
  invalid_json: { status: 400, title: 'Invalid JSON' },
  invalid_request: { status: 400, title: 'Invalid request' },
  invalid_dimensions: { status: 400, title: 'Invalid dimension value' },
  bulk_refused: { status: 400, title: 'Bulk change refused' },
  unknown_event_type: { status: 400, title: 'Unknown event type' },
  unauthorized: { status: 401, title: 'Invalid API key' },
  admin_unauthorized: { status: 401, title: 'Not signed in' },
  sign_in_failed: { status: 401, title: 'Sign-in failed' },
  code_required: { status: 401, title: 'One-time code required' },
  invalid_token: { status: 401, title: 'Invalid or expired tracking token' },
  invalid_link: { status: 401, title: 'Invalid or expired link' },
  origin_not_allowed: { status: 403, title: 'Origin not allowed' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  request_timeout: { status: 408, title: 'Request timeout' },
  conflict: { status: 409, title: 'Conflict with stored data' },
  approval_required: { status: 409, title: 'A second person must approve' },
  assets_full: { status: 409, title: 'No room for the file' },
  parent_fixed: { status: 409, title: 'Parent cannot change' },
  precondition_failed: { status: 412, title: 'Record changed since it was read' },
  body_too_large: { status: 413, title: 'Body too large' },
  unsupported_media: { status: 415, title: 'Unsupported content type or encoding' },
  range_not_satisfiable: { status: 416, title: 'Range not satisfiable' },
  unknown_host: { status: 421, title: 'Unknown host' },
  idempotency_key_reused: { status: 422, title: 'Idempotency-Key of another call' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A refusal as a value; `instance` and `request_id` are added when it is sent. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly errors?: readonly Fault[];
  /** One for each operation of a bulk change. */
  readonly results?: readonly object[];
}

/** Faults in one answer, and characters of the pointer to each, which a client chooses. */
const MAX_FAULTS = 50;
const MAX_POINTER_LENGTH = 300;

const shorten = ({ pointer, detail }: Fault): Fault => ({
  pointer: pointer.length > MAX_POINTER_LENGTH ? `${pointer.slice(0, MAX_POINTER_LENGTH)}…` : pointer,
  detail,
});

/**
 * `detail` is for the developer of the client: what is wrong and what is accepted, never text of
 * the body or internals of the service. At most 50 of the faults are sent.
 */
export const problem = (code: ProblemCode, detail: string, errors?: readonly Fault[]): Problem => {
  const { status, title } = PROBLEMS[code];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    code,
    ...(errors !== undefined && errors.length > 0 && { errors: errors.slice(0, MAX_FAULTS).map(shorten) }),
  };
};

const MAX_INSTANCE_LENGTH = 256;

/** The path of the request without its query, which may contain a token. */
const instanceOf = (res: ServerResponse): string => {
  const { originalUrl, url = '/' } = res.req as { originalUrl?: string; url?: string };
  const [path = ''] = (originalUrl ?? url).split('?', 1);
  return path.slice(0, MAX_INSTANCE_LENGTH);
};

/**
 * Sends a problem as `application/problem+json`, readable from any origin unless the response is
 * declared same-origin: a page's script must be able to distinguish a wrong key from a network
 * failure. `headers` are added (Allow, Retry-After, WWW-Authenticate). Does nothing when a response
 * has begun.
 */
export const sendProblem = (res: ServerResponse, sent: Problem, headers: Readonly<Record<string, string | string[]>> = {}): void => {
  if (res.headersSent) return;
  const { type, title, status, detail, code, errors, results } = sent;
  const body = JSON.stringify({
    type,
    title,
    status,
    detail,
    instance: instanceOf(res),
    code,
    request_id: requestIdOf(res),
    errors,
    results,
  });
  res.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // The trafficking API declares its responses same-origin, errors included.
    ...(res.getHeader('Cross-Origin-Resource-Policy') === 'same-origin' ? {} : { 'Access-Control-Allow-Origin': '*' }),
    ...headers,
  });
  res.end(body);
};
