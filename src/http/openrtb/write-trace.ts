import type { Booking } from '../../catalog/model/entities.ts';
import { reasonName, wordsOf, type NoBidReason, type Stage } from '../../decision/no-bid-reason.ts';
import type { ImpTrace, TraceStep } from '../../decision/trace.ts';
import type { AdTrace } from '../../serving/trace-opportunity.ts';

/** One impression in `debug.trace` of the answer, as JSON. */
export interface WireImpTrace {
  readonly impid: string;
  readonly ranking: readonly {
    readonly creative_id: number;
    readonly line_item_id: number;
    readonly priority: number;
    readonly ecpm: number;
    readonly programmatic: boolean;
  }[];
  readonly winner: { readonly creative_id: number; readonly line_item_id: number; readonly price: number } | null;
  readonly nbr?: NoBidReason;
  readonly steps: readonly WireTraceStep[];
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

/** The trace as JSON text. Money in USD. */
export const writeTrace = ({ snapshotVersion, imps, timingsMs }: AdTrace, disclosure: Disclosure): string => {
  const wire = imps.map(toWireImp);
  return JSON.stringify({
    snapshot_version: snapshotVersion,
    imps: disclosure === 'full' ? wire : wire.map(withoutFigures),
    timings_ms: timingsMs,
    ...(disclosure === 'full' ? {} : { withheld: 'prices, priorities, limits and targeting, without a debug_grant' }),
  });
};

/** Ids, stages and reasons only; `detail` becomes the general words of the reason. */
const withoutFigures = ({ ranking, steps, ...imp }: WireImpTrace) => ({
  ...imp,
  ranking: ranking.map(({ creative_id, line_item_id }) => ({ creative_id, line_item_id })),
  steps: steps.map((step) => ({ ...step, rejected: step.rejected.map((one) => ({ ...one, detail: wordsOf(one.nbr) })) })),
});

const toWireImp = ({ impId, ranking, winner, reason, steps }: ImpTrace): WireImpTrace => ({
  impid: impId,
  ranking: ranking.map((candidate) => ({
    ...idsOf(candidate),
    priority: candidate.lineItem.priority,
    ecpm: candidate.ecpmMicros / 1e6,
    programmatic: candidate.bid >= 0,
  })),
  winner: winner ? { ...idsOf(winner), price: winner.ecpmMicros / 1e6 } : null,
  ...(reason === undefined ? {} : { nbr: reason }),
  steps: steps.map(toWireStep),
});

const toWireStep = ({ stage, passed, refused }: TraceStep): WireTraceStep => ({
  stage,
  creative_ids: passed.map(({ creative }) => creative.id),
  line_item_ids: [...new Set(passed.map(({ lineItem }) => lineItem.id))],
  rejected: refused.map(({ booking, reason, detail }) => ({ ...idsOf(booking), reason: reasonName(reason), nbr: reason, detail })),
});

const idsOf = ({ creative, lineItem }: Booking) => ({ creative_id: creative.id, line_item_id: lineItem.id });
