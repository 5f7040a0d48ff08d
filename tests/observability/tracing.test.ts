import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { browse, BROWSER_HEADERS } from '../../testkit/person.ts';
import { startBidder, type Bidder } from '../../testkit/start-bidder.ts';
import { startCollector, type CollectedSpan, type Collector } from '../../testkit/start-collector.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

let bidder: Bidder;
let collector: Collector;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  bidder = await startBidder(() => 5);
  atEnd(bidder.close);
  collector = await startCollector();
  atEnd(collector.close);
  const databaseUrl = await testDatabase();
  const creatives = [{ placement_id: 'top' }];
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'P',
        domain: 'p.example',
        api_key: 'key',
        placements: [{ id: 'top', width: 300, height: 250, formats: ['html'] }],
        campaigns: [
          {
            line_items: [
              { name: 'direct', budget: 100, creatives },
              { name: 'programmatic', type: 'programmatic', endpoint: bidder.endpoint, creatives },
            ],
          },
        ],
      },
    ],
  });
  env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: await testRedisUrl(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_SERVICE_NAME: 'ads-of-the-test',
    TRACE_BIDDERS: '127.0.0.1',
    // Each ad request calls Redis.
    ALLOWANCES: 'off',
  };
});

let traces = 0;
/** A caller's trace, another one each time. */
const newTrace = (flags = '01') => {
  const traceId = (++traces).toString(16).padStart(32, 'a');
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` } };
};

const askForAd = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${url}/ad`, {
    method: 'POST',
    headers: { ...BROWSER_HEADERS, 'X-API-Key': 'key', ...headers },
    body: JSON.stringify({ id: '1', imp: [{ id: '1', tagid: 'top' }], user: { id: 'ann' }, ext: { publisher_id: 1 } }),
  });

const impressionUrl = async (url: string): Promise<string> => {
  const ad = (await (await askForAd(url)).json()) as { seatbid: { bid: { impurl: string }[] }[] };
  return ad.seatbid[0]!.bid[0]!.impurl;
};

const spansOf = (traceId: string): readonly CollectedSpan[] => collector.spans().filter((span) => span.traceId === traceId);

/** `parent > child` for each span, by name; the caller's span is called caller. */
const treeOf = (traceId: string): readonly string[] => {
  const spans = spansOf(traceId);
  const nameOf = (spanId: string): string =>
    spanId === '00f067aa0ba902b7' ? 'caller' : (spans.find((span) => span.spanId === spanId)?.name ?? `unknown ${spanId}`);
  return spans.map(({ name, parentSpanId }) => `${nameOf(parentSpanId)} > ${name}`).sort();
};

