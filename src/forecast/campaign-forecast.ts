import type { CampaignForecastWire } from './forecast-api.ts';
import type { KeptBase } from './forecast-store.ts';
import type { Range } from './replay/delivery-range.ts';

const QUANTILES = ['p10', 'p50', 'p90'] as const;
const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** What some line items are expected to deliver together. Their ranges are summed: traffic moves them alike. */
export const campaignForecast = (base: KeptBase | undefined, ids: readonly number[]): CampaignForecastWire => {
  const known = ids.flatMap((id) => {
    const figures = base?.figures.lineItems[String(id)];
    return figures ? [{ id, figures }] : [];
  });
  const range = (of: (quantile: (typeof QUANTILES)[number]) => number): Range =>
    Object.fromEntries(QUANTILES.map((quantile) => [quantile, Math.round(of(quantile))])) as unknown as Range;
  return {
    made_on: base?.madeOn ?? null,
    ...range((quantile) => sumOf(known.flatMap(({ figures }) => figures[quantile]))),
    by_day: (base?.figures.days ?? []).map((day, i) => ({
      day,
      ...range((quantile) => sumOf(known.map(({ figures }) => figures[quantile][i] ?? 0))),
    })),
    line_items: known.map(({ id, figures }) => ({ line_item_id: id, ...range((quantile) => sumOf(figures[quantile])) })),
  };
};
