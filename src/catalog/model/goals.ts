/** What a line item should have delivered at the end of its flight, and never exceeds. */
export interface Goals {
  /** null: no goal. */
  readonly impressions: number | null;
  readonly clicks: number | null;
  /** How far above the even rate pacing begins, as a share of it; the rate ends as far below. */
  readonly frontload: number;
}

export const NO_GOALS: Goals = { impressions: null, clicks: null, frontload: 0 };

/** The goals in a record of the API. */
export interface GoalFields {
  readonly goal_impressions: number | null;
  readonly goal_clicks: number | null;
  /** Percent. */
  readonly frontload: number;
}

export const goalsOf = ({ goal_impressions, goal_clicks, frontload }: GoalFields): Goals => ({
  impressions: goal_impressions,
  clicks: goal_clicks,
  frontload: frontload / 100,
});
