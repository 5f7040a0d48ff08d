import { readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import writeXlsxFile from 'write-excel-file/node';
import type { ApiCall, Json } from '../api/api-client.ts';
import { callWith, MACHINE } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { runAds, type Ran } from './run-ads.ts';

let replica: Replica;
let machine: ApiCall;
let folder: string;
let publisher: string;

beforeAll(async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  replica = await startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });
  machine = callWith(replica.url, MACHINE);
  folder = temporaryFolder();
  const made = await machine('POST', '/publishers', { name: 'Gazette', domain: 'gazette.example' });
  publisher = String(made.body.id);
  await machine('POST', '/placements', {
    id: 'article-top',
    publisher_id: made.body.id,
    width: 300,
    height: 250,
    formats: ['html', 'banner'],
  });
});

const ads = (...args: readonly string[]): Promise<Ran> => runAds(folder, { ADS_URL: replica.url, ADS_TOKEN: MACHINE }, args);
const booked = async (): Promise<readonly Json[]> => (await machine('GET', '/line_items?sort=id')).body as readonly Json[];

const HEAD = ['Campaign', 'Line item', 'Start', 'End', 'Price', 'Goal', 'Countries', 'Placement', 'HTML', 'Active'];
const SHEET = [
  ['Spring', 'Sport readers', '2027-03-01', '2027-03-31', '4.50', '120000', 'DE, AT', 'article-top', '<b>Boots</b>', 'yes'],
  ['Spring', 'All readers', '2027-03-01', '2027-03-31', '2', '', '', 'article-top', '<b>More boots</b>', 'no'],
];

test('a spreadsheet is booked beside what is there, as CSV and as XLSX, and a second time changes nothing', async () => {
  await writeFile(path.join(folder, 'sheet.csv'), [HEAD, ...SHEET].map((row) => row.map((cell) => `"${cell}"`).join(',')).join('\n'));
  const planned = await ads('import', 'csv', 'sheet.csv', '--publisher', publisher, '--dry-run');
  expect([planned.code, planned.err]).toEqual([0, '']);
  expect(await booked()).toEqual([]);

  const applied = await ads('import', 'csv', 'sheet.csv', '--publisher', publisher, '--yes');
  expect([applied.code, applied.err]).toEqual([0, '']);
  expect(await booked()).toMatchObject([
    { name: 'Sport readers', cpm: 4.5, goal_impressions: 120_000, active: true, targeting: { countries: ['DE', 'AT'] } },
    { name: 'All readers', cpm: 2, active: false },
  ]);
  expect((await machine('GET', '/creatives')).body).toMatchObject([{ content: '<b>Boots</b>' }, { content: '<b>More boots</b>' }]);

  const cells = [HEAD, ...SHEET].map((row) => row.map((value) => ({ type: String, value })));
  await writeFile(path.join(folder, 'sheet.xlsx'), await writeXlsxFile(cells, { sheet: 'Bookings' }).toBuffer());
  const again = await ads('import', 'csv', 'sheet.xlsx', '--publisher', publisher, '--yes');
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toContain('Nothing would change');
  expect(await booked()).toHaveLength(2);
});

test('a faulty cell is named, and nothing is booked', async () => {
  await writeFile(path.join(folder, 'faulty.csv'), [HEAD.join(), 'Autumn,Late,2027-02-30,2027-03-31,4.50'].join('\n'));
  const ran = await ads('import', 'csv', 'faulty.csv', '--publisher', publisher, '--yes');
  expect([ran.code, ran.out]).toEqual([1, '']);
  expect(ran.err).toContain('C2: is no day of the calendar');
  await truncate(path.join(folder, 'faulty.csv'), 300 * 1024 * 1024);
  const large = await ads('import', 'csv', 'faulty.csv', '--publisher', publisher, '--yes');
  expect([large.code, large.err]).toEqual([1, 'faulty.csv has 314.6 MB; at most 33.6 MB are read: divide it\n']);
  expect(await booked()).toHaveLength(2);
});

test('line items of Google Ad Manager are booked, and the report says what has no equal', async () => {
  const report = [
    'Order ID,Order,Advertiser,Line item ID,Line item,Line item type,Status,Start date,End date,Cost type,Rate,Goal',
    '7,Summer,Boots,70,Beach,Standard,Delivering,2027-06-01,2027-06-30,CPM,4.50,"120,000"',
    '7,Summer,Boots,71,Exchange,Ad Exchange,,2027-06-01,Unlimited,,,',
  ];
  await writeFile(path.join(folder, 'report.csv'), report.join('\n'));
  const ran = await ads('import', 'gam', 'report.csv', '--publisher', publisher, '--yes');
  expect([ran.code, ran.err]).toEqual([0, '']);
  expect((await booked()).at(-1)).toMatchObject({ name: 'Beach', cpm: 4.5, goal_impressions: 120_000, external_key: 'gam:line_item:70' });
  expect(await readFile(path.join(folder, 'gam-report.md'), 'utf8')).toContain('is of the type Ad Exchange, which has no equal here');
  const again = await ads('import', 'gam', 'report.csv', '--publisher', publisher, '--yes');
  expect([again.code, again.err, again.out.includes('Nothing would change')]).toEqual([0, '', true]);
});
