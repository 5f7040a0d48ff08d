import { DEFAULT_EVENT_COLUMNS, EVENT_COLUMN_NAMES, eventColumn } from '../../events/export/event-columns.ts';
import { EVENT_FORMATS } from '../../events/export/write-events.ts';
import { CSV_CONTENT, problems, query, READ_PROBLEMS, type Paths } from './operation.ts';
import { integer, oneOf } from '../../api/schema.ts';

const columns = { type: 'array', items: oneOf(EVENT_COLUMN_NAMES), default: DEFAULT_EVENT_COLUMNS };

/** Raw exports. */
export const exportPaths = (): Paths => ({
  '/api/events': {
    get: {
      operationId: 'exportEvents',
      tags: ['delivery'],
      summary: 'The events of a day, one row for each hit, as a file; the audit trail names who exported them',
      parameters: [
        query('day', { type: 'string', format: 'date' }, 'The UTC day on which the ads were selected', true),
        query('format', { ...oneOf(EVENT_FORMATS), default: EVENT_FORMATS[0] }, 'The format of the file'),
        query('publisher_id', integer, 'Only the events of this publisher'),
        {
          ...query('columns', columns, EVENT_COLUMN_NAMES.map((name) => `${name}: ${eventColumn(name).words}`).join('; ')),
          style: 'form',
          explode: false,
        },
      ],
      responses: {
        200: {
          description: 'The events, in no particular order',
          content: {
            ...CSV_CONTENT,
            'application/vnd.apache.parquet': { schema: { type: 'string', contentMediaType: 'application/vnd.apache.parquet' } },
          },
        },
        ...problems('invalid_request', 'not_found', ...READ_PROBLEMS),
      },
    },
  },
});
