import { component } from '../api/component.ts';
import { choiceOr, choiceQuery, header, idQuery, required } from '../api/parameters.ts';
import { at, defineRoutes, file, ok, ownBody } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { CHANGE } from './change.ts';
import { DECLARATION, DECLARATION_EXAMPLE } from './declaration.ts';
import { DECLARATION_FORMATS } from './export-declaration.ts';

/** Of a declaration as lines; as one JSON value it is bounded like a bulk change. */
export const MAX_LINES_BYTES = 32 * 1024 * 1024;
export const MAX_DOCUMENT_BYTES = 1024 * 1024;
export const MAX_DOCUMENT_VALUES = 25_000;
export const LINES_TYPE = 'application/x-ndjson';
/** Records that an answer lists of those that the declaration does not have. */
export const MAX_UNDECLARED = 1_000;

const UNDECLARED = s.record({ kind: s.text, key: s.orNull(s.text), id: s.anyOf(s.integer, s.text), name: s.text });

/** What applying a declaration has changed, or would change. */
export const APPLIED = component(
  'AppliedDeclaration',
  s.record({
    applied: s.described(s.boolean, 'false: of a dry run'),
    publisher_id: s.orNull(s.integer, { description: 'null: of a dry run that would create it' }),
    api_key: s.optional(s.described(s.text, 'of a publisher that was created: the whole key, this once')),
    state: s.described(s.text, 'of the bookings before; as If-Match of the next call, it is refused when they have changed since'),
    changes: s.listOf(CHANGE),
    unchanged: s.count,
    undeclared: s.listOf(UNDECLARED, {
      description: `what the publisher has, is not archived, and the declaration does not have: it stays; the first ${MAX_UNDECLARED}`,
    }),
  }),
  {
    ...{ applied: true, publisher_id: 1, state: 'lKcDkbXmnXwbhEUj8kmrmkUjzAhzPdXwNp2EeCmOMVc', unchanged: 41, undeclared: [] },
    changes: [
      {
        ...{ action: 'update', kind: 'line_item', key: 'boots-sport', id: 5, name: 'Boots, sport readers' },
        fields: [{ name: 'cpm', before: 4.5, after: 5 }],
        words: 'line item Boots, sport readers: cpm 4.5 → 5; 120,000 impressions are booked',
        last_change: { actor: 'ann@gazette.example', at: '2026-10-14T12:00:00.000Z', note: null },
      },
    ],
  },
);

const flag = (description: string) => choiceOr('false', ['false', 'true'], description);

/** The bookings of a publisher as a document, and back. */
export const DECLARATION_API = defineRoutes({
  exportBookings: {
    ...at('GET', '/api/export', 'publishers'),
    needs: 'records.read',
    reach: 'publishers',
    cost: 'export',
    closed: true,
    summary: 'The bookings of a publisher as a declaration: what is not archived, with keys in place of ids, without secrets',
    parameters: {
      publisher: required(idQuery('publisher', 'Whose bookings')),
      format: choiceQuery(['json', 'yaml'], 'By default what the header Accept prefers'),
    },
    answer: file('The declaration, in the order of keys', {
      [DECLARATION_FORMATS.json]: { schema: DECLARATION, example: DECLARATION_EXAMPLE },
      [DECLARATION_FORMATS.yaml]: { schema: { type: 'string' } },
    }),
    problems: ['not_found'],
  },
  applyBookings: {
    ...at('POST', '/api/apply', 'publishers'),
    needs: 'bookings.write',
    reach: 'publishers',
    cost: 'export',
    closed: true,
    summary: 'Make the bookings of a publisher what a declaration says: all of it in one transaction, or nothing',
    parameters: {
      publisher: idQuery(
        'publisher',
        'Whose bookings; by default those of the publisher with the key of the declaration, which is created if there is none',
      ),
      dry_run: flag('true: only say what would change'),
      prune: flag('true: archive what the declaration does not have'),
      'If-Match': header('The `state` of an earlier answer. The declaration is refused when the bookings have changed since.'),
    },
    body: ownBody(DECLARATION, {
      description:
        `The declaration. With the type ${LINES_TYPE}, up to ${MAX_LINES_BYTES / 1024 / 1024} MiB in lines of one record each, such as ` +
        '`{"campaign": {…}}`; a record of another line is named: `{"line_item": {"campaign": "boots-winter", …}}`.',
      content: { 'application/json': { schema: DECLARATION, example: DECLARATION_EXAMPLE }, [LINES_TYPE]: { schema: { type: 'string' } } },
      maxBytes: MAX_LINES_BYTES,
      raw: true,
    }),
    answer: ok('What was changed, or would be', APPLIED),
    problems: [
      'invalid_json',
      'invalid_request',
      'body_too_large',
      'not_found',
      'precondition_failed',
      'approval_required',
      'too_many_requests',
    ],
  },
});
