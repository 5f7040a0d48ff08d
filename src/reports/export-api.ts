import { CSV_CONTENT } from '../api/openapi-document.ts';
import { choiceOr, choicesOr, dayQuery, idQuery, required } from '../api/parameters.ts';
import { at, defineRoutes, file } from '../api/route.ts';
import { DEFAULT_EVENT_COLUMNS, EVENT_COLUMN_NAMES, eventColumn } from '../events/export/event-columns.ts';
import { EVENT_FORMATS, EVENT_MEDIA_TYPES } from '../events/export/write-events.ts';

const columnWords = EVENT_COLUMN_NAMES.map((name) => `${name}: ${eventColumn(name).words}`).join('; ');

/** Raw exports. */
export const EXPORT_API = defineRoutes({
  exportEvents: {
    ...at('GET', '/api/events', 'delivery'),
    needs: 'events.read',
    reach: 'publishers',
    cost: 'export',
    closed: true,
    summary: 'The events of a day, one row for each hit, as a file; the audit trail names who exported them',
    parameters: {
      day: required(dayQuery('The publisher’s day on which the ads were selected')),
      format: choiceOr(EVENT_FORMATS[0], EVENT_FORMATS, 'The format of the file'),
      publisher_id: idQuery('publisher', 'Only the events of this publisher'),
      columns: choicesOr(DEFAULT_EVENT_COLUMNS, EVENT_COLUMN_NAMES, columnWords),
    },
    answer: file('The events, in no particular order', {
      ...CSV_CONTENT,
      [EVENT_MEDIA_TYPES.parquet]: { schema: { type: 'string', contentMediaType: EVENT_MEDIA_TYPES.parquet } },
    }),
    problems: ['not_found'],
  },
});
