import type { ProblemCode } from '../http/problems/problem.ts';

/** What the developer of a client does about each problem. The OpenAPI document and docs/errors.md show it. */
export const REMEDIES = {
  invalid_json: 'Send one JSON value in UTF-8, with at most 64 levels and 2,500 values (5,000 in a record of the trafficking API).',
  invalid_request: 'Correct the fields that `errors` names by JSON pointer. POST /ad reports the first fault only.',
  invalid_dimensions: 'Send a value that GET /api/dimensions allows for the registered dimension.',
  bulk_refused: 'Correct the operations that `errors` names, and send all of them again: none was carried out.',
  unknown_event_type: 'Send one of the types in `ext.events` of the ad response.',
  unauthorized: 'Send the API key of the publisher that `ext.publisher_id` names, in X-API-Key.',
  admin_unauthorized:
    'Sign in at /auth/login, or send Authorization: Bearer with a token of ADMIN_TOKEN or an API token that is neither revoked nor expired.',
  sign_in_failed: 'Check the e-mail address and the password, and whether the account is disabled.',
  code_required: 'Send the sign-in again, with the current code of the authenticator app or a recovery code.',
  invalid_token: 'Request a new ad: the token is malformed, forged or expired.',
  invalid_link: 'Ask the sender of the link for a new one. Links end at their time, or when they are revoked.',
  origin_not_allowed: "Add the page's origin to `origins` of the publisher.",
  forbidden:
    "Call the API from its own origin or from a server, not from another site's page; with a token whose roles and publishers allow the call.",
  not_found: 'Check the path and the id. The record may have been deleted.',
  method_not_allowed: 'Use a method that the Allow header lists.',
  request_timeout: 'Send the headers within 10 s and the whole request within 15 s.',
  conflict: 'Choose another id, or read the record again: another change came first.',
  approval_required: 'Propose the change with POST /api/approvals: `errors` names what a second person has to approve.',
  assets_full: 'Delete files that no creative uses (GET and DELETE /api/assets), or raise ASSET_STORE_MB.',
  parent_fixed: 'Create a duplicate under the other parent. A parent is fixed once the line item could serve.',
  precondition_failed: 'Read the record again and repeat the change with its new ETag.',
  body_too_large:
    'Send at most 64 KiB; to sign in 16 KiB; to the auctions 128 KiB (64 KiB with `debug=1`); to the trafficking API 512 KiB, 1 MiB in bulk, or 2 MiB for a creative. Before and after decoding.',
  unsupported_media: 'Send the body as it is, or with Content-Encoding gzip, deflate or br.',
  range_not_satisfiable: 'Request a range inside the file, or the whole file.',
  unknown_host: 'Use a host name of ALLOWED_HOSTS, or add this one to it.',
  idempotency_key_reused: 'Take a new Idempotency-Key for each call: this one was sent with another path or body.',
  too_many_requests: 'Wait for the seconds in Retry-After.',
  internal: 'Repeat the request. If it fails again, look for its `request_id` in the log of the service.',
  unavailable: 'Repeat the request after a second. GET /ready gives the reason.',
} satisfies Readonly<Record<ProblemCode, string>>;
