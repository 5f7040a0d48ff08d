import { component } from '../api/component.ts';
import { LINK } from '../api/openapi-document.ts';
import { pageQuery, textQuery } from '../api/parameters.ts';
import { at, defineRoutes, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { CHANGE_ACTIONS } from './audit-trail.ts';
import { ENTITY_KINDS } from './entity-kind.ts';

/** What changes are logged of, beside the records of the catalog. */
const OTHER_ENTITIES = ['asset', 'saved_report', 'alert_recipient', 'api_token', 'person', 'person_link', 'password', 'identity', 'second_factor', 'events', 'counters'];

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
    restorable: s.described(s.boolean, 'A deletion that can be undone: POST …/restore'),
  }),
  {
    ...{ id: 41, at: '2026-10-14T12:00:00.000Z', actor: 'ann', action: 'update', entity: 'campaign', entity_id: '3' },
    ...{ before: { budget: 5000 }, after: { budget: 7500 }, restorable: false },
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
    parameters: {
      entity: textQuery('Only this entity'),
      entity_id: textQuery('Only this entity_id'),
      actor: textQuery('Only this actor'),
      action: textQuery('Only this action'),
      ...pageQuery({ default: 100, max: 1000 }),
    },
    answer: ok('Changes', s.listOf(AUDIT_ROW), { headers: LINK }),
  },
});
