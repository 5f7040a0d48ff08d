import type { CreativeCounts } from '../catalog/model/catalog-reading.ts';
import type { Booking } from '../catalog/model/entities.ts';
import type { Rotation } from '../catalog/model/choices.ts';
import type { AdQuery, ImpQuery } from './ad-query.ts';
import { stageOf, type NoBidReason, type Stage } from './no-bid-reason.ts';
import type { RankedCandidate } from './ranked-candidate.ts';
import { firstRefusal, rulesOf } from './rules.ts';

/** One step of the decision: the candidates that passed it, and those that it refused. */
export interface TraceStep {
  readonly stage: Stage;
  readonly passed: readonly Booking[];
  readonly refused: readonly Refusal[];
}

/** A candidate that a step refused. */
export interface Refusal {
  readonly booking: Booking;
  readonly reason: NoBidReason;
  readonly detail: string;
}

/** How the creatives of a line item share its impressions on a placement. */
export interface RotationTrace {
  readonly rotation: Rotation;
  /** Of the impressions of its line item there. */
  readonly share: number;
  /** What an optimised rotation has learned from; undefined: it does not learn. */
  readonly counts: CreativeCounts | undefined;
}

/** How one impression was decided. */
export interface ImpTrace {
  readonly impId: string;
  readonly steps: readonly TraceStep[];
  /** Booked creatives that the trace does not show, because there are too many. */
  readonly leftOut: number;
  /** Notices of bids that are not sent, because the bidder may not name their hosts. */
  readonly foreignNotices: number;
  readonly ranking: readonly RankedCandidate[];
  /** By creative, of those in the ranking that share the impressions of their line item with others. */
  readonly rotations: ReadonlyMap<number, RotationTrace>;
  readonly winner: RankedCandidate | undefined;
  /** Why the impression was not filled; undefined when it was. */
  readonly reason: NoBidReason | undefined;
}

/**
 * Evaluates the rules that need no counter, stage by stage, for creatives that are booked on the
 * placement.
 */
export const traceRules = (booked: readonly Booking[], query: AdQuery, imp: ImpQuery): readonly TraceStep[] => {
  const steps: TraceStep[] = [{ stage: 'booked', passed: booked, refused: [] }];
  let passed = booked;
  const rules = rulesOf(imp);
  // Once for all stages: the targeting of a line item is decoded whenever it is read.
  const refusing = new Map(booked.map((booking) => [booking, firstRefusal(rules, booking, query, imp)]));
  for (const stage of new Set(rules.map(({ reason }) => stageOf(reason)))) {
    const refused = passed.flatMap((booking): Refusal[] => {
      const rule = refusing.get(booking);
      return rule && stageOf(rule.reason) === stage ? [{ booking, reason: rule.reason, detail: rule.words(booking, query, imp) }] : [];
    });
    steps.push(traceStep(stage, passed, refused));
    passed = steps.at(-1)!.passed;
  }
  return steps;
};

/** The step of one stage for refusals decided elsewhere: by the ledger or the bidders. */
export const traceStep = (stage: Stage, reached: readonly Booking[], refused: readonly Refusal[]): TraceStep => {
  const ids = new Set(refused.map(({ booking }) => booking.creative.id));
  return { stage, passed: reached.filter(({ creative }) => !ids.has(creative.id)), refused };
};
