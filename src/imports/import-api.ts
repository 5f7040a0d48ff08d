import { Unsafe } from '@sinclair/typebox';
import { component } from '../api/component.ts';
import { choiceOr, choiceQuery, idInPath, idQuery, required, textQuery } from '../api/parameters.ts';
import { at, created, defineRoutes, file, noContent, ok, ownBody } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { CHANGE } from '../declarations/change.ts';
import { MAX_IMPORT_BYTES } from './files/import-limits.ts';
import { IMPORT_SOURCES } from './import-source.ts';

/** Changes and notes that an answer has; the report has all notes. */
export const MAX_CHANGES_SHOWN = 200;
export const MAX_NOTES_SHOWN = 500;
export const MAX_IMPORTS = 100;
const MAX_TEXT = 256;

const NOTE = s.record({
  level: s.described(
    s.oneOf(['left_out', 'paused', 'changed']),
    'left_out: it is not booked; paused: it is, and is not active; changed: it is booked with a difference',
  ),
  kind: s.described(s.text, 'As the source calls it: `banner`, `column`'),
  id: s.described(s.text, 'Of the record in the source; of a column its cell'),
  name: s.text,
  text: s.described(s.text, 'What is different, and why'),
});

const PLAN = s.record({
  create: s.count,
  update: s.count,
  unchanged: s.described(s.count, 'Records that are booked as the file has them already'),
  changes: s.listOf(CHANGE, { description: `The first ${MAX_CHANGES_SHOWN}` }),
});
export type PlanWire = s.Shape<typeof PLAN>;

const IMPORT = component(
  'Import',
  s.record({
    id: s.integer,
    source: s.oneOf(IMPORT_SOURCES),
    source_words: s.described(s.text, 'What was read, as a part of a sentence'),
    file_name: s.text,
    file_bytes: s.integer,
    publisher_id: s.orNull(s.integer, { description: 'null: it makes a publisher, and is not applied yet' }),
    records: s.described(s.countsByName, 'How many of each kind the file has'),
    history_days: s.described(s.count, 'Days of creatives in placements whose counts of the other system are kept as history'),
    plan: s.described(PLAN, 'What applying it would change; once it is applied, what it has changed'),
    notes: s.listOf(NOTE, { description: `What is not as it was; the first ${MAX_NOTES_SHOWN}` }),
    notes_total: s.count,
    created_at: s.moment,
    created_by: s.text,
    applied_at: s.orNull(s.text, { description: 'null: nothing is booked yet' }),
    applied_by: s.orNull(s.text),
    api_key: s.optional(s.described(s.text, 'Of a publisher that was made: the whole key, this once')),
  }),
  {
    ...{ id: 4, source: 'spreadsheet', source_words: 'the spreadsheet spring.xlsx', file_name: 'spring.xlsx', file_bytes: 18_200 },
    ...{ publisher_id: 1, records: { campaigns: 1, line_items: 2, creatives: 2 }, history_days: 0, notes_total: 1 },
    plan: {
      ...{ create: 1, update: 0, unchanged: 4 },
      changes: [
        {
          ...{ action: 'create', kind: 'line_item', key: 'sheet:spring:sport', id: 5, name: 'Sport', fields: [], last_change: null },
          words: 'line item Sport: is new',
        },
      ],
    },
    notes: [
      { level: 'left_out', kind: 'column', id: 'F1', name: 'Colour', text: 'is not known: see the template for the columns that are' },
    ],
    ...{ created_at: '2026-10-14T12:00:00.000Z', created_by: 'ann@gazette.example', applied_at: null, applied_by: null },
  },
);
export type ImportWire = s.Shape<typeof IMPORT>;

const BINARY = Unsafe<Blob>({ type: 'string', format: 'binary' });
const id = idInPath('import');
const booking = { needs: 'bookings.write', reach: 'publishers' } as const;

