/**
 * A publisher's day of traffic by UTC hour, 24 entries each: the share of the day within the hour,
 * and the share before it.
 */
export interface HourlyTraffic {
  readonly shareOfHour: readonly number[];
  readonly shareBefore: readonly number[];
}

const HOURS = 24;
/** With fewer impressions over all days, the shape of the day is mostly chance. */
const MIN_IMPRESSIONS = 2400;
/**
 * Part of the day that is spread evenly over all hours, so that pacing never stops in a quiet hour.
 */
const FLAT_PART = 0.05;

/**
 * The traffic curve for pacing, learned from recent days. A quarter of each neighbour's weight
 * smooths every hour, because traffic does not change in steps at the full hour, and a twentieth of
 * the whole is spread evenly.
 *
 * @param counts impressions of several whole UTC days, summed by hour; 24 entries
 * @returns undefined when there are too few impressions: pacing is then flat
 */
export const hourlyTraffic = (counts: readonly number[]): HourlyTraffic | undefined => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total < MIN_IMPRESSIONS) return undefined;
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
