import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import type { Stop } from '../../src/catalog/model/stops.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import type { LimitReading } from '../../src/ledger/read/read-limits.ts';
import { campaignStatus } from '../../src/delivery/status/campaign-status.ts';
import { lineItemStatus, NO_REFUSALS, plainStatus, type StatusQuestion } from '../../src/delivery/status/line-item-status.ts';
import * as sample from '../decision/candidates.ts';

const { DAY, HOUR, NOON } = sample;
const [lineItem, campaign] = [sample.lineItem(), sample.campaign()];
const FLAT = Array.from({ length: 24 }, () => 1 / 24);
const pacing = (due: number, goal = 2 * due) => ({ permits: 1, goal, due, began: { share: 0, impressions: 0 } });
const limits = (more: Partial<LimitReading> = {}): LimitReading => ({
  nbr: 0,
  impressionsToday: 0,
  heldToday: 0,
  totalImpressions: 0,
  heldImpressions: 0,
  totalClicks: 0,
  spendTodayMicros: 0,
  heldTodayMicros: 0,
  totalSpendMicros: 0,
  heldMicros: 0,
  campaignSpendMicros: 0,
  campaignHeldMicros: 0,
  campaignSpendTodayMicros: 0,
  campaignHeldTodayMicros: 0,
  capAt: null,
  placesHeld: null,
  placeFreeAtMs: null,
  rateTokens: null,
  pacing: null,
  ...more,
});

const HEALTHY: StatusQuestion = {
  lineItem,
  campaign,
  creatives: [{ id: 1, obstacle: undefined }],
  limits: limits(),
  goals: [],
  recentServes: 10,
  recently: NO_REFUSALS,
  curve: FLAT,
  atMs: NOON,
};
const LATE = {
  ...({ of: 'impressions', course: 'behind' } as const),
  ...{ goal: 1_000, delivered: 250, due: 500, behind: 0.5, expected_end: 500 },
  words: 'Behind by 50%: 250 of 1,000 impressions, 500 due by now.',
};
const stopped = (stop: Stop): LineItem => ({ ...lineItem, stop });
const broken = [{ id: 1, obstacle: '728×90 does not fit placement top of 300×250' }];
const inFlight = (startMs: number, endMs: number): Campaign => ({ ...campaign, flight: { startMs, endMs } });

