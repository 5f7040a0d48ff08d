import type { Campaign, Creative, LineItem } from '../../catalog/model/entities.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { encodeRow, luaReader, luaTable } from '../../redis/script-fields.ts';
import { accountField, servesField } from '../ledger-keys.ts';
import { limitsOf, pricingOf } from '../limits.ts';
import { ACCOUNT_LUA } from '../set-aside.ts';

/** The part that does not change within a snapshot. */
const LASTING_FIELDS = [
  'lineItem',
  'campaign',
  'creative',
  'tally',
  'perClick',
  'dailyImpressions',
  'dailySpendMicros',
  'budgetMicros',
  'campaignBudgetMicros',
  'places',
  'windowMs',
  'ratePerSecond',
  'rateBurst',
  'pacing',
  'flightEndMs',
] as const;

/** One candidate as a script reads it. The prices come last, because a bid may replace them. */
const CANDIDATE_FIELDS = [...LASTING_FIELDS, 'priceMicros', 'expectedMicros'] as const;

/**
 * Lua for every script that checks candidates: `candidate_record`, the numbers of the no-bid
 * reasons, `NBR`, and what accounts need.
 */
export const CANDIDATE_LUA: readonly string[] = [
  ...ACCOUNT_LUA,
  luaReader('candidate_record', CANDIDATE_FIELDS),
  luaTable('NBR', NoBidReason),
];

/** The value of a limit that is not set. */
const NONE = -1;

/** A candidate as the JSON array that scripts read. */
export type EncodeCandidate = (candidate: RankedCandidate) => string;

interface Written {
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** The array without its last two values. */
  readonly text: string;
}

/** Everything but the prices is encoded once per creative of a snapshot, not per request. */
export const createCandidateEncoder = (): EncodeCandidate => {
  const written = new WeakMap<Creative, Written>();
  return function encodeCandidate({ creative, lineItem, campaign, priceMicros, expectedMicros }) {
    let known = written.get(creative);
    if (known?.lineItem !== lineItem || known.campaign !== campaign) {
      known = { lineItem, campaign, text: encodeLasting(creative, lineItem, campaign) };
      written.set(creative, known);
    }
    return `${known.text},${priceMicros},${expectedMicros}]`;
  };
};

const encodeLasting = (creative: Creative, lineItem: LineItem, campaign: Campaign): string => {
  const { id, campaignId, publisherId } = lineItem;
  const limits = limitsOf(lineItem, campaign);
  const row = encodeRow(LASTING_FIELDS, {
    lineItem: accountField('l', id),
    campaign: accountField('c', campaignId),
    creative: creative.id,
    tally: servesField(publisherId, campaignId, id, creative.id),
    perClick: pricingOf(lineItem) === 'CPC',
    dailyImpressions: limits.dailyImpressions ?? NONE,
    dailySpendMicros: limits.dailySpendMicros ?? NONE,
    budgetMicros: limits.budgetMicros ?? NONE,
    campaignBudgetMicros: limits.campaignBudgetMicros ?? NONE,
    places: limits.frequency?.places ?? NONE,
    windowMs: limits.frequency?.windowMs ?? NONE,
    ratePerSecond: limits.rate?.perSecond ?? NONE,
    rateBurst: limits.rate?.burst ?? NONE,
    pacing: lineItem.pacing,
    flightEndMs: Math.min(lineItem.flight.endMs, campaign.flight.endMs),
  });
  return row.slice(0, -1);
};
