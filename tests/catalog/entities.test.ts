import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ENTITY_TABLES, entityOf, type EntityTable } from '../../src/catalog/entities/entities.ts';
import { CATALOG_TABLES } from '../../src/catalog/model/catalog-reading.ts';
import { ROWS } from '../../src/catalog/postgres/rows.ts';

const ROOT = path.resolve(__dirname, '../..');

/** The files of the service and the page whose code names a field. */
const filesThatName = (field: string): readonly string[] =>
  ['src', 'admin'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(folder, name))
      .filter((name) => new RegExp(`\\b${field}\\b`).test(readFileSync(path.join(ROOT, name), 'utf8'))),
  );

/** Bodies and bookings that are shown as examples. */
const EXAMPLES = ['src/bookings/entity-examples.ts', 'src/embedded/'];

test.each([
  [
    'value_cpm',
    ...['src/catalog/entities/demand.ts', 'src/catalog/entities/line-item.ts'],
    ...['src/bookings/shown-fields.ts', 'admin/bookings/desk/item-groups.ts'],
  ],
  ['bid_adjustment', 'src/catalog/entities/bidder.ts'],
  ['timeout_share', 'src/catalog/entities/bidder.ts'],
  ['creative_approval', 'src/catalog/entities/publisher.ts', 'src/bookings/creative-approval.ts'],
])('the field %s is named in its definition, and only where a rule reads it', (field, ...files) => {
  const named = filesThatName(field).filter((name) => !EXAMPLES.some((example) => name.startsWith(example)));
  expect([...named].sort()).toEqual([...files].sort());
});

const LONG_KNOWN: readonly EntityTable[] = ['publishers', 'placements', 'advertisers', 'bidders', 'campaigns', 'line_items', 'creatives'];

test('an entity is listed where it is defined, with an example and with an icon, and elsewhere only by rules for some of them', () => {
  const listed = filesThatName('targetings').filter((name) => {
    const code = readFileSync(path.join(ROOT, name), 'utf8');
    return LONG_KNOWN.every((table) => new RegExp(`\\b${table}\\b`).test(code));
  });
  expect([...listed].sort()).toEqual([
    'admin/bookings/desk/read-booking.ts', // a booking, as its page reads it
    'admin/parts/icons.ts',
    'src/bookings/entity-examples.ts',
    'src/catalog/checks/check-entities.ts', // what has rules over several fields
    'src/catalog/columns/entity-types.ts', // what ads depend on
    'src/catalog/entities/entities.ts',
    ...['src/catalog/model/catalog-reading.ts', 'src/catalog/snapshot/admit-rows.ts'], // likewise
    ...['src/declarations/declaration.ts', 'src/declarations/declared-fields.ts'], // what a document of bookings has
  ]);
});

test.each(ENTITY_TABLES)('every field of %s has words in its form, a place in its row and a column of its view', (table) => {
  const { fields, sections } = entityOf(table);
  const shown = sections.flatMap(({ fields: names }) => names);
  const members = Object.values(fields).flatMap(({ view }) => (view ? [view[0]] : []));
  expect(new Set(members).size).toBe(members.length);
  expect(new Set(ROWS[table].columns).size).toBe(ROWS[table].columns.length);
  for (const [name, { absent, form, members: inner }] of Object.entries(fields))
    if (absent === undefined) expect([name, shown.includes(name), (form ?? inner) !== undefined]).toEqual([name, true, true]);
});

test.each(CATALOG_TABLES)('an entity of %s begins with its id, and with its owner when it has one', (table) => {
  const keys = Object.values(entityOf(table).fields).flatMap(({ view, fixed }) => (view && fixed === 'once served' ? [view[1]] : []));
  expect(keys.every((kind) => kind === 'owner')).toBe(true);
});
