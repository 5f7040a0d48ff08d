import knexFactory, { type Knex } from 'knex';
import { createShares, isChosen } from '../../src/serving/visitor-shares.ts';
import { createSampleStore, forgetSampled } from '../../src/forecast/sample/sample-store.ts';
import { samplePseudonym, type SampledRequest } from '../../src/forecast/sample/sampled-request.ts';
import { createTrafficSample } from '../../src/forecast/sample/traffic-sample.ts';
import type { AdRequest } from '../../src/serving/ad-request.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { createChance } from '../../testkit/chance.ts';
import { testDatabase } from '../setup/test-database.ts';

const SILENT = { warn: () => undefined, error: () => undefined, debug: () => undefined, deprecate: () => undefined };
const NOW = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;
const KEY = 'a'.repeat(64);

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase() });
});
afterAll(() => knex.destroy());

const request = (userHash: string | null, changes: Partial<AdRequest> = {}): AdRequest =>
  ({
    publisher: { id: 1 },
    imps: [{ impId: '1', placementId: 'top', width: 300, height: 250, otherSizes: [], targeting: undefined, terms: undefined }],
    query: {
      atMs: NOW,
      mayRemember: userHash !== null,
      targeting: targetingQuery(new Map(), { country: 'FI', device: 'mobile', city: 'Oulu' }, { section: 'sport' }, (kind) =>
        kind === 'languages' ? ['fi'] : kind === 'schedule' ? ['p108', 'p108.0', 'v112', 'v112.0'] : [],
      ),
    },
    userHash,
    seal: undefined,
    pageView: 'view-1',
    consent: { remember: null, measure: userHash === null ? 'tcf' : null, profile: null, shareWith: () => null },
    ...changes,
  }) as unknown as AdRequest;

const sampleOf = (store: Parameters<typeof createTrafficSample>[0]['store'], perDay = 50_000) => {
  const dropped: number[] = [];
  const sample = createTrafficSample({
    store,
    perDay,
    now: () => NOW,
    onDropped: (count) => dropped.push(count),
    onFailure: () => undefined,
  });
  return { sample, dropped };
};

it('keeps what targeting reads of a visitor under a pseudonym of its own, and forgets it', async () => {
  const store = createSampleStore({ knex });
  const { sample } = sampleOf(store);
  sample.note(request('user-hash-of-ann-12345'), KEY);
  await sample.flush();
  const [kept] = await store.read(1, NOW - DAY, NOW + DAY);
  expect(kept).toMatchObject({
    atMs: NOW,
    weight: 1,
    isRemembered: true,
    placements: ['top'],
    sizes: ['300x250'],
    floorMicros: null,
    visitorOffset: 8,
  });
  expect(kept?.pairs).toEqual(expect.arrayContaining(['countries7:country=FI', 'key_values7:section=sport', 'languages8:language=fi']));
  expect(kept?.visitor).toBe(samplePseudonym(KEY, 1, 'user-hash-of-ann-12345'));
  expect(JSON.stringify(kept)).not.toContain('user-hash');
  expect(JSON.stringify(kept)).not.toContain('view-1');
  expect(await forgetSampled(knex, [kept!.visitor])).toBe(1);
  expect((await store.read(1, NOW - DAY, NOW + DAY))[0]).toMatchObject({ visitor: '', pageView: 0, isRemembered: false });
});

it('counts a visitor who may not be measured by country, device and place alone', async () => {
  const store = createSampleStore({ knex });
  const { sample } = sampleOf(store);
  sample.note(request(null, { publisher: { id: 2 } as AdRequest['publisher'] }), KEY);
  await sample.flush();
  const [kept] = await store.read(2, NOW - DAY, NOW + DAY);
  expect(kept).toMatchObject({ visitor: '', pageView: 0, isRemembered: false, visitorOffset: null });
  expect(kept?.pairs).toEqual(['countries7:country=FI', 'devices6:device=mobile']);
});

