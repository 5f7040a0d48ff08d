import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseCreativeContent } from '../../src/catalog/checks/parse-content.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { migrateLatest } from '../../src/catalog/postgres/migrate.ts';
import { readProviders } from '../../src/people/oidc/read-providers.ts';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { withKnex } from '../../testkit/book.ts';
import { postgresWithTools } from '../../testkit/postgres-tools.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { eventOf } from '../events/events.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, TOKEN_SECRET, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { codeBlocksOf, DOCUMENTS, ROOT, type CodeBlock } from './documents.ts';

const BLOCKS = DOCUMENTS.flatMap(codeBlocksOf);
const RUN_BY_ITSELF = ['README.md', 'docs/tutorial.md'];

/**
 * In the place of programs that a test machine lacks or must not run. The tests of documents name those that they replace;
 * everything else is run as it is written.
 */
const STAND_INS: Readonly<Record<string, { readonly does: string; readonly shell: string }>> = {
  kubectl: {
    does: 'runs the command of `kubectl exec … -- COMMAND` here, and finds the kustomization of `kubectl apply`',
    shell: `
  if [ "$1" = apply ]; then test -f "$3/kustomization.yaml"; return; fi
  local word
  for word; do shift; if [ "$word" = -- ]; then "$@"; return; fi; done`,
  },
  make: { does: 'finds the target', shell: `grep -q "^$1:" "$ROOT/Makefile"` },
  npm: {
    does: 'finds the script',
    shell: `node -e 'process.exit(process.argv[1] in require(process.env.ROOT + "/package.json").scripts ? 0 : 1)' "$1"`,
  },
  npx: { does: 'runs the installed package', shell: `local name=$1; shift; "$ROOT/node_modules/.bin/\${name##@hey-api/}" "$@"` },
  docker: { does: 'does nothing', shell: ':' },
  gh: { does: 'does nothing', shell: ':' },
  'kafka-topics.sh': { does: 'does nothing', shell: ':' },
};
const shellOf = (document: string): string =>
  codeBlocksOf(document)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text)
    .join('\n');
/** What a document calls, and the test does not run. */
const replacedIn = (document: string): readonly string[] =>
  Object.keys(STAND_INS).filter((name) => new RegExp(`(?:^|[|;&(]\\s*|\\s)${name} `, 'm').test(shellOf(document)));
const functionsFor = (document: string): string =>
  replacedIn(document)
    .map((name) => `${name}() { ${STAND_INS[name]!.shell}\n}`)
    .join('\n');

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

let replica: Replica;
let apiKey: string;
let env: NodeJS.ProcessEnv;
let drillPort: number;

beforeAll(async () => {
  await mkdir(path.join(ROOT, '.cache'), { recursive: true });
  const state = await mkdtemp(path.join(ROOT, '.cache', 'state-'));
  atEnd(() => rm(state, { recursive: true }));
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), DEMO_DATA: 'true', STATE_DIR: state },
  });
  [apiKey] = await replica.logged(/pk_demo_[\w-]+/);
  // Commands of operators have stores of their own, of the version of their tools: no replica is connected to them.
  const stores = await openPrivateStores('documents');
  atEnd(stores.stop);
  const binaries = postgresWithTools();
  const DATABASE_URL = (await stores.startPostgres({ durable: false, binaries })).url;
  const [redis, drillRedis] = [await stores.startRedis('first'), await stores.startRedis('drill')];
  await migrateLatest(DATABASE_URL);
  await bookCatalog(DATABASE_URL, BOOKED);
  await storeImpression(DATABASE_URL);
  drillPort = await freePort();
  env = {
    ...{ ...process.env, PATH: `${binaries.bin}${path.delimiter}${process.env['PATH']}`, STATE_DIR: state },
    ...{
      DATABASE_URL,
      SUPERUSER_URL: DATABASE_URL,
      REDIS_URL: redis.url,
      DRILL_REDIS_URL: drillRedis.url,
      API_KEY,
      TOKEN_SECRET,
      ROOT,
      API: replica.url,
    },
  };
});

const API_KEY = 'pk_of_the_drill';
const BOOKED = {
  publishers: [
    {
      ...{ name: 'The Gazette', domain: 'gazette.example', api_key: API_KEY },
      placements: [{ id: 'article-top', width: 300, height: 250, formats: ['html'] }],
      campaigns: [{ line_items: [{ creatives: [{ placement_id: 'article-top', content: '<b>restored</b>' }] }] }],
    },
  ],
};

/** An event of yesterday, which the commands compare and judge again. */
const storeImpression = (databaseUrl: string): Promise<void> =>
  withKnex(databaseUrl, async (knex) => {
    const signals = { network: '192.0.2.0/24', agent: 'Mozilla/ Firefox/', origin: null, elsewhere: false };
    await createEventStore({ knex }).append([eventOf({}, { signals }, Date.parse(`${YESTERDAY}T12:00:00Z`))]);
  });