/** Bookings of other systems, from their files. */
export const IMPORT_API = defineRoutes({
  createImport: {
    ...at('POST', '/api/imports', 'publishers'),
    ...booking,
    cost: 'export',
    closed: true,
    summary: 'Read a file of another system, and say what importing it would book: nothing is booked yet',
    parameters: {
      source: required(choiceQuery(IMPORT_SOURCES, 'What the file is of')),
      file_name: required(textQuery('The name of the file', { maxLength: MAX_TEXT })),
      publisher: idQuery('publisher', 'Whose bookings they become. Of Revive it may be left out: its manager account becomes a publisher'),
      name: textQuery('What keys of the records begin with: another one for a second installation', { maxLength: 32 }),
      prefix: textQuery('Of Revive: what the names of its tables begin with; rv_ by default', { maxLength: 32 }),
      agency: idQuery('manager account', 'Of Revive: the manager account, where there are several'),
      domain: textQuery('Of Revive: the domain of a new publisher, where no website has one', { maxLength: MAX_TEXT }),
      currency: textQuery('Of Revive: of its amounts, which say none; USD by default', { maxLength: 3 }),
      live: choiceOr('false', ['false', 'true'], 'Of Revive. true: without campaigns that have expired'),
    },
    body: ownBody(BINARY, {
      description:
        'A spreadsheet (.csv, .xlsx), a report of Google Ad Manager (.csv) or JSON of its API, or a dump of Revive 5 or 6 (.sql, .sql.gz). ' +
        'Each fault names its cell or record as its pointer.',
      content: { 'application/octet-stream': { schema: BINARY } },
      maxBytes: MAX_IMPORT_BYTES,
      raw: true,
    }),
    answer: created('What it would book', IMPORT),
    problems: ['invalid_request', 'body_too_large', 'not_found', 'approval_required', 'assets_full', 'too_many_requests'],
  },
  listImports: {
    ...at('GET', '/api/imports', 'publishers'),
    ...booking,
    cost: 'list',
    summary: `The last ${MAX_IMPORTS} imports, without their changes and notes`,
    answer: ok('The newest first. One that is not applied within a week is deleted', s.listOf(IMPORT)),
  },
  getImport: {
    ...at('GET', '/api/imports/{id}', 'publishers'),
    ...booking,
    summary: 'An import with what it changes, and what is not as it was',
    parameters: { id },
    answer: ok('The import', IMPORT),
  },
  planImport: {
    ...at('POST', '/api/imports/{id}/plan', 'publishers'),
    ...booking,
    cost: 'export',
    summary: 'Compare an import with what is booked now',
    parameters: { id },
    answer: ok('The import with a new plan', IMPORT),
    problems: ['invalid_request', 'approval_required', 'assets_full', 'too_many_requests'],
  },
  applyImport: {
    ...at('POST', '/api/imports/{id}/apply', 'publishers'),
    ...booking,
    cost: 'export',
    summary: 'Book an import: all of it in one transaction, or nothing. It is refused when bookings have changed since its plan',
    parameters: { id },
    answer: ok('The import as it was applied', IMPORT),
    problems: ['invalid_request', 'approval_required', 'assets_full', 'precondition_failed', 'too_many_requests'],
  },
  deleteImport: {
    ...at('DELETE', '/api/imports/{id}', 'publishers'),
    ...booking,
    summary: 'Delete an import that is not applied',
    parameters: { id },
    answer: noContent('Deleted; it had booked nothing'),
  },
  getImportReport: {
    ...at('GET', '/api/imports/{id}/report', 'publishers'),
    ...booking,
    cost: 'list',
    summary: 'What was carried over, and what was not and why, as a file',
    parameters: { id, format: choiceOr('md', ['md', 'csv'], 'md: for people; csv: one note a row') },
    answer: file('The report', {
      'text/markdown': { schema: { type: 'string' } },
      'text/csv': { schema: { type: 'string' } },
    }),
  },
  getImportTemplate: {
    ...at('GET', '/api/import_template', 'publishers'),
    needs: 'bookings.write',
    reach: 'any',
    summary: 'A spreadsheet to fill in, with one row as an example',
    parameters: { format: choiceOr('xlsx', ['xlsx', 'csv'], 'xlsx: for Excel, Numbers, LibreOffice and Google Sheets') },
    answer: file('The spreadsheet', {
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': { schema: BINARY },
      'text/csv': { schema: { type: 'string' } },
    }),
  },
});
