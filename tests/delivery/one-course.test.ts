import fc from 'fast-check';
import knexFactory, { type Knex } from 'knex';
import { createFindAlerts } from '../../src/alerts/find-alerts.ts';
import { dateOfDay, dayOf, MS_PER_DAY } from '../../src/base/utc-day.ts';
import { createEntityReader } from '../../src/bookings/entity-reader.ts';
import { ENTITY_KINDS } from '../../src/bookings/entity-kind.ts';
import { MAX_BEHIND } from '../../src/catalog/model/alert-kinds.ts';
import { createCatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import { openSnapshot } from '../../src/catalog/snapshot/open-snapshot.ts';
import { createCatalogLoader } from '../../src/catalog/worker/catalog-loader.ts';
import { NoBidReason, type DeliveryStatus } from '../../src/decision/no-bid-reason.ts';
import { createReadAttention } from '../../src/delivery/attention/read-attention.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { createReadDelivery } from '../../src/delivery/read-delivery.ts';
import { createJudgeList } from '../../src/delivery/status/judge-list.ts';
import { createReadListed, createReadStatuses } from '../../src/delivery/status/read-statuses.ts';
import { createRefusalStore } from '../../src/events/postgres/refusal-store.ts';
import { OUTRANKED, type RefusalReason } from '../../src/serving/count-refusals.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { COUNT_NAMES, createAccountBooks, type AccountCounts } from '../../src/ledger/read/account-books.ts';
import { createReadFiltered } from '../../src/ledger/read/read-filtered.ts';
import { createLimitReader } from '../../src/ledger/read/read-limits.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { createLedgerRig, type LedgerRig } from '../ledger/ledger-rig.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/*
 * What the page of a line item, lists, the home screen and alerts say of one moment. They read the same
 * stores in different ways, so that each is asked of its own, as the service does.
 */

const TODAY = Date.UTC(2026, 9, 14);
const PLACEMENT = { id: 'top', width: 300, height: 250, formats: ['html'] };
/** More than home names of a kind would be counted and not named. */
const MAX_BOOKED = 6;

let databaseUrl: string;
let knex: Knex;
let rig: LedgerRig;
beforeAll(async () => {
  databaseUrl = await testDatabase();
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  rig = await createLedgerRig(await testRedisUrl());
});
afterAll(async () => {
  rig.close();
  await knex.destroy();
});

/** What is booked and what became of it until now. Days are counted from today. */
interface Case {
  readonly goals: { readonly goal_impressions?: number; readonly goal_clicks?: number };
  readonly begins: number;
  readonly ends: number;
  readonly booking: object;
  readonly creative: 'servable' | 'none' | 'of another size';
  /** `nothing`: no account and no row. `stored`: rows, and no account, as after a loss. */
  readonly counted: 'nothing' | 'stored' | 'both';
  readonly impressions: { readonly before: number; readonly yesterday: number; readonly today: number };
  readonly refusals: readonly (readonly [reason: RefusalReason, impressions: number])[];
}
interface Moment {
  readonly atMs: number;
  readonly countersUp: boolean;
  readonly cases: readonly Case[];
}

const counts = (most: number) => fc.oneof(fc.constant(0), fc.integer({ min: 0, max: most }));
const CASES: fc.Arbitrary<Case> = fc.record({
  goals: fc.oneof(
    fc.record({ goal_impressions: fc.integer({ min: 1, max: 100_000 }) }),
    fc.record({ goal_clicks: fc.integer({ min: 1, max: 1_000 }) }),
    fc.record({ goal_impressions: fc.integer({ min: 1, max: 100_000 }), goal_clicks: fc.integer({ min: 1, max: 1_000 }) }),
    fc.constant({}),
  ),
  begins: fc.integer({ min: -20, max: 2 }),
  ends: fc.integer({ min: 2, max: 20 }),
  booking: fc.constantFrom(
    {},
    {},
    {},
    { active: false },
    { daily_impression_cap: 5_000 },
    { daily_impression_cap: 5_000, pacing: 'Even' },
    { budget: 10 },
    { archived: true, active: false },
  ),
  creative: fc.constantFrom('servable', 'servable', 'servable', 'none', 'of another size'),
  counted: fc.constantFrom('nothing', 'nothing', 'stored', 'both', 'both'),
  impressions: fc.record({ before: counts(90_000), yesterday: counts(9_000), today: counts(9_000) }),
  refusals: fc.uniqueArray(
    fc.tuple(
      fc.constantFrom<RefusalReason>(OUTRANKED, NoBidReason.Targeting, NoBidReason.FrequencyCapped),
      fc.integer({ min: 1, max: 5_000 }),
    ),
    { maxLength: 2, selector: ([reason]) => reason },
  ),
});
const MOMENTS: fc.Arbitrary<Moment> = fc.record({
  atMs: fc.integer({ min: 0, max: MS_PER_DAY - 1 }).map((ms) => TODAY + ms),
  countersUp: fc.boolean().map((down) => !down),
  cases: fc.array(CASES, { minLength: 1, maxLength: MAX_BOOKED }),
});

const CLICK_EVERY = 100;
const total = ({ counted, impressions: { before, yesterday, today } }: Case) => (counted === 'nothing' ? 0 : before + yesterday + today);
const PARTS = [
  ['before', 2],
  ['yesterday', 1],
  ['today', 0],
] as const;
const clicksOf = (impressions: number): number => Math.floor(impressions / CLICK_EVERY);
const clicks = ({ counted, impressions }: Case) =>
  counted === 'nothing' ? 0 : PARTS.reduce((sum, [part]) => sum + clicksOf(impressions[part]), 0);

const bookAll = async ({ atMs, cases }: Moment): Promise<void> => {
  await knex.raw('truncate publishers, placements, daily_counts, refusals, alerts restart identity cascade');
  await rig.redis.flushdb();
  await rig.at(atMs);
  const date = (days: number): string => dateOfDay(dayOf(TODAY) + days);
  const line_items = cases.map(({ goals, begins, ends, booking, creative }) => ({
    ...{ start_date: date(begins), end_date: date(ends), cpm: 1, ...goals, ...booking },
    creatives: creative === 'none' ? [] : [{ placement_id: 'top', ...(creative === 'servable' ? {} : { width: 728, height: 90 }) }],
  }));
  const publisher = { api_key: 'key', name: 'The Gazette', domain: 'gazette.example', placements: [PLACEMENT] };
  await bookCatalog(databaseUrl, { publishers: [{ ...publisher, campaigns: [{ line_items }] }] });
};

const count = async ({ atMs, cases }: Moment): Promise<void> => {
  const books = createAccountBooks({ redis: rig.redis, keys: rig.keys, expiresAtMs: () => TODAY * 2, clock: VIRTUAL_CLOCK_KEY });
  const refusals = createRefusalStore({ knex });
  for (const [i, one] of cases.entries()) {
    const id = i + 1;
    await refusals.add(
      atMs - (atMs % 3_600_000),
      one.refusals.map(([reason, impressions]) => ({ lineItemId: id, reason, outrankedBy: 0, impressions })),
    );
    if (one.counted === 'nothing') continue;
    for (const [part, ago] of PARTS) {
      const impressions = one.impressions[part];
      const of = { serves: impressions, impressions, clicks: clicksOf(impressions), spend_micros: impressions * 1_000 };
      if (impressions > 0)
        await knex('daily_counts').insert({
          ...{ day: dateOfDay(dayOf(TODAY) - ago), publisher_id: 1, campaign_id: 1, line_item_id: id, creative_id: id, ...of },
        });
    }
    if (one.counted === 'stored') continue;
    const { today, yesterday } = one.impressions;
    const known: Partial<AccountCounts> = {
      ...{ serves: today, impressions: today, clicks: clicksOf(today), spendMicros: today * 1_000 },
      ...{ yesterdayServes: yesterday, yesterdayImpressions: yesterday, yesterdayClicks: clicksOf(yesterday) },
      ...{ totalImpressions: total(one), totalClicks: clicks(one), totalSpendMicros: total(one) * 1_000 },
    };
    const difference = Object.fromEntries(COUNT_NAMES.map((name) => [name, known[name] ?? 0])) as unknown as AccountCounts;
    const name = { kind: 'l' as const, id };
    expect(await books.adjust(1, await books.check(1, [name]), dayOf(atMs), [{ ...name, difference }])).toBe(1);
  }
};

/** Everything that staff are told at this moment, each asked as the service asks it. */
const askAll = async ({ atMs, countersUp, cases }: Moment) => {
  const store = createCatalogStore({ knex });
  const { snapshot } = openSnapshot(await createCatalogLoader({ store, dimensions: new Map() }).load(atMs));
  const counters = {
    accounts: rig.accounts,
    readFiltered: createReadFiltered(rig),
    readLimits: createLimitReader({ ...rig, pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, clock: VIRTUAL_CLOCK_KEY }),
    countersUp: () => countersUp,
  };
  const reading = { knex, counters, refusalStore: createRefusalStore({ knex }), currentSnapshot: () => snapshot, now: () => atMs };
  const readStatuses = createReadStatuses(reading);
  const readListed = createReadListed(reading);
  const readDelivery = createReadDelivery({ ...reading, ...counters, readListed });
  const ids = cases.map((_, i) => i + 1);
  const reader = createEntityReader({ knex });
  const judgeList = createJudgeList({ ...reading, reader, readStatuses: { line_items: readStatuses }, version: () => 1 });
  const filtered = async (status: DeliveryStatus) => {
    const query = {
      limit: 50,
      offset: 0,
      text: '',
      archived: 'true',
      parents: [],
      ids: undefined,
      filters: { status: [status] },
    } as const;
    const { ids: found = [] } = await judgeList(ENTITY_KINDS.line_items, { ...query, sort: { by: 'id', order: 'asc' } });
    return found.map(Number);
  };
  const deliveries = await Promise.all(ids.map(readDelivery));
  return {
    deliveries: deliveries.map((delivery) => delivery as Delivery),
    listed: await readListed(ids),
    home: await createReadAttention({ ...reading, readStatuses, countReplicas: () => 1 })(),
    listedAsBehind: await filtered('behind'),
    alerts: (await createFindAlerts({ knex, readStatuses, shareBefore: () => 0.5, complaintLimit: 0 })(atMs)).alerts,
  };
};

const DONE: readonly DeliveryStatus[] = ['archived', 'draft', 'paused', 'goal reached'];
const numbers = (some: readonly (number | string | null)[]): number[] => some.map(Number).toSorted((a, b) => a - b);

const agree = async (moment: Moment): Promise<readonly DeliveryStatus[]> => {
  await bookAll(moment);
  await count(moment);
  const { deliveries, listed, home, listedAsBehind, alerts } = await askAll(moment);
  const behind: number[] = [];
  const alarming: number[] = [];
  for (const [i, one] of moment.cases.entries()) {
    const { status, goals, total: delivered } = deliveries[i]!;
    const known = listed.get(i + 1)!;
    const remarks = moment.countersUp ? [] : [expect.stringContaining('counters are unavailable')];
    expect(status).toEqual({ ...known.status, reasons: [...known.status.reasons, ...remarks] });
    expect(delivered).toMatchObject({ impressions: total(one), clicks: clicks(one) });
    expect(goals).toEqual(known.goals);
    for (const goal of goals) expect(goal.delivered).toBe(delivered[goal.of]);
    const late = goals.filter(({ course }) => course === 'behind');
    const isDone = DONE.includes(status.value);
    if (late.length > 0 && !isDone) {
      expect(status.reasons).toEqual(expect.arrayContaining(late.map(({ words }) => words)));
      expect(status.behind).toBe(late.toSorted((a, b) => b.behind - a.behind)[0]?.words);
      expect(['ready', 'delivering', 'ahead', 'held back']).not.toContain(status.value);
    } else if (status.behind !== null) expect(status.behind).toMatch(/ today: /);
    if (status.value === 'behind') expect(status.behind).not.toBeNull();
    if (status.behind !== null) {
      behind.push(i + 1);
      if (status.off_pace > MAX_BEHIND) alarming.push(i + 1);
    }
  }
  const values = deliveries.map(({ status }) => status.value);
  const rowsOf = (kind: string) => home.groups.find((group) => group.kind === kind)?.rows ?? [];
  expect(numbers(rowsOf('behind').map(({ id }) => id))).toEqual(behind);
  for (const { id, text } of rowsOf('behind')) expect(text).toBe(deliveries[Number(id) - 1]?.status.behind);
  const of = (value: DeliveryStatus) => values.flatMap((each, i) => (each === value ? [i + 1] : []));
  expect(numbers(rowsOf('cannot_serve').map(({ id }) => id))).toEqual(of('cannot serve'));
  expect(numbers(rowsOf('outranked').map(({ id }) => id))).toEqual(of('outranked'));
  expect(numbers(listedAsBehind)).toEqual(of('behind'));
  const told = alerts.filter(({ kind }) => kind === 'under_delivery');
  expect(numbers(told.map(({ entityId }) => entityId))).toEqual(alarming);
  for (const { entityId, words } of told)
    expect(words).toContain(deliveries[Number(entityId) - 1]?.status.behind?.slice(1).replace(/\.$/, ''));
  return values;
};

const NEVER_SHOWN: Case = {
  goals: { goal_impressions: 100_000 },
  ...{ begins: -10, ends: 9, booking: {}, creative: 'servable', counted: 'nothing' },
  ...{ impressions: { before: 0, yesterday: 0, today: 0 }, refusals: [] },
};

test('a line item that was never shown is behind its goal on its page, in lists, on home and in an alert', async () => {
  expect(await agree({ atMs: TODAY, countersUp: true, cases: [NEVER_SHOWN] })).toEqual(['behind']);
  expect(await agree({ atMs: TODAY, countersUp: false, cases: [NEVER_SHOWN] })).toEqual(['behind']);
});

test('after a loss of the counters its goal is judged by what is stored', async () => {
  const stored: Case = { ...NEVER_SHOWN, counted: 'stored', impressions: { before: 49_000, yesterday: 1_000, today: 0 } };
  expect(await agree({ atMs: TODAY, countersUp: true, cases: [stored] })).toEqual(['delivering']);
});

test('a status that names the cause says, too, that the goal is behind', async () => {
  const cases: Case[] = [
    { ...NEVER_SHOWN, creative: 'of another size' },
    { ...NEVER_SHOWN, refusals: [[OUTRANKED, 5_000]] },
    { ...NEVER_SHOWN, booking: { active: false } },
  ];
  expect(await agree({ atMs: TODAY, countersUp: true, cases })).toEqual(['cannot serve', 'outranked', 'paused']);
});

test('whatever is booked and delivered, page, lists, home and alerts never contradict each other', async () => {
  const seen = new Set<DeliveryStatus>();
  await fc.assert(
    fc.asyncProperty(MOMENTS, async (moment) => {
      for (const value of await agree(moment)) seen.add(value);
    }),
    { seed: 42, numRuns: 25 },
  );
  // The cases are many enough to mean something.
  const often: readonly DeliveryStatus[] = [
    'behind',
    'cannot serve',
    'paused',
    'delivering',
    'outranked',
    'archived',
    'scheduled',
    'goal reached',
  ];
  expect([...seen]).toEqual(expect.arrayContaining([...often]));
}, 120_000);
