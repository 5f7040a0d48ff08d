import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { each, type ApiCall } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { runAds, type Ran } from '../cli/run-ads.ts';
import { bookings } from './bookings.ts';

let replica: Replica;
let machine: ApiCall;
let token: string;
let folder: string;

beforeAll(async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  replica = await startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });
  machine = callWith(replica.url, MACHINE);
  token = await tokenOf(machine, 'deployments', ['administrator'], null);
  folder = await mkdtemp(path.join(tmpdir(), 'bookings-'));
  atEnd(() => rm(folder, { recursive: true }));
});

/** Runs `ads` in a folder with files. */
const ads = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  runAds(folder, { ADS_URL: replica.url, ADS_TOKEN: token, GITHUB_SHA: '3f2a9c1d7e4b5a60', ...env }, args);
const write = (name: string, content: object | string): Promise<void> =>
  writeFile(path.join(folder, name), typeof content === 'string' ? content : stringify(content));

test('a plan, an apply, a pull and a comparison of files', async () => {
  const declaration = bookings('files');
  await write('bookings.yaml', declaration);
  const planned = await ads(['plan', 'bookings.yaml']);
  expect([planned.code, planned.err]).toEqual([0, '']);
  expect(planned.out.split('\n').slice(0, 2)).toEqual([
    '13 to create; 0 records are as in the files.',
    '  + advertiser Boots of the North: is new',
  ]);
  expect((await ads(['apply', 'bookings.yaml'])).err).toBe('No terminal to confirm the changes in: add --yes\n');
  const applied = await ads(['apply', '--yes', 'bookings.yaml']);
  expect([applied.code, applied.out]).toEqual([
    0,
    expect.stringContaining('Applied: 13 changes.\nAPI key of the new publisher, shown this once: pk_'),
  ]);
  expect((await ads(['diff', 'bookings.yaml'])).out).toBe('Nothing differs: 13 records are as in the files.\n');

  const [publisher] = (await machine('GET', '/publishers?q=files')).body;
  const [history] = (await machine('GET', '/audit?entity=publisher&limit=1')).body;
  expect(history).toMatchObject({ action: 'create', note: expect.stringMatching(/^commit 3f2a9c1d7e4b/) });
  expect((await ads(['pull', '--publisher', String(publisher.id), '-o', 'pulled.yaml'])).code).toBe(0);
  const { installation: _, ...pulled } = parse(await readFile(path.join(folder, 'pulled.yaml'), 'utf8'));
  expect(pulled).toEqual(declaration);

  const [item] = (await machine('GET', `/line_items?publisher_id=${publisher.id}&q=sport`)).body;
  await machine('PATCH', `/line_items/${item.id}`, { cpm: 6 }, { 'Change-Note': 'agreed by phone' });
  const drift = await ads(['diff', 'bookings.yaml']);
  expect([drift.code, drift.out]).toEqual([
    1,
    expect.stringMatching(
      /~ line item Sport readers: cpm 6 → 4.5; 120,000 impressions are booked\n {6}last changed by \S+ just now: agreed by phone/,
    ),
  ]);
});

test('files are one declaration together, with variables and texts of other files', async () => {
  await mkdir(path.join(folder, 'creatives'), { recursive: true });
  await write('creatives/red.html', '<p>${AUCTION_PRICE}</p>');
  await write(
    'publisher.yaml',
    'publisher: {key: parts, name: !env NAME, domain: !env DOMAIN=parts.example}\nplacements:\n  - {id: parts-top, width: 300, height: 250, formats: [html]}\n',
  );
  await write(
    'campaign.yaml',
    `campaigns:
  - key: c
    name: Campaign
    start_date: 2026-03-01
    end_date: 2999-12-31
    budget: !env BUDGET
    line_items:
      - key: l
        active: true
        start_date: 2026-03-01
        end_date: 2999-12-31
        cpm: 2
        creatives:
          - {key: red, placements: [parts-top], format: html, content: !file creatives/red.html}
`,
  );
  const files = ['campaign.yaml', 'publisher.yaml'];
  const unset = await ads(['plan', ...files], { NAME: 'Parts' });
  expect([unset.code, unset.err]).toEqual([1, 'campaign.yaml:6 the variable BUDGET is not set at line 6, column 13:\n']);
  expect((await ads(['apply', '--yes', ...files], { NAME: 'Parts', BUDGET: '250.5' })).code).toBe(0);
  expect((await machine('GET', '/campaigns?q=parts')).body).toMatchObject([{ external_key: 'c', budget: 250.5 }]);
  expect((await machine('GET', '/creatives?q=parts')).body).toMatchObject([{ content: '<p>${AUCTION_PRICE}</p>' }]);
});

