/**
 * Every way in which a request can fail, as RFC 9457 asks: a stable type, a title that never varies, a status. `code` is what a client's program
 * reads; it is the last part of `type`. Listed in docs/api.md.
 */
export const PROBLEMS = {
  invalid_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_dimensions: { status: 400, title: 'A registered dimension has a value outside its schema' },
  unknown_event_type: { status: 400, title: 'The event type is not on the allowlist' },
  unauthorized: { status: 401, title: 'The API key and the publisher id do not belong together' },
  admin_unauthorized: { status: 401, title: 'A valid bearer token is required' },
  invalid_token: { status: 401, title: 'The tracking token is missing, malformed, forged or expired' },
  forbidden: { status: 403, title: 'This is not allowed' },
  not_found: { status: 404, title: 'There is nothing here' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with what is stored' },
  precondition_failed: { status: 412, title: 'The record has changed since it was read' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media: { status: 415, title: 'The content type or encoding is not supported' },
  range_not_satisfiable: { status: 416, title: 'The range lies outside the file' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'The service failed' },
  unavailable: { status: 503, title: 'The service cannot do this at the moment' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;
