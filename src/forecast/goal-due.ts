import { commonFlight, type Campaign, type LineItem } from '../catalog/model/entities.ts';

/**
 * What of the impressions that a goal leaves is due from now until the days of a forecast end: of a flight that ends later, the
 * part that an even course has by then.
 */
export const goalDue = (
  left: number,
  { flight }: Pick<LineItem, 'flight'>,
  campaign: Pick<Campaign, 'flight'>,
  days: { readonly fromMs: number; readonly untilMs: number },
): number => {
  const { startMs, endMs } = commonFlight(flight, campaign.flight);
  const fromMs = Math.max(startMs, days.fromMs);
  if (endMs <= fromMs) return 0;
  return Math.round(left * Math.min(Math.max((days.untilMs - fromMs) / (endMs - fromMs), 0), 1));
};
