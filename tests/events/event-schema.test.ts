import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { DECISION_FILE_COLUMNS } from '../../src/events/decisions/decision-columns.ts';
import { decisionSchema, eventSchema } from '../../src/events/export/event-schema.ts';
import { toSinkEvent } from '../../src/events/sinks/to-sink-event.ts';
import { eventOf } from './events.ts';

const DOCS = path.resolve(__dirname, '../../docs');

test.each([
  ['event', eventSchema],
  ['decision', decisionSchema],
])('the published schema of %s is that of the columns', (name, schema) => {
  const published = readFileSync(path.join(DOCS, `events/${name}.schema.json`), 'utf8');
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(schema())));
});

test('docs/sinks/decisions.md has a row for each column of a decision', () => {
  const rows = DECISION_FILE_COLUMNS.map(({ name, type, words }) => `| \`${name}\` | ${type} | ${words} |`).join('\n');
  expect(readFileSync(path.join(DOCS, 'sinks/decisions.md'), 'utf8')).toContain(rows);
});

test('an event as JSON keeps the schema, and names no user unless it is asked for', () => {
  const validate = new Ajv2020({ validateFormats: false }).compile(eventSchema());
  const event = eventOf({ tokenId: 't', userHash: 'u' }, { kind: 'event', eventType: 'viewable', country: 'DE', invalidReason: 'spider' });
  const written = (keepsUserHash: boolean) =>
    JSON.parse(JSON.stringify(toSinkEvent(event, { zone: 'Europe/Berlin', advertiserId: 0 }, keepsUserHash))) as Record<string, unknown>;
  validate(written(true));
  expect(validate.errors).toBeNull();
  expect(written(true)).toMatchObject({
    ...{ day: '2026-06-15', counted_at: '2026-06-15T12:00:00.000Z', time_zone: 'Europe/Berlin', state: 'filtered', reason: 'spider' },
    ...{ event_id: 't/event/viewable/screened', version: 1, user_hash: 'u', advertiser_id: null },
  });
  expect(written(false)['user_hash']).toBeNull();
});
