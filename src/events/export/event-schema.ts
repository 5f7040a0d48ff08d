import { DECISION_FILE_COLUMNS } from '../decisions/decision-columns.ts';
import { EVENT_COLUMN_NAMES, eventColumns, type DocumentedColumn, type EventColumnType } from './event-columns.ts';

const TYPES: Readonly<Record<EventColumnType, Readonly<Record<string, unknown>>>> = {
  date: { type: 'string', format: 'date' },
  timestamp: { type: 'string', format: 'date-time' },
  text: { type: 'string' },
  integer: { type: 'integer' },
  long: { type: 'integer' },
};

/**
 * JSON Schema of rows as JSON: messages of Kafka and lines of files. Columns are added in later releases, and neither renamed nor
 * removed, so that readers keep working.
 */
const rowSchema = (name: string, title: string, columns: readonly (DocumentedColumn & { readonly name: string })[]) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: `${name}.schema.json`,
  title,
  type: 'object',
  properties: Object.fromEntries(
    columns.map((column) => {
      const { type, ...format } = TYPES[column.type];
      return [column.name, { type: column.isNullable ? [type, 'null'] : type, ...format, description: column.words }];
    }),
  ),
  required: columns.map((column) => column.name),
  additionalProperties: true,
});

/** Of an event. */
export const eventSchema = () => rowSchema('event', 'A counted, filtered or provisional hit on an ad', eventColumns(EVENT_COLUMN_NAMES));

/** Of a sampled decision. */
export const decisionSchema = () =>
  rowSchema('decision', 'A sampled impression that a page asked for: what was asked, offered and refused', DECISION_FILE_COLUMNS);
