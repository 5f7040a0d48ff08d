import { component } from '../../api/component.ts';
import { at, defineRoutes, jsonBody, ok } from '../../api/route.ts';
import * as s from '../../base/schema.ts';
import { REPORT_S } from './presence.ts';

const OPEN_RECORD = component('OpenRecord', s.closedRecord({ kind: s.oneOf(['campaigns', 'line_items', 'creatives']), id: s.recordId }), {
  kind: 'line_items',
  id: 1,
});
const OTHERS = component('OtherReaders', s.record({ others: s.listOf(s.record({ id: s.integer, name: s.text })) }), {
  others: [{ id: 7, name: 'Editor' }],
});

/** Who else has a record open. */
export const PRESENCE_API = defineRoutes({
  notePresence: {
    ...at('PUT', '/api/me/presence', 'people'),
    ...{ needs: 'records.read', reach: 'publishers', asks: true },
    summary: `Say that you have a record open, every ${REPORT_S} seconds, and see who else has. Kept for seconds; without Redis the list is empty.`,
    body: jsonBody(OPEN_RECORD, 'The record has faults.'),
    answer: ok('The others', OTHERS),
  },
});
