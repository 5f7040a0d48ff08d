import type { CatalogRow } from '../../src/catalog/model/catalog-reading.ts';
import type { TrafficHistory } from '../../src/forecast/traffic/plan-traffic.ts';
import type { BookedCatalog } from '../../testkit/invented-site/bookings.ts';

/** Rules that a forecast may not know, to see whether the comparison notices. */
export const RULES = [
  ...(['frequency', 'pacing', 'goals', 'targeting', 'schedule', 'exclusions', 'caps', 'event', 'trend', 'priority'] as const),
];
export type Blindness = (typeof RULES)[number];

/** The history with the same traffic in each week. */
export const withoutTrend = (history: TrafficHistory) =>
  new Map([...history].map(([placement, days]) => [placement, new Map([...days].map(([day]) => [day, mean(days, day)]))]));

/** Of a weekday, in all weeks. */
const mean = (days: ReadonlyMap<number, number>, day: number): number => {
  const alike = [...days].filter(([other]) => (other - day) % 7 === 0).map(([, count]) => count);
  return alike.reduce((sum, count) => sum + count, 0) / alike.length;
};

const BLIND: Partial<Record<Blindness, CatalogRow>> = {
  frequency: { frequency_cap: null, frequency_caps: [] },
  pacing: { pacing: 'ASAP' },
  goals: { goal_impressions: null },
  targeting: { targeting: {} },
  schedule: { schedule: [] },
  caps: { daily_impression_cap: null, daily_spend_cap_micros: null },
  priority: { priority: 2 },
};

/** The rows of the catalog without a rule. */
export const blinded = ({ rows, draftId }: BookedCatalog, blind: Blindness | undefined, withDraft: boolean): BookedCatalog['rows'] => ({
  ...rows,
  advertisers: blind === 'exclusions' ? rows.advertisers.map((row) => ({ ...row, exclusion_labels: [] })) : rows.advertisers,
  line_items: rows.line_items.filter((row) => withDraft || row['id'] !== draftId).map((row) => ({ ...row, ...(blind && BLIND[blind]) })),
});
