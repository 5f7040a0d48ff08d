import { readFile } from 'node:fs/promises';
import path from 'node:path';
import knexOf from 'knex';
import { parse } from 'yaml';
import type { ApiCall } from '../api/api-client.ts';
import { callWith, MACHINE } from '../people/staff.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { runAds, type Ran } from './run-ads.ts';
import { fillLargeReviveDatabase, fillReviveDatabase } from './revive-database.ts';

let replica: Replica;
let machine: ApiCall;
let revive: string;
let folder: string;

beforeAll(async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  replica = await startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });
  machine = callWith(replica.url, MACHINE);
  revive = await testDatabase();
  const knex = knexOf({ client: 'pg', connection: revive });
  atEnd(() => knex.destroy());
  await fillReviveDatabase(knex);
  folder = temporaryFolder();
});

const ads = (...args: readonly string[]): Promise<Ran> => runAds(folder, { ADS_URL: replica.url, ADS_TOKEN: MACHINE }, args);
const file = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

test('Revive is brought over with its rules and files, and a second time changes nothing', async () => {
  const planned = await ads('import', 'revive', '--from', revive, '--dry-run');
  expect([planned.code, planned.err]).toEqual([0, '']);
  expect(planned.out).toContain('1 files are not stored yet.');
  expect((await machine('GET', '/campaigns')).body).toEqual([]);

  const applied = await ads('import', 'revive', '--from', revive, '--yes');
  expect([applied.code, applied.err]).toEqual([0, '']);
  expect(applied.out).toContain('API key of the new publisher');
  const { publisher, placements, campaigns } = parse(await file('revive.yaml'));
  expect(publisher).toEqual({ key: 'revive:agency:2', name: 'Gazette group', domain: 'gazette.example', time_zone: 'Europe/Berlin' });
  expect(placements).toEqual([
    { id: 'revive-zone-1', key: 'revive:zone:1', width: 300, height: 250, formats: ['html', 'banner'], revive_zone_id: 1 },
    { id: 'revive-zone-2', key: 'revive:zone:2', width: 1, height: 1, formats: ['html'], revive_zone_id: 2 },
    { id: 'revive-zone-4', key: 'revive:zone:4', width: 300, height: 250, formats: ['html', 'banner'], revive_zone_id: 4 },
  ]);
  const [house, spring, paused] = campaigns;
  expect(house.line_items).toMatchObject([
    {
      ...{ key: 'revive:campaign:10', active: true, priority: 3, cpm: 0 },
      creatives: [
        {
          ...{ key: 'revive:banner:100', format: 'banner', click_url: 'https://boots.example/a', width: 300, height: 250 },
          content: expect.stringMatching(/^\{"image":"\/static\/assets\/[0-9a-f]{64}\.png","alt":"Boots"\}$/),
          placements: ['revive-zone-1', 'revive-zone-4'],
        },
        { key: 'revive:banner:101', format: 'html', content: '<a href="${CLICK_URL}">${CACHEBUSTER}</a><b>{source}</b>', weight: 3 },
        {
          key: 'revive:banner:102',
          format: 'html',
          content: expect.stringContaining('>Boots &amp; co</a>'),
          placements: ['revive-zone-2'],
        },
      ],
    },
  ]);
  const caps = [{ scope: 'campaign', impressions: 3, window: 86_400 }];
  expect(spring).toMatchObject({
    ...{ start_date: '2026-01-01', end_date: '2999-12-31T23:00:00.000Z', budget: 1710, daily_budget: 90 },
    line_items: [
      {
        key: 'revive:banner:103',
        active: true,
        pacing: 'Even',
        cpm: 4.5,
        targeting: { countries: ['DE', 'AT', 'CH'] },
        frequency_caps: caps,
      },
      {
        key: 'revive:banner:104',
        active: false,
        schedule: [{ days: expect.any(Array), from: '06:00', to: '09:00' }],
        frequency_caps: caps,
      },
    ],
  });
  expect(paused.line_items).toEqual([]);

  const report = await file('revive-report.md');
  for (const line of [
    '| zone | 3 | The Gazette - Popup | shows a popup, which has no equal here: its tags get no ad |',
    '| zone | 4 | The Gazette - Side \\| any | falls back to zone:1 without an ad: a placement does not |',
    '| banner | 104 | Mornings | shows at most 2 impressions in a session, which is not known here |',
    "| banner | 105 | Lost | its file lost.png is in a folder of Revive's web server: name that with --images |",
    '| banner | 101 | Macros | its macros {source} have no equal and stay as they are |',
    "| manager account | 2 | Gazette group | line items with a frequency cap (2) serve where a visitor's id may be used: by asynchronous tags, and ",
    '| campaign | 11 | Spring | Revive has delivered 120000 of 500000 impressions: the goal is what is left, 380000 |',
  ])
    expect(report).toContain(line);

  expect(planned.out).toContain('Days of history to keep: 1.');
  expect(applied.out).toContain('Days of history kept: 1.');
  const [{ id: made }] = (await machine('GET', '/publishers')).body;
  const history = async () => (await machine('GET', `/imported_history?publisher_id=${made}&group_by=day`)).body;
  const counted = {
    ...{ source: 'revive', first_day: '2026-02-01', last_day: '2026-02-01', totals: { impressions: 120_000, clicks: 80 } },
    rows: [{ of: '2026-02-01', name: null, impressions: 120_000, clicks: 80 }],
  };
  expect(await history()).toEqual(counted);

  const again = await ads('import', 'revive', '--from', revive, '--yes', '--report', 'again.json');
  expect(await history()).toEqual(counted);
  expect([again.code, again.err]).toEqual([0, '']);
  expect(again.out).toContain('Nothing would change: ');
  expect(JSON.parse(await file('again.json')).records).toMatchObject({ placements: 3, campaigns: 3, line_items: 3, creatives: 5 });
  const [image] = (await machine('GET', '/creatives?q=revive:banner:100')).body;
  const picture = await fetch(replica.url + JSON.parse(image.content).image);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
});

