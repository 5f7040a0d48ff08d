import type { Campaign, Creative, LineItem } from '../catalog/model/entities.ts';
import { matchTargeting } from '../targeting/match-targeting.ts';
import type { AdQuery, ImpQuery } from './ad-query.ts';
import { fitsSlot } from './fits-slot.ts';
import { isLive } from './is-live.ts';
import { NoBidReason, reasonName } from './no-bid-reason.ts';
import type { RankedCandidate } from './ranked-candidate.ts';

/** A creative that stands on the placement, whether or not it can run now. */
export interface BookedCreative {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Why the load of the catalog already left it out. */
  readonly leftOut?: { readonly nbr: NoBidReason; readonly detail: string };
}

/** One step of the decision: what came through it and what it stopped. The names are those of the answer's JSON. */
export interface TraceStep {
  readonly stage: string;
  readonly creative_ids: readonly number[];
  readonly line_item_ids: readonly number[];
  readonly rejected: readonly TraceRejection[];
}

export interface TraceRejection {
  readonly creative_id: number;
  readonly line_item_id: number;
  readonly reason: string;
  readonly nbr: NoBidReason;
  readonly detail: string;
}

export interface ImpTrace {
  readonly impid: string;
  readonly steps: readonly TraceStep[];
  readonly ranking: readonly {
    readonly creative_id: number;
    readonly line_item_id: number;
    readonly priority: number;
    readonly ecpm: number;
    readonly programmatic: boolean;
  }[];
  readonly winner: { readonly creative_id: number; readonly line_item_id: number; readonly price: number } | null;
  readonly nbr?: NoBidReason;
}

/** Why a creative does not go on from a stage, or undefined. */
type Rule = (booked: BookedCreative) => { readonly nbr: NoBidReason; readonly detail: string } | undefined;

/** The steps up to the limits, told one by one. The plain twin of the index and of `rankCandidates`, for people. */
export const traceCandidates = (
  booked: readonly BookedCreative[],
  query: AdQuery,
  imp: ImpQuery,
): { readonly steps: readonly TraceStep[]; readonly left: readonly BookedCreative[] } => {
  const rules: readonly (readonly [string, Rule])[] = [
    ['format and size', (candidate) => refuseSlot(candidate, imp)],
    ['flight', (candidate) => refuseFlight(candidate, query.atMs)],
    [
      'targeting',
      ({ lineItem }) => {
        const refusal = matchTargeting(lineItem.targeting, query.targeting);
        return refusal && { nbr: NoBidReason.Targeting, detail: `${refusal.rule}: ${refusal.detail}` };
      },
    ],
    [
      'consent',
      ({ lineItem }) =>
        lineItem.frequencyCap && !query.mayRemember
          ? { nbr: NoBidReason.Consent, detail: 'a frequency cap needs consent to remember the user' }
          : undefined,
    ],
  ];
  const steps: TraceStep[] = [traceStep('booked', booked, [])];
  let left = booked;
  for (const [stage, rule] of rules) {
    const rejected: TraceRejection[] = [];
    left = left.filter((candidate) => {
      const refusal = rule(candidate);
      if (refusal) rejected.push(traceRejection(candidate, refusal.nbr, refusal.detail));
      return !refusal;
    });
    steps.push(traceStep(stage, left, rejected));
  }
  return { steps, left };
};

export const traceStep = (stage: string, through: readonly BookedCreative[], rejected: readonly TraceRejection[]): TraceStep => ({
  stage,
  creative_ids: through.map(({ creative }) => creative.id),
  line_item_ids: [...new Set(through.map(({ lineItem }) => lineItem.id))],
  rejected,
});

export const traceRejection = ({ creative, lineItem }: BookedCreative, nbr: NoBidReason, detail: string): TraceRejection => ({
  creative_id: creative.id,
  line_item_id: lineItem.id,
  reason: reasonName(nbr),
  nbr,
  detail,
});

export const traceRanking = (ranked: readonly RankedCandidate[]): ImpTrace['ranking'] =>
  ranked.map(({ creative, lineItem, ecpmMicros, bid }) => ({
    creative_id: creative.id,
    line_item_id: lineItem.id,
    priority: lineItem.priority,
    ecpm: ecpmMicros / 1e6,
    programmatic: bid >= 0,
  }));

const refuseSlot = ({ creative, leftOut }: BookedCreative, { slot }: ImpQuery): ReturnType<Rule> => {
  if (leftOut?.nbr === NoBidReason.SizeOrFormat) return leftOut;
  if (fitsSlot(creative, slot)) return undefined;
  return { nbr: NoBidReason.SizeOrFormat, detail: `${creative.width}×${creative.height} does not fit ${slot.width}×${slot.height}` };
};

const refuseFlight = ({ lineItem, campaign, leftOut }: BookedCreative, atMs: number): ReturnType<Rule> => {
  if (leftOut) return leftOut;
  if (isLive(lineItem, campaign, atMs)) return undefined;
  const detail = !lineItem.active
    ? 'the line item is paused'
    : atMs < Math.max(lineItem.flight.startMs, campaign.flight.startMs)
      ? 'the flight has not begun'
      : 'the flight has ended';
  return { nbr: NoBidReason.NotInFlight, detail };
};
