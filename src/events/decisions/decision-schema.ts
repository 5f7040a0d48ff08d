import { columnProperties } from '../export/event-schema.ts';
import { DECISION_FILE_COLUMNS } from './decision-columns.ts';

/** JSON Schema of a sampled decision as JSON: messages of Kafka and lines of files. */
export const decisionSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'decision.schema.json',
  title: 'A sampled impression that a page asked for: what was asked, offered and refused',
  type: 'object',
  properties: columnProperties(DECISION_FILE_COLUMNS),
  required: DECISION_FILE_COLUMNS.map(({ name }) => name),
  additionalProperties: true,
});
