import { daySpan, UTC_DAYS, type DaySpan } from '../../base/local-day.ts';
import { MS_PER_HOUR, MS_PER_MINUTE } from '../../base/utc-day.ts';
import type { Campaign, LineItem } from '../../catalog/model/entities.ts';
import { STOPS } from '../../catalog/model/stops.ts';
import type { GoalCourse } from '../delivery.ts';
import { countWords, shareWords } from '../number-words.ts';
import { showEndDate, showStartDate } from '../../catalog/model/flight-dates.ts';
import type { RefusalSums } from '../../events/postgres/refusal-store.ts';
import { describeRefusal } from '../../ledger/describe-refusal.ts';
import { DELIVERY_STATUSES, NoBidReason, statusOf, type DeliveryStatus } from '../../decision/no-bid-reason.ts';
import type { LimitReading } from '../../ledger/read/read-limits.ts';
import type { LineItemStatus } from './status.ts';
import { sureShare } from './sure-share.ts';

/** A status with nothing more to say. */
export const plainStatus = (value: DeliveryStatus, reasons: readonly string[]): LineItemStatus => ({
  value,
  reasons,
  off_pace: 0,
  behind: null,
  held_until: null,
  stuck_creatives: [],
});

export interface StatusQuestion {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Why each creative of the line item cannot be served; undefined where it can. */
  readonly creatives: readonly CreativeObstacle[];
  /** undefined: the counters are unavailable, or there is no need to read them. */
  readonly limits: LimitReading | undefined;
  /** Its progress towards its goals; empty: it has none. */
  readonly goals: readonly GoalCourse[];
  /** Selections of today and yesterday; undefined: the counters are unavailable. */
  readonly recentServes: number | undefined;
  /** Of the last day. */
  readonly recently: RefusalSums;
  /** The share of the day's traffic in each hour from its beginning. */
  readonly curve: readonly number[];
  /** The publisher's day. Default: that of UTC. */
  readonly day?: DaySpan;
  /** When its hours of the week begin again; undefined: it serves at this one. */
  readonly servesAgainMs?: number | undefined;
  readonly atMs: number;
}

export interface CreativeObstacle {
  readonly id: number;
  readonly obstacle: string | undefined;
}

export const NO_REFUSALS: RefusalSums = { lost: 0, outranked: 0, offTarget: 0 };

const MAX_CREATIVES_SHOWN = 5;
/** Lost always, and surely so often: 35 of 35 impressions are enough, so that small publishers need not wait. */
const ALWAYS = 0.99;
const SURELY = 0.9;
/** Up to this share of what is due may be missing or too much; fewer due impressions are chance. */
const ON_PACE = 0.05;
const MIN_DUE = 20;
/** Pacing that holds back for less is how it delivers evenly. */
const MIN_HELD_MS = 5 * MS_PER_MINUTE;

type Found = readonly (readonly [DeliveryStatus, string])[];

/**
 * The status of a line item and everything that keeps it from serving. The only rule: lists, home,
 * the page of the line item and the API show what it returns. Pure.
 */
export const lineItemStatus = (question: StatusQuestion): LineItemStatus => {
  const { lineItem, campaign, creatives, limits, atMs } = question;
  const refused = limits === undefined || limits.nbr === 0 ? undefined : limits.nbr;
  const refusal = refused === undefined ? '' : describeRefusal(refused, { lineItem, campaign });
  const limitStatus = refused === undefined ? null : statusOf(refused);
  const missing = creativeObstacles(creatives);
  const stops = [campaign.stop, lineItem.stop].flatMap((stop): Found => (stop === null ? [] : [[STOPS[stop].status, STOPS[stop].words]]));
  const isDraft = lineItem.stop === 'lineItemPaused' && missing.length > 0 && !question.recentServes;
  const found: Found = [
    ...flightObstacles(lineItem.flight, 'its flight', atMs),
    ...flightObstacles(besides(campaign.flight, lineItem.flight), "the campaign's flight", atMs),
    ...(isDraft ? [['draft', 'it is paused and not complete'] as const] : []),
    ...stops,
    ...missing,
    ...(limitStatus === null || limitStatus === 'delivering' ? [] : [[limitStatus, refusal] as const]),
  ];
  const byStatus = DELIVERY_STATUSES.flatMap((status) => found.filter(([each]) => each === status));
  const first = byStatus[0]?.[0];
  const stuck_creatives = creatives
    .flatMap(({ id, obstacle }) => (obstacle === undefined ? [] : [{ id, reason: obstacle }]))
    .slice(0, MAX_CREATIVES_SHOWN);
  if (first !== undefined) {
    const reasons = byStatus.map(([, reason]) => reason);
    return { ...withLateGoals(plainStatus(first, reasons), question.goals), stuck_creatives };
  }
  // A limit of this moment only delays it.
  const delays =
    question.servesAgainMs !== undefined
      ? [`it serves at other hours: again from ${new Date(question.servesAgainMs).toISOString()}`]
      : limitStatus === 'delivering'
        ? [`at this moment ${refusal}`]
        : [];
  const course = withLateGoals(courseOf(question), question.goals);
  return { ...course, reasons: [...course.reasons, ...delays], stuck_creatives };
};

/** Staff stopped it, or it reached one of its goals and ends there: what another goal lacks calls for nothing. */
const DONE: readonly DeliveryStatus[] = ['archived', 'draft', 'paused', 'goal reached'];
/** What a line item that is behind is called; any other status names what keeps it from its goals. */
const UNEXPLAINED: readonly DeliveryStatus[] = ['held back', 'behind', 'ahead', 'delivering', 'ready'];
const NOT_SHOWN = 'it has not been shown since yesterday';