it('adapts its share to the requests of the day before, and keeps the visitors of a smaller share', () => {
  const shares = createShares(1_000);
  const visitors = Array.from({ length: 4_000 }, (_, i) => `${(i * 7919).toString(36).padStart(6, 'q')}`);
  const chosen = (): ReadonlySet<string> => new Set(visitors.filter((visitor) => isChosen(shares.of(1), visitor)));
  shares.adapt(new Map([[1, 4_000]]));
  const quarter = chosen();
  expect(shares.of(1).weight).toBe(4);
  expect(Math.abs(quarter.size - 1_000)).toBeLessThan(120);
  shares.adapt(new Map([[1, 8_000]]));
  const eighth = chosen();
  expect([...eighth].every((visitor) => quarter.has(visitor))).toBe(true);
  expect(Math.abs(eighth.size - 500)).toBeLessThan(90);
});

it('halves its share as the requests of a day double, on the first day of a publisher too, and takes none from a quieter day', async () => {
  const store = createSampleStore({ knex });
  let nowMs = NOW;
  const sample = createTrafficSample({
    store,
    perDay: 100,
    now: () => nowMs,
    onDropped: () => undefined,
    onFailure: (fault) => {
      throw fault;
    },
  });
  const publisher = { id: 4 } as AdRequest['publisher'];
  const weights: number[] = [];
  for (const [at, requests] of [
    ['2026-11-20T10:00Z', 90],
    ['2026-11-20T11:00Z', 810],
    ['2026-11-20T12:00Z', 2_400],
    ['2026-11-21T10:00Z', 10],
  ] as const) {
    await knex('request_days').insert({
      day: at.slice(0, 10),
      publisher_id: 4,
      placement_id: `from ${at}`,
      reason: '',
      size: '',
      requests,
    });
    nowMs = Date.parse(at);
    await sample.flush();
    const before = (await store.read(4, 0, NOW + 9 * DAY)).length;
    for (let i = 0; i < 400; i++) sample.note(request(null, { publisher }), KEY);
    await sample.flush();
    const kept = (await store.read(4, 0, NOW + 9 * DAY)).slice(before);
    weights.push(kept.at(-1)!.weight);
    expect(kept.length).toBeCloseTo(400 / kept.at(-1)!.weight, -1);
  }
  expect(weights).toEqual([1, 8, 32, 32]);
});

it('represents all requests, whatever its share and however much a few visitors look at', () => {
  const chance = createChance(7);
  const name = (): string => Array.from({ length: 6 }, () => Math.floor(36 * chance()).toString(36)).join('');
  for (const weight of [1, 4, 16]) {
    const shares = createShares(1);
    shares.adapt(new Map([[1, weight]]));
    const share = shares.of(1);
    // Of sites of five hundred visitors, most of whom come once and some a hundred times.
    const ratios = Array.from({ length: 120 }, () => {
      let [all, sampled] = [0, 0];
      for (let visitor = 0; visitor < 500; visitor++) {
        const requests = Math.min(Math.ceil((1 - chance()) ** -0.7), 100);
        all += requests;
        if (isChosen(share, name())) sampled += requests * share.weight;
      }
      return sampled / all;
    });
    const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
    const deviation = Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / ratios.length);
    expect(Math.abs(mean - 1)).toBeLessThanOrEqual((3 * deviation) / Math.sqrt(ratios.length));
  }
});

it('drops and counts what Postgres refuses', async () => {
  const gone = knexFactory({ client: 'pg', connection: 'postgres://nobody@127.0.0.1:1/none', acquireConnectionTimeout: 500, log: SILENT });
  const { sample, dropped } = sampleOf(createSampleStore({ knex: gone }));
  sample.note(request('user-hash-of-ann-12345'), KEY);
  await sample.flush();
  expect(dropped).toEqual([1]);
  await gone.destroy();
});

it('deletes what is older than 35 days', async () => {
  const store = createSampleStore({ knex });
  const old: SampledRequest = {
    ...{ publisherId: 3, weight: 1, visitor: 'v', pageView: 0, isRemembered: true, floorMicros: null, visitorOffset: null },
    ...{ atMs: NOW - 36 * DAY, placements: ['top'], sizes: [''], pairs: ['key_values1:a={"b"}, c\\d'] },
  };
  await store.add([old, { ...old, atMs: NOW - 34 * DAY }]);
  await store.prune(NOW);
  expect(await store.read(3, 0, NOW)).toEqual([{ ...old, atMs: NOW - 34 * DAY }]);
});