test('the example repository is planned and applied', async () => {
  const example = path.resolve('sdk/ads/example/bookings.yaml');
  expect((await ads(['plan', example])).out).toContain('6 to create');
  expect((await ads(['apply', '--yes', example])).code).toBe(0);
  expect((await ads(['diff', example])).code).toBe(0);
});

test('a fault is said with its file and line', async () => {
  await write(
    'faults.yaml',
    'publisher: {key: f, name: F, domain: f.example}\ncampaigns:\n  - key: c\n    name: C\n    colour: red\n    start_date: 2026-03-01\n    end_date: 2999-12-31\n    line_items:\n      - key: l\n        active: true\n        start_date: soon\n        end_date: 2999-12-31\n        cpm: -1\n',
  );
  const unknown = await ads(['plan', 'faults.yaml']);
  expect([unknown.code, unknown.err]).toEqual([1, 'The declaration is invalid.\nfaults.yaml:5 colour is not a known field\n']);
  await write('faults.yaml', (await readFile(path.join(folder, 'faults.yaml'), 'utf8')).replace('    colour: red\n', ''));
  const faulty = await ads(['plan', 'faults.yaml']);
  expect(faulty.err.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^faults.yaml:10 start_date must be/),
    expect.stringMatching(/^faults.yaml:12 cpm must be/),
    '',
  ]);
  await write('broken.yaml', 'publisher: {key: f\ncampaigns: []\n');
  expect((await ads(['plan', 'broken.yaml'])).err).toMatch(/^broken.yaml:\d /);
});

test('a cycle of aliases, and aliases that multiply without end, are refused in words', async () => {
  await write('cycle.yaml', 'publisher: {key: f, name: F, domain: f.example}\ncampaigns:\n  - &c\n    key: c\n    line_items: [*c]\n');
  expect(await ads(['plan', 'cycle.yaml'])).toMatchObject({ code: 1, err: 'cycle.yaml:5 *c is within what it names\n' });
  const nine = (name: string): string => `[${Array.from({ length: 9 }, () => `*${name}`).join(', ')}]`;
  const powers = ['b', 'c', 'd', 'e'].map((name, i) => `${name}: &${name} ${nine('abcd'[i]!)}`);
  await write('powers.yaml', ['a: &a [x, x]', ...powers].join('\n'));
  expect(await ads(['plan', 'powers.yaml'])).toMatchObject({ code: 1, err: 'powers.yaml:1 repeats too much by aliases\n' });
});

test('records without keys are given keys made of their names', async () => {
  const publisher = (await machine('POST', '/publishers', { name: 'Ärger & Söhne', domain: 'old.example' })).body.id as number;
  const flight = { publisher_id: publisher, start_date: '2026-03-01', end_date: '2999-12-31' };
  for (const name of ['Spring sale', 'Spring sale', '***']) await machine('POST', '/campaigns', { ...flight, name });
  expect((await ads(['pull', '--publisher', String(publisher), '--keys', '-o', 'keyed.yaml'])).code).toBe(0);
  const keyed = parse(await readFile(path.join(folder, 'keyed.yaml'), 'utf8'));
  const last = keyed.campaigns[2].id as number;
  expect([keyed.publisher.key, ...each(keyed.campaigns, 'key')]).toEqual([
    'arger-sohne',
    'spring-sale',
    'spring-sale-2',
    `campaign-${last}`,
  ]);
  expect((await ads(['apply', '--yes', 'keyed.yaml'])).out).toContain('Applied: 4 changes.');
  expect((await ads(['diff', 'keyed.yaml'])).code).toBe(0);
});

test.each([
  [['plan'], {}, 2, 'ads plan needs files'],
  [['paint', 'x.yaml'], {}, 2, 'There is no command paint'],
  [['plan', '--colour'], {}, 2, "Unknown option '--colour'"],
  [['plan', 'gone.yaml'], {}, 1, 'gone.yaml cannot be read: ENOENT'],
  [['pull'], {}, 2, 'ads pull needs --publisher ID'],
  [['pull', '--publisher', '999'], {}, 1, 'There is no publisher with this id.'],
  [['pull', '--publisher', '1'], { ADS_TOKEN: 'x' }, 1, ''],
  [['pull', '--publisher', '1'], { ADS_URL: 'gazette' }, 2, 'ADS_URL must be the address'],
  [['pull', '--publisher', '1'], { ADS_URL: 'http://127.0.0.1:9' }, 1, 'http://127.0.0.1:9 cannot be reached'],
])('%j with %j ends with %i: %s', async (args, env, code, words) => {
  const ran = await ads(args, env);
  expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(words)]);
});
