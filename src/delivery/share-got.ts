import { STAGES, stageOf, type NoBidReason } from '../decision/no-bid-reason.ts';
import type { HourlyRefusals } from '../events/postgres/refusal-store.ts';
import { OUTRANKED } from '../serving/count-refusals.ts';
import type { ShareOfVoice } from './delivery.ts';

/** With fewer requests the share is mostly chance: of 100 it is off by up to 9 per cent of all. */
const MIN_REQUESTS = 100;

type Refused = Pick<HourlyRefusals, 'hour' | 'reason' | 'impressions'>;
type Span = ShareOfVoice['today'];

/** What was selected since a moment, of impressions that the line item could serve. */
export interface Selected {
  readonly serves: number;
  readonly fromMs: number;
}

/**
 * The share of voice that a line item has got: what was selected, of this and of the impressions that its rules let it
 * serve and that it did not get.
 */
export const shareGot = (
  booked: number,
  refused: readonly Refused[],
  { today, week }: { readonly today: Selected; readonly week: Selected },
): ShareOfVoice => ({ booked, today: spanOf(refused, today), week: spanOf(refused, week) });

const spanOf = (refused: readonly Refused[], { serves, fromMs }: Selected): Span => {
  const lost = refused
    .filter(({ hour, reason }) => hour.getTime() >= fromMs && couldServe(reason))
    .reduce((sum, { impressions }) => sum + impressions, 0);
  const impressions = serves + lost;
  return { impressions, got: impressions < MIN_REQUESTS ? null : (100 * serves) / impressions };
};

/** Its rules let it: it was refused for its share, a limit or what the page has, or something else was shown. */
const couldServe = (reason: Refused['reason']): boolean =>
  reason === OUTRANKED || STAGES.indexOf(stageOf(reason as NoBidReason)) >= STAGES.indexOf('limits');
