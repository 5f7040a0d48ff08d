import { component } from '../api/component.ts';
import { CSV_CONTENT, LINK } from '../api/openapi-document.ts';
import { pagedList } from '../api/paged-list.ts';
import { choiceOr, dayQuery, textQuery } from '../api/parameters.ts';
import { at, defineRoutes } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { CHANGE_ACTIONS } from './audit-trail.ts';
import { ENTITY_KINDS } from './entity-kind.ts';

/** What changes are logged of, beside the records of the catalog. */
const OTHER_ENTITIES = [
  ...[
    'asset',
    'saved_report',
    'report_link',
    'proof_link',
    'alert_recipient',
    'api_token',
    'role',
    'person',
    'person_link',
    'password',
    'identity',
  ],
  ...['second_factor', 'events', 'counters'],
];

const AUDIT_ROW = component(
  'AuditRow',
  s.record({
    id: s.integer,
    at: s.moment,
    actor: s.text,
    action: s.oneOf(CHANGE_ACTIONS),
    entity: s.oneOf([...Object.values(ENTITY_KINDS).map(({ name }) => name), ...OTHER_ENTITIES]),
    entity_id: s.text,
    before: s.orNull(s.anyObject()),
    after: s.orNull(s.anyObject()),
    note: s.orNull(s.text, { description: 'Why, in the words of who changed it: Change-Note' }),
    approved_by: s.orNull(s.text, { description: 'The second person, where one was needed' }),
    network: s.orNull(s.text, { description: 'From where a person or a token changed it: a /24 or /48' }),
    device: s.orNull(s.text, { description: 'By what: Firefox on Linux' }),
    exists: s.described(s.boolean, 'A record of the catalog that is there: not deleted since'),
    restorable: s.described(s.boolean, 'A deletion that can be undone: POST …/restore'),
  }),
  {
    ...{ id: 41, at: '2026-10-14T12:00:00.000Z', actor: 'ann', action: 'update', entity: 'campaign', entity_id: '3' },
    ...{ before: { budget: 5000 }, after: { budget: 7500 }, note: 'Raised by the client by phone', approved_by: null },
    ...{ network: '203.0.113.0/24', device: 'Firefox on Linux', exists: true, restorable: false },
  },
);
export type AuditRow = s.Shape<typeof AUDIT_ROW>;

/** The history of the catalog. */
export const AUDIT_API = defineRoutes({
  listChanges: {
    ...at('GET', '/api/audit', 'delivery'),
    needs: 'history.read',
    reach: 'own',
    cost: 'list',
    summary: 'Changes to the catalog and who made them, newest first',
    ...pagedList(
      'Changes',
      AUDIT_ROW,
      {
        entity: textQuery('Only this entity'),
        entity_id: textQuery('Only this entity_id'),
        actor: textQuery('Only this actor'),
        action: textQuery('Only this action'),
        q: textQuery('Only changes with each of these words in their note, actor, or what was before or after'),
        from: dayQuery('Only from this UTC day on'),
        to: dayQuery('Only up to this UTC day'),
        format: choiceOr('json', ['json', 'csv'], 'CSV has all rows, before and after as JSON text'),
      },
      { headers: LINK, files: CSV_CONTENT },
    ),
  },
});
