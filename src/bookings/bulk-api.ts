import { component } from '../api/component.ts';
import { at, defineRoutes, jsonBody, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';

/** Together they hold the lock of the catalog for about four seconds. */
export const MAX_OPERATIONS = 1_000;
/** JSON.parse of 2 MB with 50,000 members held the event loop for 39 ms. */
const MAX_BULK_BYTES = 1024 * 1024;
/** A thousand changes of 20 fields each. */
const MAX_BULK_VALUES = 25_000;

export const OPERATION = s.closedRecord({
  method: s.oneOf(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: s.textOf({ maxLength: 512, description: 'of a write of this API: /line_items/5, /creatives/9/block' }),
  body: s.optional(s.anyObject({ description: 'the body of that write' })),
  if_match: s.optional(s.textOf({ maxLength: 256, description: 'as the header If-Match' })),
});
export type BulkOperation = s.Shape<typeof OPERATION>;

const BULK_CHANGE = component(
  'BulkChange',
  s.closedRecord({ operations: s.listOf(OPERATION, { minItems: 1, maxItems: MAX_OPERATIONS }) }),
  {
    operations: [
      { method: 'PATCH', path: '/line_items/5', body: { active: false } },
      { method: 'PATCH', path: '/campaigns/3', body: { archived: true } },
    ],
  },
);

const BULK_RESULTS = component(
  'BulkResults',
  s.record({
    results: s.listOf(s.record({ status: s.integer, body: s.optional(s.anyObject({ description: 'As the write alone would answer' })) })),
  }),
  {
    results: [
      { status: 200, body: { id: 5, active: false } },
      { status: 200, body: { id: 3, archived: true } },
    ],
  },
);

/** Changes of many records. */
export const BULK_API = defineRoutes({
  changeRecords: {
    ...at('POST', '/api/bulk', 'delivery'),
    needs: 'sign_in',
    reach: 'own',
    cost: 'list',
    summary: 'Writes of this API in one transaction: all of them or none',
    body: jsonBody(BULK_CHANGE, 'The operations are invalid.', { maxBytes: MAX_BULK_BYTES, maxValues: MAX_BULK_VALUES }),
    answer: ok('All were carried out', BULK_RESULTS),
    problems: ['bulk_refused'],
  },
});