describe('a replica with a collector', () => {
  let url: string;
  let logs: () => string;
  beforeAll(async () => {
    const replica = await startReplica({ env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } });
    ({ url, logs } = replica);
    // The first calls load the functions into Redis.
    await browse(url + (await impressionUrl(url)));
  });

  test('shows the stages of an ad request under the span of its caller', async () => {
    const { traceId, headers } = newTrace();
    const response = await askForAd(url, headers);
    expect([response.status, response.headers.get('x-request-id')]).toEqual([200, traceId]);
    await eventually(() =>
      expect(treeOf(traceId)).toEqual([
        'POST /ad > bidders',
        'POST /ad > candidates',
        'POST /ad > rank',
        'POST /ad > reserve',
        'bidders > POST',
        'caller > POST /ad',
        'reserve > FCALL ads_reserve',
      ]),
    );
    const spans = spansOf(traceId);
    const root = spans.find(({ name }) => name === 'POST /ad')!;
    expect(root).toMatchObject({
      kind: 'server',
      failed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/ad',
        'http.response.status_code': 200,
        'url.path': '/ad',
        'ad_server.request_id': traceId,
      },
      resource: { 'service.name': 'ads-of-the-test', 'service.version': '0.1.0' },
    });
    expect(spans.find(({ name }) => name === 'POST')).toMatchObject({ kind: 'client', attributes: { 'server.address': '127.0.0.1' } });
    expect(spans.find(({ name }) => name === 'FCALL ads_reserve')).toMatchObject({
      kind: 'client',
      attributes: { 'db.system.name': 'redis', 'db.stored_procedure.name': 'ads_reserve' },
    });
    // Neither the user, the key nor the address.
    expect(JSON.stringify(spans, (_, value: unknown) => (typeof value === 'bigint' ? '' : value))).not.toMatch(/ann"|"key"|impression\?t=/);
  });

  test('measures every stage of a request by one clock, so that none is seen outside of what it belongs to', async () => {
    const requests = Array.from({ length: 20 }, () => newTrace());
    for (const { headers } of requests) await askForAd(url, headers);
    await eventually(() => expect(requests.map(({ traceId }) => spansOf(traceId).length)).toEqual(requests.map(() => 7)));
    const outside = requests
      .flatMap(({ traceId }) => spansOf(traceId))
      .filter(({ traceId, parentSpanId, startNs, endNs }) => {
        const parent = spansOf(traceId).find(({ spanId }) => spanId === parentSpanId);
        return parent && (startNs < parent.startNs || endNs > parent.endNs);
      });
    expect(outside.map(({ name }) => name)).toEqual([]);
  });

  test('continues the trace at a listed bidder, and not where consent forbids sharing', async () => {
    const { traceId, headers } = newTrace();
    await askForAd(url, headers);
    await eventually(() => expect(treeOf(traceId)).toContain('bidders > POST'));
    const call = spansOf(traceId).find(({ name }) => name === 'POST')!;
    expect(bidder.headers.at(-1)!['traceparent']).toBe(`00-${traceId}-${call.spanId}-01`);

    const optedOut = newTrace();
    await askForAd(url, { ...optedOut.headers, 'Sec-GPC': '1' });
    await eventually(() => expect(treeOf(optedOut.traceId)).toContain('bidders > POST'));
    expect(bidder.headers.at(-1)).not.toHaveProperty('traceparent');
  });

  test('shows the Redis call of a pixel, without its token', async () => {
    const impurl = await impressionUrl(url);
    const { traceId, headers } = newTrace();
    expect((await browse(url + impurl, headers)).status).toBe(200);
    await eventually(() => expect(treeOf(traceId)).toEqual(['GET /impression > FCALL ads_settle', 'caller > GET /impression']));
    expect(spansOf(traceId).map(({ attributes }) => attributes['url.path'] ?? '')).toEqual(expect.arrayContaining(['/impression']));
  });

  test('shows the queries of the trafficking API, named after their route', async () => {
    const { traceId, headers } = newTrace();
    expect((await fetch(`${url}/api/line_items/1/delivery`, { headers })).status).toBe(200);
    await eventually(() => expect(spansOf(traceId).map(({ name }) => name)).toContain('GET /api/line_items/:id/delivery'));
    const names = treeOf(traceId).map((edge) => edge.split(' > ')[1]);
    expect(names).toContain('SELECT');
    const query = spansOf(traceId).find(({ name }) => name === 'SELECT')!;
    expect(query).toMatchObject({
      kind: 'client',
      attributes: { 'db.system.name': 'postgresql', 'db.query.text': expect.stringMatching(/^select /i) },
    });
    expect(spansOf(traceId).filter(({ attributes }) => attributes['db.system.name'] === 'redis')).not.toEqual([]);
  });

  test('marks the span of a refused request with its status and the id that the client chose', async () => {
    const { traceId, headers } = newTrace();
    const response = await fetch(`${url}/nowhere`, { headers: { ...headers, 'X-Request-Id': 'order-81' } });
    expect(await response.json()).toMatchObject({ code: 'not_found', request_id: 'order-81' });
    await eventually(() => expect(treeOf(traceId)).toEqual(['caller > GET']));
    expect(spansOf(traceId)[0]!.attributes).toMatchObject({ 'http.response.status_code': 404, 'ad_server.request_id': 'order-81' });
  });

  test('does not trace what its caller did not sample, and a hundredth of the rest', async () => {
    const unsampled = newTrace('00');
    await askForAd(url, unsampled.headers);
    const before = collector.spans().filter(({ parentSpanId }) => parentSpanId === '').length;
    for (let i = 0; i < 100; i++) await (await fetch(`${url}/version`)).arrayBuffer();
    const { traceId, headers } = newTrace();
    await askForAd(url, headers);
    await eventually(() => expect(spansOf(traceId).length).toBe(7));
    expect(spansOf(unsampled.traceId)).toEqual([]);
    // 1 of 100 expected; 15 or more has a chance of 10^-12.
    expect(collector.spans().filter(({ parentSpanId }) => parentSpanId === '').length - before).toBeLessThan(15);
  });

  test('writes the ids of the trace into the log lines of its request', async () => {
    const { traceId, headers } = newTrace();
    await fetch(`${url}/api/line_items`, { headers: { ...headers, Origin: 'https://elsewhere.example' } });
    await eventually(() => expect(logs()).toContain(`"traceId":"${traceId}"`));
    const line = JSON.parse(
      logs()
        .split('\n')
        .find((text) => text.includes(traceId))!,
    ) as object;
    expect(line).toMatchObject({
      level: 'warn',
      message: 'A call of the trafficking API was refused',
      spanId: expect.stringMatching(/^\w{16}$/),
    });
  });
});

test('a collector that is away costs no ad, and is logged', async () => {
  const { url, logs } = await startReplica({
    env: {
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    },
  });
  expect((await askForAd(url)).status).toBe(200);
  await eventually(() => expect(logs()).toContain('Traces could not be exported'));
  expect((await askForAd(url)).status).toBe(200);
});

/** The scripts that a replica had loaded when it ended. */
const scriptsOf = async (settings: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  const folder = temporaryFolder();
  const replica = await startReplica({ env: { ...settings, NODE_V8_COVERAGE: folder } });
  expect((await askForAd(replica.url, newTrace().headers)).headers.get('x-request-id') === null).toBe(
    !settings['OTEL_EXPORTER_OTLP_ENDPOINT'],
  );
  await replica.stop();
  return readdirSync(folder).flatMap((name) =>
    (JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
};

test('without a collector OpenTelemetry is not loaded', async () => {
  // prom-client loads the api package, which has no code that traces.
  const isTracing = (script: string): boolean => /@opentelemetry\/(?!api\/)|open-telemetry/.test(script);
  expect((await scriptsOf({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint })).filter(isTracing).length).toBeGreaterThan(10);
  const without = await scriptsOf(env);
  expect(without.some((script) => script.endsWith('/dist/main.js'))).toBe(true);
  expect(without.filter(isTracing)).toEqual([]);
});
