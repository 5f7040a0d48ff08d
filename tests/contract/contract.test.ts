import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bookCatalog, type CatalogBooking } from '../../testkit/book-catalog.ts';
import { BROWSER_HEADERS } from '../../testkit/person.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { responseFaults } from '../http/auction-schemas.ts';
import { differences, valueAt } from './match.ts';

/** One exchange; `capture` keeps parts of the answer, by JSON pointer, to be written as ${name} in later steps, ${name:token} for the token in a URL. */
interface Step {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    /** Sent unchanged, for bodies that are not JSON. */
    readonly text?: string;
  };
  readonly answer: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly body?: unknown;
    readonly text?: string;
  };
  readonly capture?: Readonly<Record<string, string>>;
}

interface Case {
  readonly says: string;
  readonly steps: readonly Step[];
}

const FOLDER = path.join(__dirname, 'cases');
const KINDS = ['lesson', 'refusal', 'malformed'];
const catalog = JSON.parse(readFileSync(path.join(__dirname, 'catalog.json'), 'utf8')) as CatalogBooking;
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

let replica: Replica;
beforeAll(async () => {
  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, catalog);
  const CURRENCY_RATES = path.join(__dirname, 'rates.json');
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), CURRENCY_RATES } });
});

const fill = (text: string, captured: ReadonlyMap<string, string>): string =>
  text.replace(/\$\{(\w+)(:token)?\}/g, (_, name: string, token?: string) => {
    const value = captured.get(name);
    if (value === undefined) throw new Error(`nothing was captured as ${name}`);
    return token ? (new URL(value, 'http://localhost').searchParams.get('t') as string) : value;
  });

async function play({ request, answer, capture = {} }: Step, captured: Map<string, string>): Promise<readonly string[]> {
  const body = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const response = await fetch(replica.url + fill(request.path, captured), {
    method: request.method,
    headers: { ...BROWSER_HEADERS, ...(JSON.parse(fill(JSON.stringify(request.headers ?? {}), captured)) as typeof request.headers) },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: fill(body, captured) }),
  });
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const json: unknown = isJson ? JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) : undefined;
  for (const [name, pointer] of Object.entries(capture)) captured.set(name, String(valueAt(json, pointer)));
  const headers = Object.fromEntries(response.headers);
  return [
    ...differences(answer.status, response.status, 'status'),
    ...differences(answer.headers ?? {}, headers, 'headers'),
    ...(answer.body === undefined ? [] : differences(JSON.parse(fill(JSON.stringify(answer.body), captured)), json, 'body')),
    ...(request.path.startsWith('/openrtb2/') && response.status === 200 ? responseFaults(json) : []),
    ...(answer.text === undefined ? [] : differences(answer.text, text, 'text')),
  ];
}

describe.each(KINDS)('the contract: %s', (kind) => {
  const cases = files
    .filter((name) => name.startsWith(`${kind}-`))
    .map((name) => ({ name, ...(JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as Case) }));

  it.each(cases)('$says ($name)', async ({ steps }) => {
    const captured = new Map<string, string>();
    let isLoaded = true;
    for (const [i, step] of steps.entries()) {
      const isApi = step.request.path.startsWith('/api/');
      // What was booked is live within a second on a machine that has time for it.
      if (!isApi && !isLoaded) await fetch(`${replica.url}/reload`, { method: 'POST' });
      isLoaded = !isApi;
      expect({ step: i + 1, differences: await play(step, captured) }).toEqual({ step: i + 1, differences: [] });
    }
  });
});

it('names every case after its kind', () => {
  expect(files.filter((name) => !KINDS.some((kind) => name.startsWith(`${kind}-`)))).toEqual([]);
});