/** Says which goals are behind, whatever the status is. */
const withLateGoals = (status: LineItemStatus, goals: readonly GoalCourse[]): LineItemStatus => {
  const late = goals.filter(({ course }) => course === 'behind').toSorted((a, b) => b.behind - a.behind);
  if (!late[0] || DONE.includes(status.value)) return status;
  const words = late.map((goal) => goal.words);
  const known = { ...status, off_pace: late[0].behind, behind: late[0].words };
  if (!UNEXPLAINED.includes(status.value)) return { ...known, reasons: [...status.reasons, ...words] };
  const others = status.value === 'ready' ? [NOT_SHOWN] : status.reasons;
  return { ...known, value: 'behind', held_until: null, reasons: [...words, ...others] };
};

/** Of the flight of a campaign, the ends that are not those of its line item: they would be said twice. */
const besides = ({ startMs, endMs }: LineItem['flight'], own: LineItem['flight']): LineItem['flight'] => ({
  startMs: startMs === own.startMs ? -Infinity : startMs,
  endMs: endMs === own.endMs ? Infinity : endMs,
});

const flightObstacles = ({ startMs, endMs }: LineItem['flight'], flight: string, atMs: number): Found => [
  ...(endMs <= atMs ? [['finished', `${flight} ended with ${showEndDate(endMs)}`] as const] : []),
  ...(startMs > atMs ? [['scheduled', `${flight} begins ${showStartDate(startMs)}`] as const] : []),
];

/**
 * A line item with one servable creative can serve, so the others are listed only when there is
 * none.
 */
const creativeObstacles = (creatives: readonly CreativeObstacle[]): Found => {
  if (creatives.length === 0) return [['cannot serve', 'it has no creative']];
  if (creatives.some(({ obstacle }) => obstacle === undefined)) return [];
  const shown = creatives.slice(0, MAX_CREATIVES_SHOWN).map(({ id, obstacle }) => `creative ${id}: ${obstacle}`);
  const more = creatives.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more creatives`] : [])].map((reason) => ['cannot serve', reason]);
};

/** `60 impressions in the last day, so it misses at least 93.9% (95% certain)` */
const ofLastDay = (impressions: number, missed: number): string =>
  `${countWords(impressions)} impressions in the last day, so it misses at least ${shareWords(Math.floor(missed * 1000) / 1000)} (95% certain)`;

const OF_LAST_DAY = / of [\d,]+ impressions in the last day, .*$/;

/** A status for those whom the traffic of placements does not concern: without `ofLastDay`. */
export const withoutTraffic = (status: LineItemStatus): LineItemStatus => ({
  ...status,
  reasons: status.reasons.map((reason) => reason.replace(OF_LAST_DAY, '')),
});

/** How it goes today for a line item that nothing stops. */
const courseOf = ({ lineItem, limits, recentServes, recently, curve, day, servesAgainMs, atMs }: StatusQuestion): LineItemStatus => {
  const status = (value: DeliveryStatus, ...reasons: string[]): LineItemStatus => plainStatus(value, reasons);
  if (recentServes === undefined) return status('delivering');
  const { lost, outranked, offTarget } = recently;
  if (recentServes === 0) {
    if (outranked >= ALWAYS * lost && sureShare(outranked, lost) >= SURELY)
      return status('outranked', `other line items rank before it: it won none of ${ofLastDay(lost, sureShare(outranked, lost))}`);
    if (lost === 0 && sureShare(offTarget, offTarget) >= SURELY)
      return status('cannot serve', `its targeting matched none of ${ofLastDay(offTarget, sureShare(offTarget, offTarget))}`);
  }
  const shown =
    recentServes > 0 ? status('delivering') : status('ready', ...(servesAgainMs === undefined ? [`nothing stops it; ${NOT_SHOWN}`] : []));
  const pacing = limits?.pacing;
  if (!limits || !pacing) return shown;
  const committed = limits.impressionsToday + limits.heldToday;
  const due = Math.round(pacing.due);
  const words = `${countWords(committed)} delivered or reserved of ${countWords(due)} due by now`;
  // The curve is that of all hours of the day.
  if (limits.nbr === NoBidReason.Pacing && lineItem.sales.schedule === null) {
    const heldUntilMs = dueAt(pacing, committed + 1, curve, day ?? daySpan(UTC_DAYS, atMs));
    if (heldUntilMs - atMs >= MIN_HELD_MS)
      return { ...status('held back', words), held_until: new Date(heldUntilMs - (heldUntilMs % MS_PER_MINUTE)).toISOString() };
  }
  const missing = due >= MIN_DUE ? (due - committed) / due : 0;
  const behind = `Behind by ${shareWords(missing)} today: ${words}`;
  if (missing > ON_PACE) return { ...status('behind', behind), off_pace: missing, behind };
  return missing < -ON_PACE ? { ...status('ahead', words), off_pace: -missing } : shown;
};

/** When today that many impressions are due, on the line from where pacing began to the goal; at the end of the day otherwise. */
const dueAt = (
  { began, goal }: NonNullable<LimitReading['pacing']>,
  impressions: number,
  curve: readonly number[],
  { startMs, endMs }: DaySpan,
): number => {
  const share = began.share + ((1 - began.share) * (impressions - began.impressions)) / Math.max(goal - began.impressions, 1e-6);
  let before = 0;
  for (const [hour, ofHour] of curve.entries()) {
    if (before + ofHour >= share) return startMs + (hour + (share - before) / Math.max(ofHour, 1e-9)) * MS_PER_HOUR;
    before += ofHour;
  }
  return endMs;
};
