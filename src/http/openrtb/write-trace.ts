import type { Booking } from '../../catalog/model/entities.ts';
import { reasonName, wordsOf, type NoBidReason, type Stage } from '../../decision/no-bid-reason.ts';
import type { LineItemClass } from '../../catalog/model/line-item-classes.ts';
import type { Rotation } from '../../catalog/model/choices.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { ImpTrace, RotationTrace, TraceStep } from '../../decision/trace.ts';
import type { AdTrace } from '../../serving/trace-opportunity.ts';

/** One impression in `debug.trace` of the answer, as JSON. */
export interface WireImpTrace {
  readonly impid: string;
  readonly ranking: readonly {
    readonly creative_id: number;
    readonly line_item_id: number;
    /** What it was sold as, where it has a class. */
    readonly class?: LineItemClass;
    readonly priority: number;
    readonly ecpm: number;
    readonly programmatic: boolean;
    /** Of a line item that yields to bidders, where there was a bid: the CPM above which it does; null: none, it is not ahead of its goal. */
    readonly opportunity_cost?: number | null;
    /** Where it shares the impressions of its line item with others, unless all alike. */
    readonly rotation?: WireRotation;
  }[];
  readonly winner: { readonly creative_id: number; readonly line_item_id: number; readonly price: number } | null;
  readonly nbr?: NoBidReason;
  readonly steps: readonly WireTraceStep[];
  /** Creatives that are booked on the placement and not shown. */
  readonly left_out?: number;
  /** Notices of bids that are not sent: their hosts are neither the endpoint's nor listed. */
  readonly foreign_notices?: number;
}

export interface WireRotation {
  readonly mode: Rotation;
  /** Of the impressions of its line item on this placement. */
  readonly share: number;
  /** Net, of the last 30 days: what an optimised rotation has learned from. */
  readonly impressions?: number;
  readonly clicks?: number;
}

export interface WireTraceStep {
  readonly stage: Stage;
  readonly creative_ids: readonly number[];
  readonly line_item_ids: readonly number[];
  readonly rejected: readonly {
    readonly creative_id: number;
    readonly line_item_id: number;
    readonly reason: string;
    readonly nbr: NoBidReason;
    readonly detail: string;
  }[];
}

/**
 * How much a trace tells. `public`: the client knows no more than the key of a page, so the prices,
 * priorities, limits and targeting of line items that did not win are left out.
 */
export type Disclosure = 'full' | 'public';

/**
 * Of the trace, in UTF-16 units. With the bids and tokens of 20 impressions, an answer of our own
 * making stays under 64 kB.
 */
export const MAX_TRACE_LENGTH = 24_000;
/** Of the words of one refusal. */
const MAX_DETAIL_LENGTH = 200;

/**
 * The trace as JSON text. Money in the publisher's currency. A trace that is too long shows fewer creatives of each
 * impression: as many as the length of the first impression suggests, fewer if that is too long.
 */
export const writeTrace = (trace: AdTrace, disclosure: Disclosure): string => {
  const { imps } = trace;
  let max = Math.max(0, ...imps.map(({ steps }) => steps[0]?.passed.length ?? 0));
  if (imps.length > 1) {
    const expected = JSON.stringify(toWireImp(imps[0]!, max)).length * imps.length;
    if (expected > MAX_TRACE_LENGTH) max = Math.floor((max * MAX_TRACE_LENGTH) / expected);
  }
  for (;;) {
    const text = JSON.stringify(toWire(trace, max, disclosure));
    if (text.length <= MAX_TRACE_LENGTH || max === 0) return text;
    max = Math.floor((max * MAX_TRACE_LENGTH) / text.length);
  }
};

const toWire = ({ snapshotVersion, consent, imps, timingsMs }: AdTrace, max: number, disclosure: Disclosure) => {
  const wire = imps.map((imp) => toWireImp(imp, max));
  return {
    snapshot_version: snapshotVersion,
    consent,
    imps: disclosure === 'full' ? wire : wire.map(withoutFigures),
    timings_ms: timingsMs,
    ...(disclosure === 'full' ? {} : { withheld: 'prices, priorities, limits and targeting, without a debug_grant' }),
  };
};

/** Ids, stages and reasons only; `detail` becomes the general words of the reason. */
const withoutFigures = ({ ranking, steps, ...imp }: WireImpTrace) => ({
  ...imp,
  ranking: ranking.map(({ creative_id, line_item_id }) => ({ creative_id, line_item_id })),
  steps: steps.map((step) => ({ ...step, rejected: step.rejected.map((one) => ({ ...one, detail: wordsOf(one.nbr) })) })),
});

const toWireImp = ({ impId, ranking, rotations, winner, reason, steps, leftOut, foreignNotices }: ImpTrace, max: number): WireImpTrace => {
  const booked = steps[0]?.passed ?? [];
  const shown = new Set(booked.slice(0, max).map(({ creative }) => creative.id));
  const isShown = ({ creative }: Booking): boolean => shown.has(creative.id);
  const notShown = leftOut + Math.max(0, booked.length - max);
  return {
    impid: impId,
    ranking: ranking.filter(isShown).map((candidate) => ({
      ...idsOf(candidate),
      ...(candidate.lineItem.class !== null && { class: candidate.lineItem.class }),
      priority: candidate.lineItem.priority,
      ecpm: candidate.ecpmMicros / 1e6,
      programmatic: candidate.bid >= 0,
      ...opportunityCost(candidate),
      ...toWireRotation(rotations.get(candidate.creative.id)),
    })),
    winner: winner ? { ...idsOf(winner), price: winner.ecpmMicros / 1e6 } : null,
    ...(reason === undefined ? {} : { nbr: reason }),
    steps: steps.map((step) => toWireStep(step, isShown)),
    ...(notShown === 0 ? {} : { left_out: notShown }),
    ...(foreignNotices === 0 ? {} : { foreign_notices: foreignNotices }),
  };
};

const opportunityCost = ({ opportunityMicros: micros }: RankedCandidate): { readonly opportunity_cost?: number | null } =>
  micros === undefined ? {} : { opportunity_cost: micros === Infinity ? null : micros / 1e6 };

const toWireRotation = (trace: RotationTrace | undefined): { readonly rotation?: WireRotation } =>
  trace ? { rotation: { mode: trace.rotation, share: Math.round(trace.share * 1e4) / 1e4, ...trace.counts } } : {};

const toWireStep = ({ stage, passed, refused }: TraceStep, isShown: (booking: Booking) => boolean): WireTraceStep => {
  const shown = passed.filter(isShown);
  return {
    stage,
    creative_ids: shown.map(({ creative }) => creative.id),
    line_item_ids: [...new Set(shown.map(({ lineItem }) => lineItem.id))],
    rejected: refused
      .filter(({ booking }) => isShown(booking))
      .map(({ booking, reason, detail }) => ({
        ...idsOf(booking),
        reason: reasonName(reason),
        nbr: reason,
        detail: detail.length > MAX_DETAIL_LENGTH ? `${detail.slice(0, MAX_DETAIL_LENGTH)}…` : detail,
      })),
  };
};

const idsOf = ({ creative, lineItem }: Booking) => ({ creative_id: creative.id, line_item_id: lineItem.id });
