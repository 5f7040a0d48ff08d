import knexFactory, { type Knex } from 'knex';
import type { RoleName } from '../../src/access/permissions.ts';
import { unlimitedCaller } from '../../src/access/caller.ts';
import type { RouteDefinition } from '../../src/api/route.ts';
import { createRecordReach } from '../../src/bookings/record-scope.ts';
import { ENTITY_TABLES } from '../../src/catalog/entities/entities.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';
import { createChance, type Chance } from '../../testkit/chance.ts';
import type { ApiAnswer, ApiCall } from '../api/api-client.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { furnish, type Furnished } from './furnish.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

/*
 * Random questions of callers for a publisher and for one of its advertisers. Others have another word in every text and
 * other digits in every id and figure: none of them may be in an answer. And a question that names one of them must be
 * answered as the same question about what does not exist.
 */

const SEED = Number(process.env['LEAK_SEED'] || 20_261_125);
const QUESTIONS = Number(process.env['LEAK_QUESTIONS'] || 1_200);
const READS = Object.entries(allRoutes(['like'])).filter(([, { access = 'staff', method }]) => access === 'staff' && method === 'GET');

type Reach = 'one' | 'booked';
/** Words, ids and figures of others: those of another advertiser are for its publisher to know. */
const OTHERS: Readonly<Record<Reach, RegExp>> = { one: /sesame|9000\d\d/i, booked: /sesame|9000\d\d|millet|8000\d\d|fennel/i };
const CALLERS: readonly { readonly role: RoleName; readonly reach: Reach }[] = [
  { role: 'administrator', reach: 'one' },
  { role: 'viewer', reach: 'one' },
  { role: 'administrator', reach: 'booked' },
  { role: 'trafficker', reach: 'booked' },
  { role: 'advertiser', reach: 'booked' },
  { role: 'buyer', reach: 'booked' },
];

let replica: Replica;
let machine: ApiCall;
let knex: Knex;
let own: Furnished['ids'];
let beside: Furnished['ids'];
let foreign: Furnished['ids'];
const calls = new Map<string, ApiCall>();

const beginIdsAt = async (id: number): Promise<void> => {
  for (const table of ENTITY_TABLES.filter((one) => one !== 'placements'))
    await knex.raw(`alter table ${table} alter column id restart with ${id}`);
};

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: MACHINE };
  replica = await startReplica({ env: { ...env, NODE_ENV: 'production', ADMIN_ENABLED: 'true' } });
  machine = callWith(replica.url, MACHINE);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  own = (await furnish({ machine, knex, word: 'barley', impressions: 41, bidderWord: 'fennel' })).ids;
  await beginIdsAt(800_001);
  beside = (await furnish({ machine, knex, word: 'millet', impressions: 800_066, publisher: own.publishers })).ids;
  await beginIdsAt(900_001);
  foreign = (await furnish({ machine, knex, word: 'sesame', impressions: 900_077 })).ids;
  for (const { role, reach } of CALLERS) {
    const publishers = reach === 'one' ? [Number(own.publishers)] : null;
    const advertisers = reach === 'booked' ? [Number(own.advertisers)] : null;
    const token = await tokenOf(machine, `${role} ${reach}`, [role], publishers, advertisers);
    calls.set(`${role} ${reach}`, callWith(replica.url, token));
  }
});
afterAll(() => knex.destroy());

