import fc from 'fast-check';
import type { Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_DAY, MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { createRefusalStore } from '../../src/events/postgres/refusal-store.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { COUNT_NAMES, createAccountBooks, type AccountCounts } from '../../src/ledger/read/account-books.ts';
import { OUTRANKED, type RefusalReason } from '../../src/serving/count-refusals.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import type { LedgerRig } from '../ledger/ledger-rig.ts';

export const TODAY = Date.UTC(2026, 9, 14);
const PLACEMENT = { id: 'top', width: 300, height: 250, formats: ['html'] };
/** More than home names of a kind would be counted and not named. */
const MAX_BOOKED = 6;

export interface TestedStores {
  readonly databaseUrl: string;
  readonly knex: Knex;
  readonly rig: LedgerRig;
}

/** What is booked and what became of it until now. Days are counted from today. */
export interface Case {
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
export interface Moment {
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
export const MOMENTS: fc.Arbitrary<Moment> = fc.record({
  atMs: fc.integer({ min: 0, max: MS_PER_DAY - 1 }).map((ms) => TODAY + ms),
  countersUp: fc.boolean().map((down) => !down),
  cases: fc.array(CASES, { minLength: 1, maxLength: MAX_BOOKED }),
});

const CLICK_EVERY = 100;
export const total = ({ counted, impressions: { before, yesterday, today } }: Case) =>
  counted === 'nothing' ? 0 : before + yesterday + today;
const PARTS = [
  ['before', 2],
  ['yesterday', 1],
  ['today', 0],
] as const;
const clicksOf = (impressions: number): number => Math.floor(impressions / CLICK_EVERY);
export const clicks = ({ counted, impressions }: Case) =>
  counted === 'nothing' ? 0 : PARTS.reduce((sum, [part]) => sum + clicksOf(impressions[part]), 0);

/** Books what the cases say, on an empty database. */
export const bookAll = async ({ databaseUrl, knex, rig }: TestedStores, { atMs, cases }: Moment): Promise<void> => {
  await knex.raw('truncate publishers, placements, daily_counts, report_days, refusals, alerts restart identity cascade');
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

/** Counts what the cases say, in the ledger and in Postgres as the event writer does. */
export const countAll = async ({ knex, rig }: TestedStores, { atMs, cases }: Moment): Promise<void> => {
  const books = createAccountBooks({ redis: rig.redis, keys: rig.keys, expiresAtMs: () => TODAY * 2, clock: VIRTUAL_CLOCK_KEY });
  const refusals = createRefusalStore({ knex });
  for (const [i, one] of cases.entries()) {
    const id = i + 1;
    await refusals.add(
      atMs - (atMs % MS_PER_HOUR),
      one.refusals.map(([reason, impressions]) => ({ lineItemId: id, reason, outrankedBy: 0, impressions })),
    );
    if (one.counted === 'nothing') continue;
    for (const [part, ago] of PARTS) {
      const impressions = one.impressions[part];
      if (impressions === 0) continue;
      const keys = { day: dateOfDay(dayOf(TODAY) - ago), publisher_id: 1, campaign_id: 1, line_item_id: id, creative_id: id };
      const hits = { impressions, clicks: clicksOf(impressions), spend_micros: impressions * 1_000 };
      await knex('daily_counts').insert({ ...keys, serves: impressions, ...hits });
      await knex('report_days').insert([
        { ...keys, placement_id: 'top', reason: '', ...hits },
        { ...keys, placement_id: '', reason: '', serves: impressions },
      ]);
    }
    if (one.counted === 'stored') continue;
    const { today, yesterday } = one.impressions;
    const known: Partial<AccountCounts> = {
      ...{ serves: today, impressions: today, clicks: clicksOf(today), spendMicros: today * 1_000 },
      ...{
        yesterdayServes: yesterday,
        yesterdayImpressions: yesterday,
        yesterdayClicks: clicksOf(yesterday),
        yesterdaySpendMicros: yesterday * 1_000,
      },
      ...{ totalImpressions: total(one), totalClicks: clicks(one), totalSpendMicros: total(one) * 1_000 },
    };
    const difference = Object.fromEntries(COUNT_NAMES.map((name) => [name, known[name] ?? 0])) as unknown as AccountCounts;
    const name = { kind: 'l' as const, id };
    expect(await books.adjust(1, await books.check(1, [name]), dayOf(atMs), [{ ...name, difference }])).toBe(1);
  }
};
