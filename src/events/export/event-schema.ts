import { EVENT_COLUMN_NAMES, eventColumns, type EventColumn, type EventColumnType } from './event-columns.ts';

const TYPES: Readonly<Record<EventColumnType, Readonly<Record<string, unknown>>>> = {
  date: { type: 'string', format: 'date' },
  timestamp: { type: 'string', format: 'date-time' },
  text: { type: 'string' },
  integer: { type: 'integer' },
  long: { type: 'integer' },
};

/** The properties of a JSON Schema of rows with these columns. */
export const columnProperties = (columns: readonly (Pick<EventColumn, 'type' | 'isNullable' | 'words'> & { readonly name: string })[]) =>
  Object.fromEntries(
    columns.map(({ name, type, isNullable, words }) => {
      const { type: jsonType, ...format } = TYPES[type];
      return [name, { type: isNullable ? [jsonType, 'null'] : jsonType, ...format, description: words }];
    }),
  );

/**
 * JSON Schema of an event as JSON: messages of Kafka and lines of files. Columns are added in later releases, and neither renamed nor
 * removed, so that readers keep working.
 */
export const eventSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'event.schema.json',
  title: 'A counted, filtered or provisional hit on an ad',
  type: 'object',
  properties: columnProperties(eventColumns(EVENT_COLUMN_NAMES)),
  required: EVENT_COLUMN_NAMES,
  additionalProperties: true,
});
