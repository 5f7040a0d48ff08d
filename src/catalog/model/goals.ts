import type { LineItemRecord } from '../entities/line-item.ts';

/** What a line item should have delivered at the end of its flight, and never exceeds. */
export interface Goals {
  /** null: no goal. */
  readonly impressions: number | null;
  readonly clicks: number | null;
  /** How far above the even rate pacing begins, as a share of it; the rate ends as far below. */
  readonly frontload: number;
}

export const NO_GOALS: Goals = { impressions: null, clicks: null, frontload: 0 };

/** Of a record of the API, whose frontload is in per cent. */
export const goalsOf = ({
  goal_impressions,
  goal_clicks,
  frontload,
}: Pick<LineItemRecord, 'goal_impressions' | 'goal_clicks' | 'frontload'>): Goals => ({
  impressions: goal_impressions,
  clicks: goal_clicks,
  frontload: frontload / 100,
});
