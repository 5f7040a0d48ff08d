import { MS_PER_DAY, MS_PER_QUARTER } from './utc-day.ts';
import type { ZoneOffset } from './zone-offset.ts';

/**
 * The days of a time zone around a moment: its clocks are `offsetMs` before UTC until `untilMs`, then `thenMs`.
 * src/ledger/lua/day.lua has the same rule; tests/base/local-day.test.ts compares the two.
 */
export interface DayRule {
  readonly offsetMs: number;
  /** When its clocks change next; NEVER_MS: they do not. */
  readonly untilMs: number;
  readonly thenMs: number;
}

/** The last moment of a Date. */
const NEVER_MS = 8_640_000_000_000_000;

export const UTC_DAYS: DayRule = { offsetMs: 0, untilMs: NEVER_MS, thenMs: 0 };

/** The day of a moment, in days since 1970-01-01 of the zone. A day does not come back when clocks go back over midnight. */
export const localDayOf = ({ offsetMs, untilMs, thenMs }: DayRule, atMs: number): number =>
  atMs < untilMs
    ? Math.floor((atMs + offsetMs) / MS_PER_DAY)
    : Math.max(Math.floor((atMs + thenMs) / MS_PER_DAY), Math.floor((untilMs - 1 + offsetMs) / MS_PER_DAY));

/** When a day begins. */
export const startOfDay = ({ offsetMs, untilMs, thenMs }: DayRule, day: number): number => {
  const startMs = day * MS_PER_DAY - offsetMs;
  return startMs < untilMs ? startMs : Math.max(day * MS_PER_DAY - thenMs, untilMs);
};

/** When a day ends: 23, 24 or 25 hours after it began, and another half of one at Lord Howe. */
export const endOfDay = (rule: DayRule, day: number): number => startOfDay(rule, day + 1);

/** When a day begins and ends, epoch ms. */
export interface DaySpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** The day of a moment. */
export const daySpan = (rule: DayRule, atMs: number): DaySpan => {
  const day = localDayOf(rule, atMs);
  return { startMs: startOfDay(rule, day), endMs: endOfDay(rule, day) };
};

/** A rule as the ledger keeps it (lua/day.lua); '' for UTC. */
export const dayRuleText = ({ offsetMs, untilMs, thenMs }: DayRule): string =>
  offsetMs === 0 && thenMs === 0 ? '' : `${offsetMs} ${untilMs} ${thenMs}`;

/** The days of a time zone, by its IANA name, around a moment. */
export type DayRuleOf = (zone: string, atMs: number) => DayRule;

/** Clocks change at most once in a week, at quarters of an hour, and are the same for years when they do not change in one. */
const STEP_MS = 7 * MS_PER_DAY;
const SEARCHED_MS = 56 * STEP_MS;
/** Longer than any day: a change this long ago is in no day that has not ended. */
const PAST_MS = 2 * MS_PER_DAY;

/** Rules are made once for a zone, in a millisecond, and hold until the day in which clocks change has ended. */
export const createDayRules = (zoneOffset: ZoneOffset): DayRuleOf => {
  const known = new Map<string, KnownRule>();
  return (zone, atMs) => {
    if (zone === 'UTC') return UTC_DAYS;
    const kept = known.get(zone);
    if (kept && atMs >= kept.fromMs && atMs < kept.endMs) return kept.rule;
    const made = makeRule((ms) => zoneOffset(zone, ms), atMs);
    known.set(zone, made);
    return made.rule;
  };
};

interface KnownRule {
  readonly rule: DayRule;
  readonly fromMs: number;
  readonly endMs: number;
}

const makeRule = (offsetAt: (ms: number) => number, atMs: number): KnownRule => {
  const fromMs = Math.floor((atMs - PAST_MS) / MS_PER_QUARTER) * MS_PER_QUARTER;
  const before = ruleFrom(offsetAt, fromMs);
  if (before.untilMs > atMs) return { rule: before, fromMs: atMs, endMs: endOf(before, atMs) };
  const dayEndMs = endOfDay(before, localDayOf(before, before.untilMs));
  if (dayEndMs > atMs) return { rule: before, fromMs: before.untilMs, endMs: dayEndMs };
  const after = ruleFrom(offsetAt, before.untilMs);
  return { rule: after, fromMs: atMs, endMs: endOf(after, atMs) };
};

/** When a rule no longer holds. */
const endOf = (rule: DayRule, atMs: number): number =>
  rule.untilMs === NEVER_MS ? atMs + STEP_MS : endOfDay(rule, localDayOf(rule, rule.untilMs));

const ruleFrom = (offsetAt: (ms: number) => number, fromMs: number): DayRule => {
  const offsetMs = offsetAt(fromMs);
  for (let low = fromMs; low < fromMs + SEARCHED_MS; low += STEP_MS) {
    if (offsetAt(low + STEP_MS) !== offsetMs) {
      const untilMs = changeIn(offsetAt, low, low + STEP_MS);
      return { offsetMs, untilMs, thenMs: offsetAt(untilMs) };
    }
  }
  return { offsetMs, untilMs: NEVER_MS, thenMs: offsetMs };
};

/** The first quarter of an hour in (low, high] with the clocks of `high`. */
const changeIn = (offsetAt: (ms: number) => number, low: number, high: number): number => {
  const offsetMs = offsetAt(low);
  while (high - low > MS_PER_QUARTER) {
    const middle = low + Math.floor((high - low) / MS_PER_QUARTER / 2) * MS_PER_QUARTER;
    if (offsetAt(middle) === offsetMs) low = middle;
    else high = middle;
  }
  return high;
};
