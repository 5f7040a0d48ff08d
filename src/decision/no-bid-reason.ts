/**
 * Why a candidate, an impression or a whole request got no ad. One value with four readings: `nbr` in the answer, the reason in the
 * trace, the label of the metric and the word in a log line.
 *
 * Codes 1–15 are OpenRTB's (List: No-Bid Reason Codes); 500 and above are exchange-specific, as that list allows, and documented in docs/api.md.
 */
export const NoBidReason = {
  TechnicalError: 1,
  UnknownPlacement: 2,
  FrequencyCapped: 9,
  BiddersOutOfTime: 15,
  NothingBooked: 500,
  SizeOrFormat: 501,
  NotInFlight: 502,
  Targeting: 503,
  BudgetSpent: 504,
  DailyCap: 505,
  Pacing: 506,
  RateLimit: 507,
  BiddersDidNotBid: 508,
  DuplicateInPage: 509,
  Consent: 510,
  CountersUnavailable: 513,
} as const;
export type NoBidReason = (typeof NoBidReason)[keyof typeof NoBidReason];

/** The order of the road: of several reasons, the one that stands later here is reported, because it came closest to an ad. */
const STAGES: readonly NoBidReason[] = [
  NoBidReason.UnknownPlacement,
  NoBidReason.NothingBooked,
  NoBidReason.SizeOrFormat,
  NoBidReason.NotInFlight,
  NoBidReason.Targeting,
  NoBidReason.Consent,
  NoBidReason.BudgetSpent,
  NoBidReason.DailyCap,
  NoBidReason.FrequencyCapped,
  NoBidReason.Pacing,
  NoBidReason.RateLimit,
  NoBidReason.CountersUnavailable,
  NoBidReason.BiddersOutOfTime,
  NoBidReason.BiddersDidNotBid,
  NoBidReason.DuplicateInPage,
  NoBidReason.TechnicalError,
];

const STAGE_OF = new Map<NoBidReason, number>(STAGES.map((reason, stage) => [reason, stage]));

/** The reason of the later stage. */
export const latestReason = (a: NoBidReason, b: NoBidReason): NoBidReason => ((STAGE_OF.get(b) ?? 0) > (STAGE_OF.get(a) ?? 0) ? b : a);

/** The reason's name in snake case, for metric labels and log lines: a closed set. */
export const reasonName = (reason: NoBidReason): string => NAME_OF.get(reason) ?? 'technical_error';

const NAME_OF = new Map<NoBidReason, string>(
  Object.entries(NoBidReason).map(([name, reason]) => [reason, name.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase()]),
);