/** Runs the shell blocks of a document one after another, as one script. @returns what it printed */
const runBlocks = async (document: string): Promise<string> => {
  // Inside the checkout, where packages are found.
  const folder = await mkdtemp(path.join(ROOT, '.cache', 'documents-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['dist', 'k8s']) await symlink(path.join(ROOT, name), path.join(folder, name));
  const script = shellOf(document)
    .replaceAll('localhost:8787', new URL(replica.url).host)
    .replaceAll('8788', String(drillPort))
    .replaceAll('pk_demo_…', apiKey)
    .replaceAll('2026-11-20', YESTERDAY)
    .replaceAll('2026-11-01', YESTERDAY)
    // It would wait for a minute and the life of a token.
    .replaceAll(' --wait', '');
  const { stdout } = await promisify(execFile)('bash', ['-c', ['set -eo pipefail', functionsFor(document), script].join('\n')], {
    cwd: folder,
    env,
  });
  return stdout;
};

const inWords = (document: string): string => {
  const names = replacedIn(document);
  return names.length === 0 ? '' : `, but for ${names.map((name) => `${name} (a stand-in ${STAND_INS[name]!.does})`).join(', ')}`;
};

test.each(
  [...new Set(BLOCKS.filter(({ language }) => language === 'sh').map(({ document }) => document))]
    .filter((name) => !RUN_BY_ITSELF.includes(name))
    .map((name) => [name, inWords(name)] as const),
)('the commands of %s run%s', async (document) => {
  const printed = await runBlocks(document);
  if (document !== 'docs/operations.md') return;
  expect(printed).toContain('The schema is the newest already.');
  // The drill: the rows of both databases, and an ad of a replica on the copy.
  expect(printed).toContain('1\n1\n1\n1\n');
  expect(printed).toContain('"adm":"<b>restored</b>"');
});

test('the commands of the tutorial book a campaign, request, count and explain an ad', async () => {
  const printed = (await runBlocks('docs/tutorial.md')).trim().split('\n');
  expect(printed.slice(-6)).toEqual(
    ['<b>Boots</b>', '200', '1', '9', 'frequency_capped', '503'].map((line) => expect.stringContaining(line)),
  );
});

test('the request of the README is answered as it says', async () => {
  const answer = JSON.parse((await runBlocks('README.md')).trim().split('\n').at(-1)!) as object;
  const [shown] = codeBlocksOf('README.md').filter(({ language }) => language === 'json');
  for (const name of namesIn(JSON.parse(shown!.text))) expect(namesIn(answer)).toContain(name);
});

const COMPONENTS = 'https://api.test/#/components/schemas';
const answerOf = (status: number, type: string): string =>
  `https://api.test/#/paths/~1ad/post/responses/${status}/content/application~1${type}/schema`;
/** What a JSON block is, by a member that it has; else it is the targeting of a line item. */
const SCHEMAS = [
  ['seatbid', answerOf(200, 'json')],
  ['code', answerOf(400, 'problem%2Bjson')],
  ['endpoint', `${COMPONENTS}/Bidder`],
  ['position', `${COMPONENTS}/Placement/properties/video`],
  ['schedule', `${COMPONENTS}/LineItemChange`],
  ['campaign_id', `${COMPONENTS}/LineItemChange`],
  ['price', `${COMPONENTS}/Publisher/properties/rate_card`],
  ['frequency_caps', `${COMPONENTS}/LineItemChange`],
  ['user', `${COMPONENTS}/AdRequest/properties/user`],
] as const;

test('every JSON block is a body or a part of one, a bidder, a rate card, or a part of a line item, that the API describes, or a list of providers, the content of a video, or the servers of an assistant', async () => {
  const document = (await (await fetch(`${replica.url}/api/openapi.json`)).json()) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.test/', ...document });
  const blocks = BLOCKS.filter(({ language }) => language === 'json');
  expect(blocks.length).toBeGreaterThan(1);
  for (const { document: name, text } of blocks) {
    const body = JSON.parse(text) as object;
    const first = (Array.isArray(body) ? body[0] : body) as object;
    if (Array.isArray(body) && !('price' in first)) {
      const providersFile = path.join(ROOT, '.cache', 'providers-of-documents.json');
      await writeFile(providersFile, text);
      expect(await readProviders({ provider: undefined, providersFile, production: true })).toHaveLength(body.length);
      continue;
    }
    if ('mcpServers' in body) {
      expect([name, body.mcpServers]).toEqual([
        name,
        { 'ad-server': { type: 'http', url: expect.stringMatching(/\/mcp$/), headers: expect.any(Object) } },
      ]);
      continue;
    }
    if ('media' in body) {
      expect([name, parseCreativeContent('video', text)]).toEqual([name, { content: expect.anything() }]);
      continue;
    }
    const [, schema] = SCHEMAS.find(([member]) => member in first) ?? ['', `${COMPONENTS}/LineItem/properties/targeting`];
    const valid = ajv.compile({ $ref: schema });
    const checked = 'user' in body ? body.user : body;
    expect([name, valid(checked) || valid.errors]).toEqual([name, true]);
  }
});

test('every block of code is in a language that a test runs, draws or checks', () => {
  const known = ['sh', 'json', 'html', 'js', 'css', 'mermaid', 'ts', 'python'];
  // Drawings in plain text.
  const other = BLOCKS.filter(({ language, document }: CodeBlock) => !known.includes(language) && document !== 'docs/architecture.md');
  expect(other).toEqual([]);
});

/** The names of all members, at any depth, in arrays of objects too. */
const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(member)])
    : [];
