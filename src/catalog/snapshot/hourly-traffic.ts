/** A publisher's day of traffic by UTC hour, 24 entries each: the share of the day within the hour, and the share before it. */
export interface HourlyTraffic {
  readonly shareOfHour: readonly number[];
  readonly shareBefore: readonly number[];
}

const HOURS = 24;
/** Fewer impressions than these, over all the days looked at, say more about chance than about the day. */
const ENOUGH = 2400;
/** What every hour is given beside what was seen, as a part of a flat day: no hour is so quiet that pacing would stand still in it. */
const FLAT_PART = 0.05;

/**
 * The curve that pacing follows, learned from what happened of late.
 *
 * Each hour takes a quarter of either neighbour, as the hours of a day do not end at a step, and a twentieth of the whole is spread flat.
 *
 * @param counts impressions of several whole UTC days, summed by hour; 24 entries
 * @returns undefined when there are too few to tell a curve from chance: pacing is then flat
 */
export const hourlyTraffic = (counts: readonly number[]): HourlyTraffic | undefined => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < ENOUGH) return undefined;
  const at = (hour: number): number => counts[(hour + HOURS) % HOURS] ?? 0;
  return hourlyTrafficOf(
    counts.map((count, hour) => ((at(hour - 1) + 2 * count + at(hour + 1)) / (4 * total)) * (1 - FLAT_PART) + FLAT_PART / HOURS),
  );
};

/** @param shareOfHour 24 shares that sum to 1 */
export const hourlyTrafficOf = (shareOfHour: readonly number[]): HourlyTraffic => {
  let before = 0;
  const shareBefore = shareOfHour.map((share) => {
    before += share;
    return before - share;
  });
  return { shareOfHour, shareBefore };
};
