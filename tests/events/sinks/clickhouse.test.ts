import { EVENT_COLUMN_NAMES, eventColumn } from '../../../src/events/export/event-columns.ts';
import { openClickHouse } from '../../../src/events/sinks/clickhouse/clickhouse-client.ts';
import { clickHouseSchema, clickHouseType } from '../../../src/events/sinks/clickhouse/clickhouse-schema.ts';
import { clickHouseRow } from '../../../src/events/sinks/clickhouse/clickhouse-sink.ts';
import { nthEvent } from '../../../testkit/sink-events.ts';

// The statements and inserts run on the engine of ClickHouse in `npm run prove -- --only clickhouse`.

test('the table has every column of events, and can be null where these can', () => {
  const [table = ''] = clickHouseSchema('ad_events', 400);
  for (const name of EVENT_COLUMN_NAMES) {
    expect(table).toContain(`\n  ${name} ${clickHouseType(name)}`);
    expect(clickHouseType(name).includes('Nullable')).toBe(eventColumn(name).isNullable);
  }
  expect([clickHouseType('country'), clickHouseType('event_id'), clickHouseType('billed_micros')]).toEqual([
    ...['LowCardinality(Nullable(String))', 'String', 'Int64'],
  ]);
});

test('a row is the JSON of its event, with its moments in UTC as the server reads them', () => {
  const event = nthEvent(21);
  const row = JSON.parse(JSON.stringify(clickHouseRow(event))) as Record<string, unknown>;
  expect(new Date(`${String(row['counted_at']).replace(' ', 'T')}Z`)).toEqual(event.counted_at);
  expect({ ...row, counted_at: event.counted_at }).toEqual(event);
});

test.each([
  ['clickhouse://ads:secret@db/ads?table=a;drop', 'table has a-z'],
  ['clickhouse://ads:secret@db/ads?tls=yes', 'tls is true or false'],
  ['clickhouse:///ads', 'names no host'],
])('a wrong URL is refused, and not repeated: %s', async (url, detail) => {
  const fault = await openClickHouse(new URL(url)).then(
    () => '',
    (one: Error) => one.message,
  );
  expect(fault).toContain(detail);
  expect(fault).not.toContain('secret');
});