test('50 campaigns with 200 banners are all brought over once, and a second time changes nothing', async () => {
  const large = await testDatabase();
  const knex = knexOf({ client: 'pg', connection: large });
  atEnd(() => knex.destroy());
  await fillLargeReviveDatabase(knex);
  const bring = ['import', 'revive', '--from', large, '--name', 'large', '--output', 'large.yaml', '--report', 'large.json', '--yes'];
  const applied = await ads(...bring);
  expect([applied.code, applied.err]).toEqual([0, '']);
  const { records, notes } = JSON.parse(await file('large.json'));
  expect(records).toMatchObject({ advertisers: 5, placements: 10, campaigns: 50, creatives: 200 });
  expect(notes).not.toContainEqual(expect.objectContaining({ level: 'left_out' }));
  const again = await ads(...bring);
  expect([again.code, again.err, again.out]).toEqual([0, '', expect.stringContaining('Nothing would change: ')]);
});

test('a zone that another placement answers is refused, and nothing is changed', async () => {
  const { body } = await machine('GET', '/publishers');
  const gazette = (body as readonly { id: number; name: string }[]).find(({ name }) => name === 'Gazette group');
  const placement = { publisher_id: gazette?.id, width: 300, height: 250, formats: ['html'] };
  const taken = await machine('POST', '/placements', { ...placement, id: 'second', revive_zone_id: 1 });
  expect([taken.status, taken.body.errors]).toEqual([
    400,
    [{ pointer: '/revive_zone_id', detail: 'is the zone of another placement: tags of two installations cannot have one address' }],
  ]);
  const other = await ads('import', 'revive', '--from', revive, '--name', 'other', '--yes', '--output', 'other.yaml');
  expect([other.code, other.err]).toEqual([1, expect.stringMatching(/other\.yaml:\d+ revive_zone_id is the zone of another placement/)]);
  expect((await machine('GET', '/publishers')).body).toHaveLength(2);
});

test.each([
  ['no address', ['--from', 'revive'], 2, /^--from must be the address of Revive's database.*or the name of a dump of it/],
  ['a dump that is not there', ['--from', 'revive.sql'], 1, /^revive\.sql cannot be read: ENOENT\n$/],
  [
    'no database',
    ['--from', 'postgres://nobody:secret@127.0.0.1:1/revive'],
    1,
    /^The database revive at 127\.0\.0\.1:1 cannot be opened: (?!.*secret)/,
  ],
  ['tables of another name', ['--prefix', 'ox_'], 2, /^The table ox_agency cannot be read as one of Revive 5 or 6: .*Say it with --prefix/],
  ['a foreign manager account', ['--agency', '99'], 2, /^There is no manager account 99: 2 Gazette group\. Say it with --agency\n$/],
])('%s is refused in words', async (_, args, code, words) => {
  const ran = await ads('import', 'revive', ...(args[0] === '--from' ? args : ['--from', revive, ...args]));
  expect([ran.code, ran.out]).toEqual([code, '']);
  expect(ran.err).toMatch(words);
});
