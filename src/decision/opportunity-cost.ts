/**
 * What it costs to show a bid in place of a guaranteed line item (dynamic allocation). A line item whose
 * ads bidders may have runs ahead of the even line of its flight: by LEAD at first, as `frontload` does,
 * so that later it can leave requests to bids and still reach its goal. The further ahead it is of what is
 * due, the less a bid has to pay; one that is not ahead yields to none. Since the price follows from the
 * lead and every ad left to a bidder shortens it, the price settles where the line item keeps as many
 * requests as it needs, those with the lowest bids.
 */

/** As a share: how far above the even rate such a line item begins. Half of the most that `frontload` may be. */
export const LEAD = 0.15;

/** A lead of less than this share of the goal is chance, and ads on their way. */
const MIN_FULL_LEAD = 0.004;

export interface GoalPace {
  readonly goal: number;
  /** Counted towards it. */
  readonly delivered: number;
  /** Of its flight, by the traffic that has passed: 0 to 1. */
  readonly share: number;
}

/**
 * The opportunity cost, as a multiple of the line item's own price: 0 when it is as far ahead as LEAD
 * leads, 1 when it is half as far, Infinity when it is on its line or behind it.
 */
export const opportunityFactor = ({ goal, delivered, share }: GoalPace): number => {
  const lead = delivered / goal - share;
  const full = Math.max(LEAD * share * (1 - share), MIN_FULL_LEAD);
  if (lead <= 0 || lead * goal < 1) return Infinity;
  return lead >= full ? 0 : (full - lead) / lead;
};