const pick = <T>(chance: Chance, of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;

/** A value for a parameter: of its schema, or an id, a word or a day of anyone. */
const valueFor = (chance: Chance, name: string, schema: object): string => {
  const { enum: choices, items, type } = schema as { readonly enum?: readonly unknown[]; readonly items?: object; readonly type?: unknown };
  if (items) return Array.from({ length: 1 + Math.floor(chance() * 3) }, () => valueFor(chance, name, items)).join(',');
  if (choices) return String(pick(chance, choices));
  if (name === 'limit' || name === 'offset') return String(Math.floor(chance() * 4));
  if (name === 'month') return new Date().toISOString().slice(0, 7);
  if (['from', 'to', 'day'].includes(name)) return new Date(Date.now() - Math.floor(chance() * 3) * 86_400_000).toISOString().slice(0, 10);
  const ids = [own, beside, foreign].flatMap((of) => Object.values(of));
  const words = ['barley', 'sesame', 'sesa', 'millet', 'mill', 'fennel', 'boots', 'x', '%', ''];
  return String(pick(chance, type === 'integer' || name.startsWith('filter[') ? ids : [...ids, ...words]));
};

const questionOf = (chance: Chance, { path, parameters = {} }: RouteDefinition): string => {
  const asked = path.replace('/api', '').replaceAll(/\{(\w+)\}/g, () => encodeURIComponent(valueFor(chance, 'id', {})));
  const query = Object.entries(parameters).flatMap(([name, { in: place, schema }]) =>
    place === 'query' && chance() < 0.35 ? [`${encodeURIComponent(name)}=${encodeURIComponent(valueFor(chance, name, schema))}`] : [],
  );
  return query.length > 0 ? `${asked}?${query.join('&')}` : asked;
};

/** The same question or answer about what does not exist. */
const renamed = (text: string): string =>
  text
    .replaceAll(/sesa/gi, 'qxsa')
    .replaceAll(/mill/gi, 'qxll')
    .replaceAll(/fennel/gi, 'qxnnel')
    .replaceAll(/9000(\d\d)/g, '7000$1')
    .replaceAll(/8000(\d\d)/g, '6000$1');
/** The same, where the words and ids of another advertiser are known. */
const renamedForeign = (text: string): string => text.replaceAll(/sesa/gi, 'qxsa').replaceAll(/9000(\d\d)/g, '7000$1');

const RANDOM_HEADERS = ['etag', 'x-request-id', 'date', 'content-length'];
const said = ({ status, headers, body }: ApiAnswer): string => {
  const shown = body?.instance === undefined ? body : { ...body, instance: '', request_id: '' };
  const text = JSON.stringify([status, [...headers].filter(([name]) => !RANDOM_HEADERS.includes(name)), shown]);
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
};

test(`${QUESTIONS} random questions: no answer, total, suggestion, error or header has a word, an id or a figure of others`, async () => {
  const chance = createChance(SEED);
  let answered = 0;
  let compared = 0;
  for (let i = 0; i < QUESTIONS; i++) {
    const [id, route] = pick(chance, READS);
    const { role, reach } = pick(chance, CALLERS);
    const call = calls.get(`${role} ${reach}`)!;
    const question = questionOf(chance, route);
    const where = `seed ${SEED}, question ${i}: ${id} ${question} by a ${role} of ${reach}`;
    const rename = reach === 'one' ? renamedForeign : renamed;
    const answer = await call('GET', question);
    expect([where, answer.status >= 500 || answer.status === 401]).toEqual([where, false]);
    if (answer.status === 200) answered++;
    if (rename(question) === question) {
      expect([where, OTHERS[reach].exec(said(answer))?.[0]]).toEqual([where, undefined]);
      continue;
    }
    compared++;
    const twin = await call('GET', rename(question));
    expect([where, rename(said(answer))]).toEqual([where, rename(said(twin))]);
  }
  expect([answered > QUESTIONS / 6, compared > QUESTIONS / 8]).toEqual([true, true]);
});

test('the record of another and one that does not exist take the same number of queries, for every route that names one', async () => {
  const counting = knexFactory({ client: 'pg', connection: knex.client.config.connection });
  let queries = 0;
  counting.on('query', () => queries++);
  const reach = createRecordReach({ knex: counting });
  const caller = { ...unlimitedCaller('x'), publishers: [Number(own.publishers)], advertisers: [Number(own.advertisers)] };
  let walked = 0;
  try {
    for (const [id, route] of Object.entries(allRoutes(['like']))) {
      const table = ENTITY_TABLES.find((one) => route.path.startsWith(`/api/${one}/{id}`));
      if (!table || route.reach === undefined || route.reach === 'any' || route.path.endsWith('/restore')) continue;
      const asked: unknown[] = [];
      for (const one of [foreign[table], table === 'placements' ? 'no-such-place' : 2_000_000_000]) {
        queries = 0;
        asked.push([id, await reach(route, caller, one), queries]);
      }
      expect(asked[0]).toEqual(asked[1]);
      expect(asked[0]).toEqual([id, expect.objectContaining({ kind: 'refused' }), 1]);
      walked++;
    }
  } finally {
    await counting.destroy();
  }
  expect(walked).toBeGreaterThan(30);
});

test('what another publisher deleted cannot be restored, as if it had not been there; one’s own can', async () => {
  const call = calls.get('administrator one')!;
  const restore = async (table: string, id: string | number) =>
    said(await call('POST', `/${table}/${id}/restore`)).replaceAll(String(id), '');
  for (const table of ['creatives', 'line_items', 'campaigns', 'placements', 'publishers'] as const) {
    await machine('DELETE', `/${table}/${foreign[table]}`);
    const nothing = table === 'placements' ? 'no-such-place' : 2_000_000_000;
    expect([table, await restore(table, foreign[table])]).toEqual([table, await restore(table, nothing)]);
  }
  await machine('DELETE', `/campaigns/${own.campaigns}`);
  const { status, body } = await calls.get('trafficker booked')!('POST', `/campaigns/${own.campaigns}/restore`);
  expect([status, body.name]).toEqual([200, 'barley autumn']);
});
