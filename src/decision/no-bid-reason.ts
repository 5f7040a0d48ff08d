/**
 * The stages of a decision, in order. The trace names them; a candidate reaches a stage by passing
 * those before it.
 */
export const STAGES = [
  'placement',
  'booked',
  'format and size',
  'flight',
  'targeting',
  'consent',
  'auction',
  'limits',
  'bidders',
  'page',
  'service',
] as const;
export type Stage = (typeof STAGES)[number];

/**
 * The status of a line item as shown to staff. Of those that apply, the first has to be changed
 * first. What each means: docs/concepts/status.md.
 */
export const DELIVERY_STATUSES = [
  'archived',
  'finished',
  'draft',
  'paused',
  'cannot serve',
  'scheduled',
  'goal reached',
  'budget spent',
  'capped',
  'outranked',
  'held back',
  'behind',
  'ahead',
  'delivering',
  'ready',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

interface Reason {
  /**
   * The number in the answer. 1 to 15 are OpenRTB's (List: No-Bid Reason Codes); 500 and above are
   * exchange-specific, as that list allows.
   */
  readonly nbr: number;
  readonly stage: Stage;
  /** In a sentence: "it is not served because …". */
  readonly words: string;
  /**
   * For a reason that refuses the line item on every request: its state. null: the reason depends
   * on the request.
   */
  readonly status: DeliveryStatus | null;
}

/**
 * Every reason why a candidate, an impression or a whole request gets no ad, in the order of the
 * decision. Of several reasons the last in this table is reported, because it came closest to an
 * ad. The table supplies `nbr`, trace, metric label, log line and delivery status.
 */
export const REASONS = {
  UnknownPlacement: { nbr: 2, stage: 'placement', words: 'the placement does not exist or belongs to another publisher', status: null },
  NothingBooked: { nbr: 500, stage: 'booked', words: 'nothing is booked on the placement', status: 'cannot serve' },
  SizeOrFormat: { nbr: 501, stage: 'format and size', words: 'the creative has another format or size', status: 'cannot serve' },
  AdvertiserBlocked: {
    nbr: 517,
    stage: 'flight',
    words: 'the publisher or the placement blocks its advertiser',
    status: 'cannot serve',
  },
  NotInFlight: { nbr: 502, stage: 'flight', words: 'it is not in flight, or paused, blocked or archived', status: null },
  OffSchedule: { nbr: 522, stage: 'flight', words: 'it serves at other hours', status: null },
  Targeting: { nbr: 503, stage: 'targeting', words: 'the request does not match the targeting', status: null },
  Consent: { nbr: 510, stage: 'consent', words: 'a frequency cap needs consent to remember the user', status: null },
  PrivateAuction: { nbr: 519, stage: 'auction', words: 'the auction is private, and it has none of its deals', status: null },
  Unsuitable: { nbr: 512, stage: 'auction', words: 'the creative is not what the auction takes', status: null },
  BelowFloor: { nbr: 511, stage: 'auction', words: 'the price is below the floor', status: null },
  ShareOfVoice: { nbr: 523, stage: 'limits', words: 'its share of voice left this request to others', status: null },
  AccountSetAside: { nbr: 514, stage: 'limits', words: 'its counters are set aside until they are repaired', status: 'cannot serve' },
  BooksRebuilding: { nbr: 520, stage: 'limits', words: 'its counters are being rebuilt after Redis lost data', status: null },
  BudgetSpent: { nbr: 504, stage: 'limits', words: 'the budget is spent or reserved', status: 'budget spent' },
  GoalReached: { nbr: 516, stage: 'limits', words: 'the goal of the flight is delivered or reserved', status: 'goal reached' },
  DailyCap: { nbr: 505, stage: 'limits', words: 'the daily cap is delivered or reserved', status: 'capped' },
  FrequencyCapped: { nbr: 9, stage: 'limits', words: 'the user has reached the frequency cap', status: null },
  NotItsTurn: { nbr: 526, stage: 'limits', words: 'the user is to see another creative of its sequence', status: null },
  Pacing: { nbr: 506, stage: 'limits', words: 'pacing holds the line item back', status: 'delivering' },
  RateLimit: { nbr: 507, stage: 'limits', words: 'the rate limit is reached', status: 'delivering' },
  HoldsNotEarned: { nbr: 515, stage: 'limits', words: 'the client holds too many ads that it has not rendered', status: null },
  CountersUnavailable: { nbr: 513, stage: 'limits', words: 'the counters are unavailable', status: null },
  BiddersOutOfTime: { nbr: 15, stage: 'bidders', words: 'the bidder did not answer in time', status: null },
  BiddersDidNotBid: { nbr: 508, stage: 'bidders', words: 'the bidder did not bid', status: null },
  RoadblockIncomplete: {
    nbr: 525,
    stage: 'page',
    words: 'the page does not show all placements of its roadblock',
    status: null,
  },
  DuplicateInPage: { nbr: 509, stage: 'page', words: 'another impression of the page shows the creative', status: null },
  CompetitorInPage: { nbr: 518, stage: 'page', words: 'another impression of the page excludes its advertiser', status: null },
  BreakFull: { nbr: 527, stage: 'page', words: 'it is longer than what is left of the ad break', status: null },
  TechnicalError: { nbr: 1, stage: 'service', words: 'the service failed', status: null },
} as const satisfies Readonly<Record<string, Reason>>;

type ReasonKey = keyof typeof REASONS;

/** The reasons by name: `NoBidReason.DailyCap` is 505. */
export const NoBidReason = Object.fromEntries(Object.entries(REASONS).map(([key, { nbr }]) => [key, nbr])) as {
  readonly [Key in ReasonKey]: (typeof REASONS)[Key]['nbr'];
};
export type NoBidReason = (typeof REASONS)[ReasonKey]['nbr'];

const ENTRIES = new Map<NoBidReason, Reason & { readonly name: string; readonly rank: number }>(
  Object.entries(REASONS).map(([key, reason], rank) => [
    reason.nbr,
    { ...reason, rank, name: key.replace(/(?!^)([A-Z])/g, '_$1').toLowerCase() },
  ]),
);

const entryOf = (reason: NoBidReason) => ENTRIES.get(reason) ?? { ...REASONS.TechnicalError, name: 'technical_error', rank: Infinity };

/** In snake case, for metric labels, traces and log lines: a closed set. */
export const reasonName = (reason: NoBidReason): string => entryOf(reason).name;

export const reasonNames: readonly string[] = [...ENTRIES.values()].map(({ name }) => name);

/** undefined: none has this name. */
export const reasonNamed = (name: string): NoBidReason | undefined => [...ENTRIES].find(([, entry]) => entry.name === name)?.[0];

export const stageOf = (reason: NoBidReason): Stage => entryOf(reason).stage;

export const wordsOf = (reason: NoBidReason): string => entryOf(reason).words;

export const statusOf = (reason: NoBidReason): DeliveryStatus | null => entryOf(reason).status;

/** The reason that comes later in the table. */
export const latestReason = (a: NoBidReason, b: NoBidReason): NoBidReason => (entryOf(b).rank > entryOf(a).rank ? b : a);
