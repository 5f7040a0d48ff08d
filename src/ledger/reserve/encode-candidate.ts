import { commonFlight, type Campaign, type Creative, type LineItem } from '../../catalog/model/entities.ts';
import { PRIOR_CLICK_RATE } from '../../catalog/snapshot/ecpm.ts';
import type { ScheduledCurve } from '../../catalog/snapshot/scheduled-curve.ts';
import type { Turn } from '../../catalog/snapshot/snapshot.ts';
import type { SiblingCounts } from '../../catalog/snapshot/siblings.ts';
import { LEAD } from '../../decision/opportunity-cost.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import { adsOf, type Block, type RankedCandidate } from '../../decision/ranked-candidate.ts';
import { encodeRow, luaReader, luaTable, rowOf } from '../../redis/script-fields.ts';
import { accountField, servesField } from '../ledger-keys.ts';
import { capTriples, countedOf, countsOf, type CountedBooking } from '../frequency-counters.ts';
import { billsOnOf, holdsPrice, limitsOf } from '../limits.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';

/** The part that does not change within a snapshot. */
const LASTING_FIELDS = [
  'lineItem',
  'campaign',
  'creative',
  'tally',
  'holdsPrice',
  'dailyImpressions',
  'dailySpendMicros',
  'budgetMicros',
  'campaignBudgetMicros',
  'campaignDailyMicros',
  'caps',
  'counted',
  'windowMs',
  'ratePerSecond',
  'rateBurst',
  'pacing',
  'flightEndMs',
] as const;

/**
 * One candidate as a script reads it. The prices come after the rest, because a bid may replace
 * them. What few candidates have comes last and is left out, or false before what follows: `goal`, an
 * array by GOAL_FIELDS; `siblings`, one by SIBLING_FIELDS; `schedule`, one by SCHEDULE_FIELDS; what `page.lua` reads of an advertiser; of a sequence
 * `turn`, its counter, window (ms), step and number of steps; and of a roadblock how many
 * ads it takes, `count`, and for each but the first, in `block`, its impression of the request (from 1), creative and tally; with the
 * impression 0 the placement that a later request of the page view asks for, too. Of a candidate for an impression of a pod,
 * `pod`: an array by POD_FIELDS.
 */
const CANDIDATE_FIELDS = [
  ...LASTING_FIELDS,
  'priceMicros',
  'expectedMicros',
  'goal',
  'siblings',
  'schedule',
  'advertiser',
  'exclusive',
  'exclusionLabels',
  'turn',
  'count',
  'block',
  'pod',
] as const;

/** What `pod.lua` reads: as PodShare. `POD.LEFT_MS` in Lua is a position. */
const POD_FIELDS = ['id', 'leftMs', 'durationMs', 'advertisers', 'isBid'] as const;

/** The goals of a flight and how pacing spreads it. `GOAL.IMPRESSIONS` in Lua is a position. */
const GOAL_FIELDS = ['impressions', 'clicks', 'clickRate', 'flightStartMs', 'frontload'] as const;

/** What the replica knows of the line items under a campaign's budget. `TOLD.PACED` in Lua is a position. */
const SIBLING_FIELDS = ['asOf', 'paced', 'asap'] as const;

/** The day of a line item that serves at some hours only. `OWN.TODAY` in Lua is a position. */
const SCHEDULE_FIELDS = ['startMs', 'lengthMs', 'shareBefore', 'shareOfPiece', 'hours', 'today', 'later'] as const;

