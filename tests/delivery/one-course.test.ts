import fc from 'fast-check';
import knexFactory, { type Knex } from 'knex';
import { createFindAlerts } from '../../src/alerts/find-alerts.ts';
import { dateOfDay, dayOf } from '../../src/base/utc-day.ts';
import { createEntityReader } from '../../src/bookings/entity-reader.ts';
import { ENTITY_KINDS } from '../../src/bookings/entity-kind.ts';
import { MAX_BEHIND } from '../../src/catalog/model/alert-kinds.ts';
import { createCatalogStore } from '../../src/catalog/postgres/catalog-store.ts';
import { openSnapshot } from '../../src/catalog/snapshot/open-snapshot.ts';
import { createCatalogLoader } from '../../src/catalog/worker/catalog-loader.ts';
import type { DeliveryStatus } from '../../src/decision/no-bid-reason.ts';
import { EVERYTHING } from '../../src/access/scope.ts';
import { createReadAttention } from '../../src/delivery/attention/read-attention.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { createReadDelivery } from '../../src/delivery/read-delivery.ts';
import { createReadRefusals } from '../../src/delivery/refusals/read-refusals.ts';
import type { Refusals } from '../../src/delivery/refusals/refusals.ts';
import { createJudgeList } from '../../src/delivery/status/judge-list.ts';
import { createReadListed, createReadStatuses } from '../../src/delivery/status/read-statuses.ts';
import { createRefusalStore } from '../../src/events/postgres/refusal-store.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { createReadFiltered } from '../../src/ledger/read/read-filtered.ts';
import { createLimitReader } from '../../src/ledger/read/read-limits.ts';
import { readReportQuestion } from '../../src/reports/report-question.ts';
import { createReports } from '../../src/reports/run-report.ts';
import type { ReportRow } from '../../src/reports/shown-row.ts';
import { OUTRANKED } from '../../src/serving/count-refusals.ts';
import { createLedgerRig, type LedgerRig } from '../ledger/ledger-rig.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { bookAll, clicks, countAll, MOMENTS, TODAY, total, type Case, type Moment } from './moment.ts';

/*
 * What the page of a line item, lists, the home screen, alerts, the reasons of what it lost and reports say of one moment.
 * They read the same stores in different ways, so that each is asked of its own, as the service does.
 */

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

/** Reports of all line items, of these days, counted from today. By the id of the line item. */
const reportOf = async (from: number, to: number): Promise<ReadonlyMap<number, ReportRow>> => {
  const day = (days: number): string => dateOfDay(dayOf(TODAY) + days);
  const asked = { group_by: 'line_item', metrics: 'serves,impressions,clicks,revenue', from: day(from), to: day(to) };
  const question = readReportQuestion(new URLSearchParams(asked), dayOf(TODAY));
  if (!question.ok) throw new Error(JSON.stringify(question.faults));
  const report = await createReports({ knex }).page('staff', question.value, { limit: 50, offset: 0 });
  if (!report.ok) throw new Error(report.refusal.why);
  return new Map(report.value.rows.map((row) => [Number(row['line_item_id']), row]));
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
      scope: EVERYTHING,
      ids: undefined,
      groupBy: undefined,
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
    refusals: await Promise.all(
      ids.map((id) => createReadRefusals(reading)(id, { from: dateOfDay(dayOf(atMs)), to: dateOfDay(dayOf(atMs)) })),
    ),
    reports: { total: await reportOf(-2, 0), yesterday: await reportOf(-1, -1), today: await reportOf(0, 0) },
  };
};

const DONE: readonly DeliveryStatus[] = ['archived', 'draft', 'paused', 'goal reached'];
const numbers = (some: readonly (number | string | null)[]): number[] => some.map(Number).toSorted((a, b) => a - b);

/** So many impressions, all of them lost, are no chance. */
const SURELY = 60;

/** Where a status contradicts the reasons of what the line item lost today. */
const doubtsOf = (
  { value, reasons }: Delivery['status'],
  { lost, off_target, reasons: why }: Refusals,
  { countersUp }: Moment,
): string[] => {
  const doubts: string[] = [];
  const outranked = why.find(({ reason }) => reason === 'outranked')?.impressions ?? 0;
  const offTarget = reasons.some((words) => words.startsWith('its targeting matched none of'));
  if (value === 'outranked' && (outranked === 0 || outranked < 0.99 * lost)) doubts.push('it was lost for other reasons, too');
  if (offTarget && (lost > 0 || off_target === 0)) doubts.push('its targeting matched some');
  const isReady = countersUp && value === 'ready';
  if (isReady && lost === 0 && off_target >= SURELY) doubts.push('its targeting matched nothing, which the status does not say');
  if (isReady && lost >= SURELY && outranked === lost) doubts.push('others ranked before it each time, which the status does not say');
  return doubts;
};

const agree = async (moment: Moment): Promise<readonly DeliveryStatus[]> => {
  const stores = { databaseUrl, knex, rig };
  await bookAll(stores, moment);
  await countAll(stores, moment);
  const { deliveries, listed, home, listedAsBehind, alerts, refusals, reports } = await askAll(moment);
  const behind: number[] = [];
  const alarming: number[] = [];
  for (const [i, one] of moment.cases.entries()) {
    const { status, goals, total: delivered } = deliveries[i]!;
    const known = listed.get(i + 1)!;
    const remarks = moment.countersUp ? [] : [expect.stringContaining('counters are unavailable')];
    expect(status).toEqual({ ...known.status, reasons: [...known.status.reasons, ...remarks] });
    expect(delivered).toMatchObject({ impressions: total(one), clicks: clicks(one) });
    for (const [days, report] of Object.entries(reports)) {
      const { impressions, clicks: clicked, spend } = deliveries[i]![days as keyof typeof reports];
      const told = report.get(i + 1);
      const ofReport = [told?.['impressions'] ?? 0, told?.['clicks'] ?? 0, told?.['revenue'] ?? 0];
      expect([days, ...ofReport]).toEqual([days, impressions, clicked, spend]);
    }
    expect(known.delivery.impressions_today).toBe(deliveries[i]!.today.impressions);
    const doubts = doubtsOf(status, refusals[i]!, moment);
    expect([status, doubts]).toEqual([status, []]);
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
  const of = (value: DeliveryStatus) => values.flatMap((each, i) => (each === value ? [i + 1] : []));
  const idsOf = (kind: string) => numbers(rowsOf(kind).map(({ id }) => id));
  const kinds = { 'cannot serve': 'cannot_serve', behind: 'behind', outranked: 'outranked' } as const;
  for (const value of Object.keys(kinds) as (keyof typeof kinds)[]) {
    expect(idsOf(kinds[value])).toEqual(of(value));
    expect(home.line_items[value] ?? 0).toBe(home.groups.find(({ kind }) => kind === kinds[value])?.total ?? 0);
  }
  expect(numbers(listedAsBehind)).toEqual(of('behind'));
  // What is behind is named once, with how far, whatever its status is.
  const named = [...Object.values(kinds), 'limited'].flatMap(rowsOf);
  expect(numbers(named.map(({ id }) => id))).toEqual(
    [...new Set([...behind, ...of('cannot serve'), ...of('outranked')])].sort((a, b) => a - b),
  );
  for (const { id, text } of named) expect(text).toContain(deliveries[Number(id) - 1]?.status.behind ?? '');
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

test('whatever is booked and delivered, page, lists, home, alerts, reasons and reports never contradict each other', async () => {
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
});
