import { readDump } from '../../src/imports/revive/read-dump.ts';
import { reviveDump, revivePgDump } from './revive-dump.ts';

const read = (text: string, prefix = 'rv_') => readDump(Buffer.from(text), prefix);

test.each([
  ['mysqldump', reviveDump()],
  ['pg_dump', revivePgDump()],
])('a dump of %s has the rows of its tables, with texts, numbers and pictures', async (_, dump) => {
  const source = read(dump);
  expect(await source.rows('agency')).toEqual([{ name: "Gazette 'group'; it's", agencyid: 2, account_id: 7 }]);
  expect((await source.rows('banners')).map((row) => [row['bannerid'], row['htmltemplate'], row['prepend']])).toEqual([
    [100, '', null],
    [101, "<p>Line\nand; quote'</p>", null],
  ]);
  expect(await source.rows('acls_channel')).toEqual([]);
  expect(await source.hoursOf(100)).toMatchObject([
    { zone_id: 1, hour: '2026-02-01 10:00:00', impressions: 120, clicks: 8 },
    { impressions: 10 },
    { impressions: 5 },
  ]);
  expect((await source.picture('boots.png'))?.toString('latin1', 1, 4)).toBe('PNG');
});

test.each([
  ['half a statement', reviveDump().slice(0, 900), 'It is half a dump: it ends within a statement, at byte 900'],
  [
    'half of its tables',
    reviveDump().slice(0, reviveDump().indexOf('CREATE TABLE `rv_zones`')),
    'It has no table rv_zones. All that is read',
  ],
  ['another prefix', reviveDump('ox_'), 'Its tables begin with "ox_", and not with "rv_"'],
  ['another program', 'CREATE TABLE posts (\n id int\n);\n', 'It is no dump of Revive 5 or 6: it has no table rv_banners'],
  ['no dump', 'hello', 'It is no dump of a database'],
])('%s is refused in words', (_, text, words) => expect(() => read(text)).toThrow(words));

test('a dump of 64 MB is read within twenty seconds of processor time', async () => {
  const row = `('2026-02-01 10:00:00',100,1,120,8)`;
  const insert = `INSERT INTO \`rv_data_summary_ad_hourly\` VALUES ${Array.from({ length: 20_000 }, () => row).join(',')};\n`;
  const other = `INSERT INTO \`rv_log\` VALUES ('${"x;\\'".repeat(200_000)}');\n`;
  const parts = [reviveDump()];
  for (let length = 0; length < 64 * 1024 * 1024; length += insert.length + other.length)
    parts.push(length < 32 * 1024 * 1024 ? insert : '', other);
  const begun = process.cpuUsage();
  expect((await read(parts.join('')).hoursOf(100)).length).toBeGreaterThan(100_000);
  expect(process.cpuUsage(begun).user).toBeLessThan(20_000_000);
});
