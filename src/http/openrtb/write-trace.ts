import type { Booking } from '../../catalog/model/entities.ts';
import { reasonName, type NoBidReason, type Stage } from '../../decision/no-bid-reason.ts';
import type { ImpTrace, TraceStep } from '../../decision/trace.ts';
import type { AdTrace } from '../../serving/trace-opportunity.ts';

/** `debug.trace` of the answer, as JSON. */
export interface WireTrace {
  readonly snapshot_version: number;
  /** What the consent signals withhold, from whom, and why. */
  readonly consent: {
    readonly remember: boolean;
    readonly measure: boolean;
    readonly withheld: readonly { readonly field: string; readonly from: string; readonly why: string }[];
  };
  readonly imps: readonly WireImpTrace[];
  readonly timings_ms: AdTrace['timingsMs'];
}

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

/** The trace as JSON text. Money in USD. */
export const writeTrace = ({ snapshotVersion, consent, imps, timingsMs }: AdTrace): string => {
  const trace: WireTrace = { snapshot_version: snapshotVersion, consent, imps: imps.map(toWireImp), timings_ms: timingsMs };
  return JSON.stringify(trace);
};

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
