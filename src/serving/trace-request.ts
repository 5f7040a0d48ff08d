import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { describeRefusal } from '../decision/describe-refusal.ts';
import type { NoBidReason } from '../decision/no-bid-reason.ts';
import { traceCandidates, traceRanking, traceRejection, traceStep, type ImpTrace } from '../decision/trace.ts';
import type { AdRequest } from './ad-request.ts';
import { bookedFor } from './booked-for.ts';
import type { Opportunity } from './opportunity.ts';

export interface AdTrace {
  readonly snapshot_version: number;
  readonly imps: readonly ImpTrace[];
  readonly timings_ms: Readonly<Record<string, number>>;
}

/** How one impression was decided, every creative of the placement accounted for. Never another publisher's. */
export const traceOpportunity = (
  opportunity: Opportunity,
  request: AdRequest,
  snapshot: Snapshot,
  nbr: NoBidReason | undefined,
): ImpTrace => {
  const { imp, placement, considered, refused, bidRefusals, invitation, bids, won } = opportunity;
  const winner = won
    ? { creative_id: won.candidate.creative.id, line_item_id: won.candidate.lineItem.id, price: won.candidate.ecpmMicros / 1e6 }
    : null;
  const head = { impid: imp.impId, ranking: traceRanking(considered), winner, ...(nbr === undefined ? {} : { nbr }) };
  if (!placement) return { ...head, steps: [] };

  const { steps, left } = traceCandidates(bookedFor(snapshot, request.publisher.id, placement.id), request.query, imp);
  const stopped = new Set(refused.map(({ candidate }) => candidate.creative.id));
  const silent = new Set(bidRefusals.map((refusal) => refusal.invitation.creative.id));
  const afterBids = left.filter(({ creative }) => !silent.has(creative.id));
  return {
    ...head,
    steps: [
      ...steps,
      ...(invitation || bids.length > 0
        ? [
            traceStep(
              'bidders',
              afterBids,
              bidRefusals.map((refusal) => traceRejection(refusal.invitation, refusal.reason, refusal.detail)),
            ),
          ]
        : []),
      traceStep(
        'limits',
        afterBids.filter(({ creative }) => !stopped.has(creative.id)),
        refused.map(({ candidate, nbr: reason }) => traceRejection(candidate, reason, describeRefusal(reason, candidate))),
      ),
    ],
  };
};
