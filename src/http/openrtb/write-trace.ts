import type { ReadOnly } from '../../base/schema.ts';
import type { Booking } from '../../catalog/model/entities.ts';
import { reasonName, wordsOf } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { ImpTrace, RotationTrace, TraceStep } from '../../decision/trace.ts';
import type { AdTrace } from '../../serving/trace-opportunity.ts';

/** One impression in `debug.trace` of the answer, as JSON. */
export type WireImpTrace = ReadOnly<ReturnType<typeof toWireImp>>;
export type WireRotation = NonNullable<WireImpTrace['ranking'][number]['rotation']>;

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

const toWireImp = ({ impId, ranking, rotations, winner, reason, steps, leftOut, foreignNotices }: ImpTrace, max: number) => {
  const booked = steps[0]?.passed ?? [];
  const shown = new Set(booked.slice(0, max).map(({ creative }) => creative.id));
  const isShown = ({ creative }: Booking): boolean => shown.has(creative.id);
  const notShown = leftOut + Math.max(0, booked.length - max);
  return {
    impid: impId,
    ranking: ranking.filter(isShown).map((candidate) => ({
      ...idsOf(candidate),
      // What it was sold as.
      ...(candidate.lineItem.class !== null && { class: candidate.lineItem.class }),
      priority: candidate.lineItem.priority,
      ecpm: candidate.ecpmMicros / 1e6,
      programmatic: candidate.bid >= 0,
      ...opportunityCost(candidate),
      ...toWireRotation(rotations.get(candidate.creative.id)),
    })),
    winner: winner ? { ...idsOf(winner), price: winner.ecpmMicros / 1e6 } : null,
    ...(reason !== undefined && { nbr: reason }),
    steps: steps.map((step) => toWireStep(step, isShown)),
    // Creatives that are booked on the placement and not shown.
    ...(notShown !== 0 && { left_out: notShown }),
    // Notices of bids that are not sent: their hosts are neither the endpoint's nor listed.
    ...(foreignNotices !== 0 && { foreign_notices: foreignNotices }),
  };
};

/** Of a line item that yields to bidders, where there was a bid: the CPM above which it does; null: none, it is not ahead of its goal. */
const opportunityCost = ({ opportunityMicros: micros }: RankedCandidate) =>
  micros !== undefined && { opportunity_cost: micros === Infinity ? null : micros / 1e6 };

/**
 * Where it shares the impressions of its line item on this placement with others, unless all alike. The counts are net, of the
 * last 30 days: what an optimised rotation has learned from.
 */
const toWireRotation = (trace: RotationTrace | undefined) =>
  trace && { rotation: { mode: trace.rotation, share: Math.round(trace.share * 1e4) / 1e4, ...trace.counts } };

const toWireStep = ({ stage, passed, refused }: TraceStep, isShown: (booking: Booking) => boolean) => {
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
