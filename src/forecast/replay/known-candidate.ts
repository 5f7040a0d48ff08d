import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import type { SharedRequest } from '../../ledger/allowances/allowances-options.ts';
import { countedOf, countsOf } from '../../ledger/frequency-counters.ts';
import { billsOnOf, laterPriceMicros, type BillsOn } from '../../ledger/limits.ts';
import { createCandidateEncoder } from '../../ledger/reserve/encode-candidate.ts';
import { luaRow, type CandidateRecord } from './ledger-rules.ts';

/** A candidate as the rules read it, with what the replay needs besides. */
export interface KnownCandidate {
  readonly record: CandidateRecord;
  readonly lineItemId: number;
  readonly billsOn: BillsOn;
  readonly laterMicros: number;
  /** Counters with how long their places are kept (s). */
  readonly counted: readonly number[] | undefined;
  readonly countedClicks: readonly number[];
}

/** Of the record of a candidate: numbers of impressions or micros, of which -1 is none. */
const SCALED = [
  ...(['daily_impressions', 'daily_spend_micros', 'budget_micros', 'campaign_budget_micros', 'campaign_daily_micros'] as const),
  ...(['rate_per_second', 'rate_burst'] as const),
];
/** Goals of impressions and clicks, from position 1. */
const SCALED_GOALS = [1, 2];

export type KnowCandidate = (candidate: RankedCandidate, request: SharedRequest) => KnownCandidate;

const MAX_KNOWN = 200_000;

/** Reads each candidate once for all that its text says, as the scripts do within a call. @param scale limits are divided by it */
export const createKnowCandidate = (read: (row: readonly unknown[]) => CandidateRecord, scale: number): KnowCandidate => {
  const encode = createCandidateEncoder();
  const known = new Map<string, KnownCandidate>();
  return (candidate, { siblingsOf, curve }) => {
    const { lineItem, campaign } = candidate;
    const { budgetMicros, dailyBudgetMicros, id } = campaign;
    const siblings = budgetMicros === null && dailyBudgetMicros === null ? undefined : siblingsOf?.(id);
    const schedule = lineItem.pacing === 'ASAP' ? undefined : curve.scheduled?.(lineItem, campaign);
    const text = encode(candidate, siblings, schedule);
    let found = known.get(text);
    if (found === undefined) {
      const counted = countedOf(candidate);
      found = {
        record: scaled(read(luaRow(JSON.parse(text) as unknown[])), scale),
        ...{ lineItemId: lineItem.id, billsOn: billsOnOf(lineItem), laterMicros: laterPriceMicros(lineItem) ?? 0 },
        counted: counted && countsOf(counted, 'impressions'),
        countedClicks: counted ? countsOf(counted, 'clicks') : [],
      };
      if (known.size > MAX_KNOWN) known.clear();
      known.set(text, found);
    }
    return found;
  };
};

const scaled = (record: CandidateRecord, scale: number): CandidateRecord => {
  if (scale === 1) return record;
  const divided: Record<string, unknown> = { ...record };
  const divide = (value: unknown): unknown => (typeof value === 'number' && value >= 0 ? value / scale : value);
  for (const name of SCALED) divided[name] = divide(divided[name]);
  const { goal } = divided as { goal?: readonly unknown[] };
  if (goal) divided['goal'] = goal.map((value, i) => (SCALED_GOALS.includes(i) ? divide(value) : value));
  return divided as unknown as CandidateRecord;
};