test.each<[string, Partial<StatusQuestion>, string, RegExp]>([
  ['shown lately', {}, 'delivering', /^$/],
  ['not shown yet', { recentServes: 0 }, 'ready', /nothing stops it/],
  ['without counters', { recentServes: undefined, limits: undefined }, 'delivering', /^$/],
  ['archived and ended', { lineItem: stopped('lineItemArchived'), campaign: inFlight(0, 1) }, 'archived', /line item is archived/],
  ['ended with its campaign', { campaign: inFlight(0, NOON - 1) }, 'finished', /campaign's flight ended/],
  ['paused and never complete', { lineItem: stopped('lineItemPaused'), creatives: [], recentServes: 0 }, 'draft', /not complete/],
  ['paused after it was shown', { lineItem: stopped('lineItemPaused'), creatives: broken }, 'paused', /is paused/],
  ['without a creative', { creatives: [] }, 'cannot serve', /has no creative/],
  ['of the wrong size, and not begun', { creatives: broken, campaign: inFlight(NOON + 1, NOON + DAY) }, 'cannot serve', /does not fit/],
  ['not begun', { campaign: inFlight(NOON + 1, NOON + DAY) }, 'scheduled', /begins/],
  ['at its budget', { limits: limits({ nbr: NoBidReason.BudgetSpent }) }, 'budget spent', /all of the budget/],
  ['at its cap', { limits: limits({ nbr: NoBidReason.DailyCap }) }, 'capped', /cap is delivered/],
  ['outranked always', { recentServes: 0, recently: { lost: 100, outranked: 99, offTarget: 5 } }, 'outranked', /none of 100/],
  ['outranked mostly', { recentServes: 0, recently: { lost: 100, outranked: 98, offTarget: 5 } }, 'ready', /./],
  [
    'of a target that nobody is in',
    { recentServes: 0, recently: { lost: 0, outranked: 0, offTarget: 5_000 } },
    'cannot serve',
    /none of 5,000/,
  ],
  [
    'of a target that none of the first dozens is in',
    { recentServes: 0, recently: { lost: 0, outranked: 0, offTarget: 60 } },
    'cannot serve',
    /none of 60 impressions in the last day, so it misses at least 93.9% \(95% certain\)/,
  ],
  ['of a target of too few requests to tell', { recentServes: 0, recently: { lost: 0, outranked: 0, offTarget: 34 } }, 'ready', /./],
  ['outranked in the first dozens', { recentServes: 0, recently: { lost: 35, outranked: 35, offTarget: 5 } }, 'outranked', /none of 35/],
  ['outranked too seldom to tell', { recentServes: 0, recently: { lost: 34, outranked: 34, offTarget: 5 } }, 'ready', /./],
  [
    'late for a goal that its target keeps it from',
    { recentServes: 0, recently: { lost: 0, outranked: 0, offTarget: 60 }, goals: [LATE] },
    'cannot serve',
    /none of 60/,
  ],
  ['late for a goal and never shown', { recentServes: 0, goals: [LATE] }, 'behind', /^Behind by 50%/],
  ['late for a goal, without counters', { recentServes: undefined, limits: undefined, goals: [LATE] }, 'behind', /^Behind by 50%/],
  [
    'late',
    { limits: limits({ impressionsToday: 800, heldToday: 20, pacing: pacing(1_000) }) },
    'behind',
    /820 delivered or reserved of 1,000 due/,
  ],
  ['on its line', { limits: limits({ impressionsToday: 960, pacing: pacing(1_000) }) }, 'delivering', /^$/],
  ['too early', { limits: limits({ impressionsToday: 1_200, pacing: pacing(1_000) }) }, 'ahead', /1,200/],
  ['with too little due to tell', { limits: limits({ pacing: pacing(19) }) }, 'delivering', /^$/],
  [
    'at other hours than its own, and not shown yet',
    { recentServes: 0, servesAgainMs: NOON + HOUR },
    'ready',
    /^it serves at other hours: again from \d{4}-\d\d-\d\dT13:00:00.000Z$/,
  ],
  ['at other hours than its own, shown lately', { servesAgainMs: NOON + HOUR }, 'delivering', /^it serves at other hours/],
])('a line item %s', (_, question, value, reason) => {
  const status = lineItemStatus({ ...HEALTHY, ...question });
  expect(status.value).toBe(value);
  expect(status.reasons[0] ?? '').toMatch(reason);
});

test('says how far it is behind or ahead', () => {
  const at = (impressionsToday: number) => lineItemStatus({ ...HEALTHY, limits: limits({ impressionsToday, pacing: pacing(1_000) }) });
  expect(at(880).off_pace).toBeCloseTo(0.12);
  expect(at(1_300).off_pace).toBeCloseTo(0.3);
  expect(at(1_000).off_pace).toBe(0);
});

test('says until when pacing holds it back, if that is long', () => {
  const held = (impressionsToday: number) =>
    lineItemStatus({ ...HEALTHY, limits: limits({ nbr: NoBidReason.Pacing, impressionsToday, pacing: pacing(1_200, 2_400) }) });
  // 100 an hour: the 1,301st is due at 13:00:36.
  expect(held(1_300)).toMatchObject({ value: 'held back', held_until: new Date(NOON + HOUR).toISOString() });
  expect(held(1_200)).toMatchObject({ value: 'delivering', held_until: null });
});

test('a campaign is what its line items are, unless it is stopped as a whole', () => {
  const items = (...values: Parameters<typeof plainStatus>[0][]) => values.map((value) => plainStatus(value, []));
  const of = (given: Campaign, ...values: Parameters<typeof plainStatus>[0][]) => campaignStatus(given, items(...values), NOON);
  expect(of(campaign, 'ready', 'delivering', 'cannot serve')).toMatchObject({
    value: 'delivering',
    reasons: ['1 of 3 line items need attention'],
  });
  const late = { ...plainStatus('behind', []), off_pace: 0.52 };
  expect(campaignStatus(campaign, [...items('delivering'), late], NOON)).toMatchObject({ value: 'behind', off_pace: 0 });
  expect(of(campaign).value).toBe('draft');
  expect(of(campaign, 'paused', 'finished').value).toBe('paused');
  expect(of({ ...campaign, stop: 'campaignPaused' }, 'paused').value).toBe('paused');
  expect(of(inFlight(0, 1), 'delivering').value).toBe('finished');
  expect(of(inFlight(NOON + 1, NOON + DAY), 'scheduled').value).toBe('scheduled');
  expect(of(inFlight(NOON + 1, NOON + DAY), 'cannot serve').value).toBe('cannot serve');
});
