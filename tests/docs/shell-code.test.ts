import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import knexFactory from 'knex';
import { createEventStore } from '../../src/events/postgres/event-store.ts';
import { eventOf } from '../events/events.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica, TOKEN_SECRET, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { codeBlocksOf, DOCUMENTS, ROOT, type CodeBlock } from './documents.ts';

const BLOCKS = DOCUMENTS.flatMap(codeBlocksOf);
const RUN_BY_ITSELF = ['README.md', 'docs/tutorial.md'];

/**
 * In the place of programs that a test machine lacks or must not run. `kubectl exec … -- COMMAND` runs
 * the command here; a copy of the database is its backup.
 */
const STAND_INS = `
kubectl() {
  if [ "$1" = apply ]; then test -f "$3/kustomization.yaml"; return; fi
  local word
  for word; do shift; if [ "$word" = -- ]; then "$@"; return; fi; done
}
make() { grep -q "^$1:" "$ROOT/Makefile"; }
npm() { node -e 'process.exit(process.argv[1] in require(process.env.ROOT + "/package.json").scripts ? 0 : 1)' "$1"; }
npx() { local name=$1; shift; "$ROOT/node_modules/.bin/\${name##@hey-api/}" "$@"; }
psql() { node -e "$PSQL" -- "$1" "\${@: -1}"; }
createdb() { psql "$DATABASE_URL" "create database drill template \\"\${DATABASE_URL##*/}\\""; }
dropdb() { psql "$DATABASE_URL" 'drop database drill'; }
pg_dump() { touch ad-server.dump; }
pg_restore() { test -e ad-server.dump; }
docker() { :; }
gh() { :; }
`;
const PSQL = `const { Client } = require('pg');
const [url, sql] = process.argv.slice(1);
const client = new Client({ connectionString: url });
client.connect().then(() => client.query(sql)).then(() => client.end());`;

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

let replica: Replica;
let apiKey: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  await mkdir(path.join(ROOT, '.cache'), { recursive: true });
  const state = await mkdtemp(path.join(ROOT, '.cache', 'state-'));
  atEnd(() => rm(state, { recursive: true }));
  replica = await startReplica({
    env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), DEMO_DATA: 'true', STATE_DIR: state },
  });
  apiKey = /pk_demo_[\w-]+/.exec(replica.logs())?.[0] ?? '';
  // Commands of operators have stores of their own: no replica is connected to them.
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  await storeImpression(stores.DATABASE_URL);
  env = { ...process.env, ...stores, TOKEN_SECRET, ROOT, PSQL, API: replica.url };
});

/** An event of yesterday, which the commands compare and judge again. */
const storeImpression = async (databaseUrl: string): Promise<void> => {
  const knex = knexFactory({ client: 'pg', connection: databaseUrl });
  const signals = { network: '192.0.2.0/24', agent: 'Mozilla/ Firefox/', origin: null, elsewhere: false };
  try {
    await createEventStore({ knex }).append([eventOf({}, { signals }, Date.parse(`${YESTERDAY}T12:00:00Z`))]);
  } finally {
    await knex.destroy();
  }
};

/** Runs the shell blocks of a document one after another, as one script. @returns what it printed */
const runBlocks = async (document: string): Promise<string> => {
  // Inside the checkout, where packages are found.
  const folder = await mkdtemp(path.join(ROOT, '.cache', 'documents-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['dist', 'k8s']) await symlink(path.join(ROOT, name), path.join(folder, name));
  const script = codeBlocksOf(document)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) =>
      text
        .replaceAll('localhost:8787', new URL(replica.url).host)
        .replaceAll('pk_demo_…', apiKey)
        .replaceAll('2026-11-20', YESTERDAY)
        .replaceAll('2026-11-01', YESTERDAY)
        // It would wait for a minute and the life of a token.
        .replaceAll(' --wait', ''),
    );
  const { stdout } = await promisify(execFile)('bash', ['-c', ['set -eo pipefail', STAND_INS, ...script].join('\n')], { cwd: folder, env });
  return stdout;
};

test.each(
  [...new Set(BLOCKS.filter(({ language }) => language === 'sh').map(({ document }) => document))].filter(
    (name) => !RUN_BY_ITSELF.includes(name),
  ),
)(
  'the commands of %s run',
  async (document) => {
    const printed = await runBlocks(document);
    if (document === 'docs/operations.md') expect(printed).toContain('The schema is the newest already.');
  },
  120_000,
);

test('the commands of the tutorial book a campaign, request, count and explain an ad', async () => {
  const printed = (await runBlocks('docs/tutorial.md')).trim().split('\n');
  expect(printed.slice(-6)).toEqual(
    ['<b>Boots</b>', '200', '1', '9', 'frequency_capped', '503'].map((line) => expect.stringContaining(line)),
  );
}, 120_000);

test('the request of the README is answered as it says', async () => {
  const answer = JSON.parse((await runBlocks('README.md')).trim().split('\n').at(-1)!) as object;
  const [shown] = codeBlocksOf('README.md').filter(({ language }) => language === 'json');
  for (const name of namesIn(JSON.parse(shown!.text))) expect(namesIn(answer)).toContain(name);
});

const LINE_ITEM = 'https://api.test/#/components/schemas/LineItem';
const BIDDER = 'https://api.test/#/components/schemas/Bidder';

test('every JSON block is a body, a bidder, or the targeting of a line item, that the API describes', async () => {
  const document = (await (await fetch(`${replica.url}/api/openapi.json`)).json()) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'https://api.test/', ...document });
  const answerOf = (status: number, type: string): string =>
    `https://api.test/#/paths/~1ad/post/responses/${status}/content/application~1${type}/schema`;
  const blocks = BLOCKS.filter(({ language }) => language === 'json');
  expect(blocks.length).toBeGreaterThan(1);
  for (const { document: name, text } of blocks) {
    const body = JSON.parse(text) as object;
    const schema =
      'seatbid' in body
        ? answerOf(200, 'json')
        : 'code' in body
          ? answerOf(400, 'problem%2Bjson')
          : 'endpoint' in body
            ? BIDDER
            : `${LINE_ITEM}/properties/targeting`;
    const valid = ajv.compile({ $ref: schema });
    expect([name, valid(body) || valid.errors]).toEqual([name, true]);
  }
});

test('every block of code is in a language that a test runs, draws or checks', () => {
  const known = ['sh', 'json', 'html', 'js', 'css', 'mermaid'];
  // Drawings in plain text.
  const other = BLOCKS.filter(({ language, document }: CodeBlock) => !known.includes(language) && document !== 'docs/architecture.md');
  expect(other).toEqual([]);
});

/** The names of all members, at any depth, in arrays of objects too. */
const namesIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, member]) => [...(Array.isArray(value) ? [] : [name]), ...namesIn(member)])
    : [];
