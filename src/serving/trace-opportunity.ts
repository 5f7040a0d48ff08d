import type { Booking } from '../catalog/model/entities.ts';
import type { Slot } from '../catalog/snapshot/snapshot.ts';
import { stageOf, type Stage } from '../decision/no-bid-reason.ts';
import { traceRules, traceStep, type ImpTrace, type Refusal, type TraceStep } from '../decision/trace.ts';
import { describeRefusal } from '../ledger/describe-refusal.ts';
import { reasonOf, type DecidedOpportunity } from './opportunity.ts';

export interface AdTrace {
  readonly snapshotVersion: number;
  readonly imps: readonly ImpTrace[];
  readonly timingsMs: { readonly candidates: number; readonly bidders: number; readonly reserve: number; readonly total: number };
}

/**
 * How one impression was decided, with every creative that the publisher has booked on the
 * placement. Excludes other publishers' creatives.
 */
export const traceOpportunity = (opportunity: DecidedOpportunity): ImpTrace => {
  const { imp, query, placement, slot, considered, won } = opportunity;
  const head = { impId: imp.impId, ranking: considered, winner: won?.candidate, reason: won ? undefined : reasonOf(opportunity) };
  if (!placement) return { ...head, steps: [] };

  const steps = [...traceRules(bookingsOf(slot), query, imp)];
  const refusals = refusalsOf(opportunity);
  for (const stage of laterStages(opportunity, refusals)) {
    const reached = (steps.at(-1) as TraceStep).passed;
    steps.push(
      traceStep(
        stage,
        reached,
        refusals.filter(({ reason }) => stageOf(reason) === stage),
      ),
    );
  }
  return { ...head, steps };
};

/** Everything that is booked, including what can be served neither now nor later. */
export const bookingsOf = ({ direct, programmatic, leftOut }: Slot): readonly Booking[] => [
  ...(direct?.entries ?? []),
  ...(programmatic?.entries ?? []),
  ...leftOut,
];

const refusalsOf = ({ refused, bidRefusals }: DecidedOpportunity): readonly Refusal[] => [
  ...refused.map(({ candidate, reason }) => ({ booking: candidate, reason, detail: describeRefusal(reason, candidate) })),
  ...bidRefusals.map(({ invitation, reason, detail }) => ({ booking: invitation, reason, detail })),
];

/** The stages after the rules: limits always; the others when they had candidates. */
const laterStages = ({ invited, bids }: DecidedOpportunity, refusals: readonly Refusal[]): readonly Stage[] => {
  const refused = new Set(refusals.map(({ reason }) => stageOf(reason)));
  const bidding = invited.length > 0 || bids.length > 0;
  return ['limits', ...(bidding ? ['bidders' as const] : []), ...(['page', 'service'] as const).filter((stage) => refused.has(stage))];
};