const positionsOf = (fields: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(fields.map((field, i) => [field, i + 1]));

/**
 * Lua for every script that checks candidates: `candidate_record`, the numbers of the no-bid
 * reasons, `NBR`, the positions of a goal, `GOAL`, of what is told of siblings, `TOLD`, of a schedule, `OWN`, and of a pod, `POD`, and what accounts
 * need.
 */
export const CANDIDATE_LUA: readonly string[] = [
  ...ACCOUNT_LUA,
  luaReader('candidate_record', CANDIDATE_FIELDS),
  luaTable('NBR', NoBidReason),
  luaTable('GOAL', positionsOf(GOAL_FIELDS)),
  luaTable('TOLD', positionsOf(SIBLING_FIELDS)),
  luaTable('OWN', positionsOf(SCHEDULE_FIELDS)),
  luaTable('POD', positionsOf(POD_FIELDS)),
];

/** The value of a limit that is not set. */
const NONE = -1;

/** A candidate as the JSON array that scripts read. `siblings`: of its campaign's budget, if it is known. */
export type EncodeCandidate = (candidate: RankedCandidate, siblings?: SiblingCounts, schedule?: ScheduledCurve) => string;

interface Written {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  readonly clickRate: number;
  readonly turn: Turn | undefined;
  readonly siblings: SiblingCounts | undefined;
  readonly schedule: ScheduledCurve | undefined;
  /** The array without its prices and what follows them. */
  readonly text: string;
  /** What few candidates have: what follows the prices. */
  readonly more: readonly (string | undefined)[];
  /** As text. */
  readonly rest: string;
}

/** Everything but the prices is encoded once per creative of a snapshot, not per request. */
export const createCandidateEncoder = (): EncodeCandidate => {
  const written = new WeakMap<Creative, Written>();
  return function encodeCandidate(candidate, siblings, schedule) {
    const { creative, lineItem, campaign, priceMicros, expectedMicros, clickRate = 0, turn, block, inPod } = candidate;
    let known = written.get(creative);
    const isSame = known?.lineItem === lineItem && known.campaign === campaign && known.clickRate === clickRate;
    const isTurn = known?.turn?.step === turn?.step && known?.turn?.steps === turn?.steps;
    if (!known || !isSame || !isTurn || known.siblings !== siblings || known.schedule !== schedule) {
      const text = encodeLasting(creative, lineItem, campaign);
      const more = encodeMore(lineItem, campaign, { clickRate, turn, siblings, schedule });
      known = { lineItem, campaign, clickRate, turn, siblings, schedule, text, more, rest: joinFields(more) };
      written.set(creative, known);
    }
    const rest = block === undefined && inPod === undefined ? known.rest : joinFields([...known.more, ...encodeShownWith(candidate)]);
    return `${known.text},${priceMicros},${expectedMicros}${rest}]`;
  };
};

const encodeLasting = (creative: Creative, lineItem: LineItem, campaign: Campaign): string => {
  const { id, campaignId } = lineItem;
  const limits = limitsOf(lineItem, campaign);
  const booked = { lineItem, campaign };
  const counted = countsOf(countedOf(booked) ?? [], 'impressions');
  const row = encodeRow(LASTING_FIELDS, {
    lineItem: accountField('l', id),
    campaign: accountField('c', campaignId),
    creative: creative.id,
    tally: tallyOf(lineItem, creative),
    holdsPrice: holdsPrice(billsOnOf(lineItem)),
    dailyImpressions: limits.dailyImpressions ?? NONE,
    dailySpendMicros: limits.dailySpendMicros ?? NONE,
    budgetMicros: limits.budgetMicros ?? NONE,
    campaignBudgetMicros: limits.campaignBudgetMicros ?? NONE,
    campaignDailyMicros: limits.campaignDailyMicros ?? NONE,
    caps: limits.frequency === null ? false : capTriples(limits.frequency),
    counted: counted.length > 0 && counted,
    windowMs: counted.length > 0 ? shortestWindow(booked) : NONE,
    ratePerSecond: limits.rate?.perSecond ?? NONE,
    rateBurst: limits.rate?.burst ?? NONE,
    pacing: lineItem.pacing,
    flightEndMs: Math.min(lineItem.flight.endMs, campaign.flight.endMs),
  });
  return row.slice(0, -1);
};

/** Of what an impression counts for: a hold that takes a place is no longer than its window. */
const shortestWindow = ({ lineItem, campaign }: CountedBooking): number =>
  Math.min(...[...lineItem.frequencyCaps, ...campaign.counted].filter(({ of }) => of === 'impressions').map(({ windowMs }) => windowMs));

type Told = Pick<Written, 'clickRate' | 'turn' | 'siblings' | 'schedule'>;

const encodeMore = (
  lineItem: LineItem,
  campaign: Campaign,
  { clickRate, turn, siblings, schedule }: Told,
): readonly (string | undefined)[] => {
  const { exclusive, exclusionLabels } = campaign.traits;
  const isAlone = campaign.advertiserId === null || (!exclusive && exclusionLabels.length === 0);
  const advertiser = isAlone
    ? [undefined, undefined, undefined]
    : [String(campaign.advertiserId), String(exclusive), textOf(exclusionLabels)];
  return [
    encodeGoal(lineItem, campaign, clickRate),
    siblings && encodeRow(SIBLING_FIELDS, { ...siblings }),
    schedule && encodeRow(SCHEDULE_FIELDS, { ...schedule }),
    ...advertiser,
    turn && encodeTurn(lineItem, turn),
  ];
};

/** Of the longest of its own caps of impressions, where the sequence lies. */
const encodeTurn = ({ id, frequencyCaps }: LineItem, { step, steps }: Turn): string => {
  const windows = frequencyCaps.filter(({ scope, of }) => scope === 'line_item' && of === 'impressions').map(({ windowMs }) => windowMs);
  return JSON.stringify([id, Math.max(...windows, 0), step, steps]);
};

/** Each after a comma, up to the last that there is. */
const joinFields = (fields: readonly (string | undefined)[]): string => {
  const count = fields.findLastIndex((field) => field !== undefined) + 1;
  return fields
    .slice(0, count)
    .map((field) => `,${field ?? 'false'}`)
    .join('');
};

/** JSON without the character that separates candidates. */
const textOf = (value: readonly unknown[]): string => JSON.stringify(value).replaceAll(';', String.raw`\u003b`);

const encodeBlock = ({ bound, kept }: Block): string =>
  textOf([
    ...bound.map(({ imp, candidate: { creative, lineItem } }) => [imp + 1, creative.id, tallyOf(lineItem, creative)]),
    ...kept.map(({ placementId, candidate: { creative, lineItem } }) => [0, creative.id, tallyOf(lineItem, creative), placementId]),
  ]);

const encodeShownWith = (candidate: RankedCandidate): readonly (string | undefined)[] => {
  const { block, inPod } = candidate;
  return [
    ...(block ? [String(adsOf(candidate)), encodeBlock(block)] : [undefined, undefined]),
    inPod && textOf(rowOf(POD_FIELDS, { ...inPod })),
  ];
};

const tallyOf = ({ publisherId, campaignId, id }: LineItem, creative: Creative): string =>
  servesField(publisherId, campaignId, id, creative.id);

const encodeGoal = ({ goals, flight, sales }: LineItem, campaign: Campaign, clickRate: number): string | undefined => {
  const { impressions, clicks, frontload } = goals;
  if (impressions === null && clicks === null && frontload === 0) return undefined;
  return encodeRow(GOAL_FIELDS, {
    impressions: impressions ?? NONE,
    clicks: clicks ?? NONE,
    clickRate: clickRate > 0 ? clickRate : PRIOR_CLICK_RATE,
    flightStartMs: commonFlight(flight, campaign.flight).startMs,
    frontload: sales.yields ? Math.max(frontload, LEAD) : frontload,
  });
};
