import { componentOf, exampleOf } from '../../src/api/component.ts';
import { problemsOf } from '../../src/api/problem-answers.ts';
import type { RouteDefinition } from '../../src/api/route.ts';
import { allowedMethods } from '../../src/api/serve-routes.ts';
import { groupBy } from '../../src/base/group-by.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book, itemsOf, type ApiCall, type Json } from './api-client.ts';

const TOKEN = 'the-token-of-the-walk';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const ROUTES = Object.entries(allRoutes(['like']));
const STAFF = ROUTES.filter(([, { access = 'staff' }]) => access === 'staff');
/** Bodies of JSON. */
const WITH_BODY = ROUTES.filter(([, { body }]) => body && !body.content);

let replica: Replica;
/** Of a link to proofs: their routes know no other. */
let proofToken: string;

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `tester:${TOKEN}` };
  replica = await startReplica({ env });
  const call = apiOf(replica.url);
  const staff: ApiCall = (method, path, body) => call(method, path, body, { Authorization: `Bearer ${TOKEN}` });
  const { campaign } = await book(staff, 'walked');
  proofToken = (await staff('POST', '/proof_links', { campaign_id: campaign })).body.token;
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly allow: string | null;
  readonly body: Json;
}

/** Steps of a path that no record has: what is walked must stay. */
const at = (path: string, id = '2147483647'): string => path.replaceAll(/\{\w+\}/g, id);

const ask = async (method: string, path: string, body?: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const answer = await fetch(`${replica.url}${path}`, {
    ...{
      method,
      redirect: 'manual',
      headers: { Authorization: `Bearer ${path.startsWith('/shared_proof') ? proofToken : TOKEN}`, ...headers },
    },
    ...(body !== undefined && { body }),
  });
  const type = answer.headers.get('content-type') ?? '';
  const text = await answer.text();
  return { status: answer.status, type, allow: answer.headers.get('allow'), body: type.includes('json') ? JSON.parse(text) : text };
};

/** That a refusal is a problem that the document of the route names. */
const expectDocumented = (where: string, route: RouteDefinition, { status, type, body }: Answer): void => {
  if (status < 400) return;
  expect([where, type, status]).toEqual([where, 'application/problem+json', body.status]);
  expect([where, problemsOf(route)]).toEqual([where, expect.arrayContaining([body.code])]);
};

test('a path answers 405 to every method that its routes do not have, and names those that it has', async () => {
  for (const [path, routes] of groupBy(ROUTES, ([, route]) => route.path)) {
    const known = routes.map(([, { method }]) => method);
    for (const method of METHODS.filter((one) => !known.some((each) => each === one))) {
      const { status, allow, body } = await ask(method, at(path));
      expect([method, path, status, body.code]).toEqual([method, path, 405, 'method_not_allowed']);
      const methods = (allow ?? '').split(', ').filter((one) => one !== 'OPTIONS');
      expect([path, methods.sort()]).toEqual([path, allowedMethods(known).split(', ').sort()]);
    }
  }
});

test('a route of staff answers 401 without a token, before it looks at anything else', async () => {
  for (const [id, { method, path }] of STAFF) {
    const answer = await fetch(`${replica.url}${at(path, 'a')}?limit=x`, { method, ...(method !== 'GET' && { body: '{' }) });
    expect([id, answer.status, (await answer.json()).code]).toEqual([id, 401, 'admin_unauthorized']);
  }
});

test('a step of a path that can be no id is a record that does not exist', async () => {
  for (const [id, route] of STAFF) {
    const step = Object.values(route.parameters ?? {}).find((parameter) => parameter.in === 'path');
    if (step?.schema['type'] !== 'integer') continue;
    for (const wrong of ['0', '-1', '1e3', '2147483648', '00000000001', '%00', 'x'.repeat(2_000)]) {
      const { status, body } = await ask(route.method, at(route.path, wrong), route.body && '{}');
      expect([id, wrong.slice(0, 20), status, body.code]).toEqual([id, wrong.slice(0, 20), 404, 'not_found']);
    }
  }
});

test('a value that a parameter does not take is refused at its pointer', async () => {
  const wrongs = ['wrong', '-1', '2026-13-40', '1'.repeat(30), 'ÿ\u0000', 'a,b', 'x'.repeat(5_000)];
  let refused = 0;
  for (const [id, route] of STAFF)
    for (const [name, parameter] of Object.entries(route.parameters ?? {})) {
      if (parameter.in !== 'query' || route.method !== 'GET') continue;
      for (const wrong of wrongs) {
        const where = `${id} ${name}=${wrong.slice(0, 20)}`;
        const answer = await ask('GET', `${at(route.path)}?${new URLSearchParams({ [name]: wrong })}`);
        expectDocumented(where, route, answer);
        expect([where, answer.status < 500]).toEqual([where, true]);
        const read = parameter.read([wrong]);
        if (read.ok) continue;
        refused++;
        const pointers = itemsOf(answer.body.errors ?? []).map(({ pointer }) => pointer);
        expect([where, answer.status, pointers]).toEqual([where, 400, expect.arrayContaining([expect.stringMatching(`^/${name}`)])]);
      }
    }
  expect(refused).toBeGreaterThan(300);
});

/** Bodies that are not what any route takes. */
const NO_RECORDS = ['null', '5', '"x"', '[]', '[[[[]]]]', '{"__proto__":{"x":1}}', '{"constructor":null}'];
/** Values for each member of an example. */
const ODD_VALUES = [null, {}, [], -1, 1e300, '', '\u0000', 'x'.repeat(3_000), [null], { a: 1 }];

const exampleOfRoute = ({ body }: RouteDefinition): unknown => {
  const { example, forms, schema } = body ?? {};
  const [form] = forms ?? [];
  return example ?? (form ? componentOf(form)?.example : schema && exampleOf(schema));
};

test('a body that is not JSON, too large or encoded in an unknown way is refused, and no body ends in an error of the service', async () => {
  for (const [id, route] of WITH_BODY) {
    const { method, path, access = 'staff' } = route;
    const send = (body: string, headers?: Readonly<Record<string, string>>) => ask(method, at(path, '1'), body, headers);
    if (path !== '/test/bid') {
      // A stranger is asked for the key first.
      const broken = await send('{');
      expect([id, broken.status, broken.body.code]).toEqual([id, 400, 'invalid_json']);
      const encoded = await send('{}', { 'Content-Encoding': 'snappy' });
      expect([id, encoded.status, encoded.body.code]).toEqual([id, 415, 'unsupported_media']);
    }
    for (const body of NO_RECORDS) {
      const answer = await send(body);
      expectDocumented(`${id} ${body}`, route, answer);
      expect([id, body, answer.status < 500]).toEqual([id, body, true]);
      if (access === 'staff' && !body.startsWith('{')) expect([id, body, [400, 404].includes(answer.status)]).toEqual([id, body, true]);
    }
  }
});

test('no value of any member of a body ends in an error of the service, and every refusal is one that the document names', async () => {
  let refused = 0;
  for (const [id, route] of WITH_BODY) {
    const example = exampleOfRoute(route);
    for (const [member] of Object.entries(example as object))
      for (const value of ODD_VALUES) {
        const where = `${id} ${member}=${JSON.stringify(value).slice(0, 20)}`;
        const answer = await ask(route.method, at(route.path), JSON.stringify({ ...(example as object), [member]: value }));
        expectDocumented(where, route, answer);
        expect([where, answer.status < 500]).toEqual([where, true]);
        if (answer.status >= 400) refused++;
      }
  }
  expect(refused).toBeGreaterThan(500);
});
