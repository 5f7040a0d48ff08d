import type { Booking } from '../catalog/model/entities.ts';
import type { Slot } from '../catalog/snapshot/snapshot.ts';
import type { ConsentTrace } from '../context/consent/consent.ts';
import { NoBidReason, stageOf, type Stage } from '../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';
import { traceRules, traceStep, type ImpTrace, type Refusal, type RotationTrace, type TraceStep } from '../decision/trace.ts';
import { describeRefusal } from '../ledger/describe-refusal.ts';
import { reasonOf, type DecidedOpportunity } from './opportunity.ts';

/** Creatives that the trace of one request judges, divided among its impressions. */
export const MAX_TRACED = 40;

export interface AdTrace {
  readonly snapshotVersion: number;
  readonly consent: ConsentTrace;
  readonly imps: readonly ImpTrace[];
  readonly timingsMs: { readonly candidates: number; readonly bidders: number; readonly reserve: number; readonly total: number };
}

/**
 * How one impression was decided, with at most `maxBooked` of the creatives that the publisher has
 * booked on the placement: first those that the ledger or a bidder has judged, then in rank order.
 * Excludes other publishers' creatives.
 */
export const traceOpportunity = (opportunity: DecidedOpportunity, maxBooked: number): ImpTrace => {
  const { imp, query, placement, slot, considered, invited, ranking, won } = opportunity;
  const ranked = [...considered, ...(ranking?.letPass() ?? [])];
  const judged = [...ranked, ...invited, ...(ranking?.incomplete ?? []).map(({ candidate }) => candidate)];
  const booked = firstBookings(judged, slot, maxBooked);
  const head = {
    impId: imp.impId,
    ranking: ranked.slice(0, maxBooked),
    rotations: rotationsOf(ranked.slice(0, maxBooked), slot),
    winner: won?.candidate,
    reason: won ? undefined : reasonOf(opportunity),
    foreignNotices: foreignNoticesOf(opportunity),
    leftOut: placement ? bookedCount(slot) - booked.length : 0,
  };
  if (!placement) return { ...head, steps: [] };

  const steps = [...traceRules(booked, query, imp)];
  const shown = new Set(booked.map(({ creative }) => creative.id));
  const refusals = refusalsOf(opportunity, ({ creative }) => shown.has(creative.id));
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

/** Without weights every creative of a line item has the same share, and the trace does not say it. */
const rotationsOf = (ranking: readonly RankedCandidate[], { direct }: Slot): ReadonlyMap<number, RotationTrace> =>
  new Map(
    ranking.flatMap(({ creative, lineItem, position }) => {
      const share = direct?.shares?.[position];
      if (share === undefined || share === 1) return [];
      return [[creative.id, { rotation: lineItem.rotation, share, counts: direct?.at(position).counts }]];
    }),
  );

/** A creative that is booked on the slot, also if it can be served neither now nor later. */
export const bookingOf = ({ direct, programmatic, leftOut }: Slot, creativeId: number): Booking | undefined =>
  direct?.find(creativeId) ?? programmatic?.find(creativeId) ?? leftOut.find(creativeId);

/** Line items of one bidder share its bid, and the list. */
const foreignNoticesOf = ({ bids }: DecidedOpportunity): number => [...new Set(bids.map((bid) => bid.foreignNotices))].flat().length;

const bookedCount = ({ direct, programmatic, leftOut }: Slot): number => (direct?.size ?? 0) + (programmatic?.size ?? 0) + leftOut.size;

/** Reads no more of the slot than it needs. */
const firstBookings = (judged: readonly Booking[], { direct, programmatic, leftOut }: Slot, max: number): readonly Booking[] => {
  const first = new Map<number, Booking>();
  for (const bookings of [judged, direct ?? [], programmatic ?? [], leftOut])
    for (const booking of bookings) {
      if (first.size >= max) return [...first.values()];
      if (!first.has(booking.creative.id)) first.set(booking.creative.id, booking);
    }
  return [...first.values()];
};

const refusalsOf = ({ refused, bidRefusals, ranking }: DecidedOpportunity, isShown: (booking: Booking) => boolean): readonly Refusal[] => [
  ...(ranking?.leftToOthers() ?? []).filter(isShown).map((booking) => ({
    booking,
    reason: NoBidReason.ShareOfVoice,
    detail: `its share of voice is ${booking.lineItem.sales.shareOfVoice}%`,
  })),
  ...(ranking?.incomplete ?? [])
    .filter(({ candidate }) => isShown(candidate))
    .map(({ candidate, detail }) => ({ booking: candidate, reason: NoBidReason.RoadblockIncomplete, detail })),
  ...refused
    .filter(({ candidate }) => isShown(candidate))
    .map(({ candidate, reason }) => ({ booking: candidate, reason, detail: describeRefusal(reason, candidate) })),
  ...bidRefusals
    .filter(({ invitation }) => isShown(invitation))
    .map(({ invitation, reason, detail }) => ({ booking: invitation, reason, detail })),
];

/** The stages after the rules: limits always; the others when they had candidates. */
const laterStages = ({ invited, bids }: DecidedOpportunity, refusals: readonly Refusal[]): readonly Stage[] => {
  const refused = new Set(refusals.map(({ reason }) => stageOf(reason)));
  const bidding = invited.length > 0 || bids.length > 0;
  return ['limits', ...(bidding ? ['bidders' as const] : []), ...(['page', 'service'] as const).filter((stage) => refused.has(stage))];
};
