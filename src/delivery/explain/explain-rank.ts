import { amountFromMicros } from '../../catalog/model/money.ts';
import type { Creative } from '../../catalog/model/entities.ts';
import { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { describeRefusal } from '../../ledger/describe-refusal.ts';
import type { JudgedCandidate } from '../../ledger/read/dry-ledger.ts';
import { stopped, type CreativeExplanation } from './explanation.ts';
import { showLimits } from './show-limits.ts';

/** Candidates below this rank are not checked. */
export const MAX_RANKED = 512;
const MAX_BEHIND = 5;

/** The outcome of a creative that passed every stage before the limits. */
export const explainRank = (
  creative: Creative,
  impid: string,
  judged: readonly JudgedCandidate[],
  biddersAsked: boolean,
): CreativeExplanation => {
  const own = judged.find(({ candidate }) => candidate.creative.id === creative.id);
  if (!own)
    return {
      ...stopped(creative, impid, 'ranking', NoBidReason.NothingBooked, `more than ${MAX_RANKED} others rank before it`),
      outcome: 'outranked',
    };
  const { candidate, reason, reading } = own;
  const limits = reading ? showLimits(candidate, reading) : null;
  if (reason !== 0) {
    const detail = [describeRefusal(reason, candidate), ...(limits?.words ?? [])].join('; ');
    return { ...stopped(creative, impid, 'limits', reason, detail), limits };
  }
  const head = { creative_id: creative.id, impid, limits };
  if (candidate.lineItem.type === 'programmatic') {
    const detail = 'its bidder would be asked for a bid, and the bid decides: explain does not ask';
    return { ...head, outcome: 'depends_on_bid', stage: 'bidders', detail };
  }
  const offered = judged
    .filter((other) => other.reason === 0 && other.candidate.lineItem.type === 'direct')
    .map((other) => other.candidate);
  const ahead = offered.slice(0, offered.indexOf(candidate));
  const above = ahead.filter((other) => !isTie(other, candidate));
  const ties = offered.filter((other) => other !== candidate && isTie(other, candidate));
  const outcome = above.length > 0 ? 'outranked' : ties.length > 0 ? 'tied' : 'wins';
  const rank = above.length + 1;
  const ecpm = amountFromMicros(candidate.ecpmMicros);
  const price = `${candidate.lineItem.class === null ? '' : `class ${candidate.lineItem.class}, `}priority ${candidate.lineItem.priority} and an eCPM of ${ecpm} ${candidate.campaign.currency}`;
  const yields = candidate.lineItem.sales.yields ? ', or above its opportunity cost while it is ahead of its goal' : '';
  const rivals = biddersAsked ? `, unless a programmatic line item bids more at the same or a better priority${yields}` : '';
  const detail = {
    outranked: `it would be offered at rank ${rank} of ${offered.length}, with ${price}, behind ${above.slice(0, MAX_BEHIND).map(naming).join(', ')}${above.length > MAX_BEHIND ? ` and ${above.length - MAX_BEHIND} more` : ''}`,
    tied: `it would be offered at rank 1 of ${offered.length}, with ${price}, which it shares with ${ties.length} other${ties.length > 1 ? 's' : ''}: a fair draw decides${rivals}`,
    wins: `it would win, with ${price}, at rank 1 of ${offered.length}${rivals}`,
  }[outcome];
  const behind = above.slice(0, MAX_BEHIND).map((other) => ({
    line_item_id: other.lineItem.id,
    creative_id: other.creative.id,
    priority: other.lineItem.priority,
    ecpm: amountFromMicros(other.ecpmMicros),
  }));
  return { ...head, outcome, stage: 'ranking', detail, rank, of: offered.length, ecpm, behind };
};

const isTie = (a: RankedCandidate, b: RankedCandidate): boolean =>
  a.lineItem.priority === b.lineItem.priority && a.ecpmMicros === b.ecpmMicros;

const naming = ({ lineItem, campaign, ecpmMicros }: RankedCandidate): string =>
  `line item ${lineItem.id} (priority ${lineItem.priority}, ${amountFromMicros(ecpmMicros)} ${campaign.currency})`;
