import type { Amounts } from '../../catalog/model/amounts.ts';
import { BY_MONEY } from './attention-words.ts';
import type { AttentionGroup, AttentionKind, AttentionRow } from '../attention/attention.ts';

/** What needs attention in the order of what is at stake. */
export interface ByMoney {
  readonly groups: readonly AttentionGroup[];
  readonly sums: Amounts;
  /** Those with most at risk, of each currency. */
  readonly rows: readonly { readonly kind: AttentionKind; readonly row: AttentionRow }[];
}

/** Rows of such a list. */
const MAX_BY_MONEY = 10;

/** Line items that bring less than what was agreed, as one list. */
export const byMoney = (all: readonly AttentionGroup[]): ByMoney => {
  const groups = all.filter(({ kind }) => BY_MONEY.includes(kind));
  const sums = new Map<string, number>();
  for (const { at_risk: risks } of groups) for (const { currency, amount } of risks) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  const rows = groups.flatMap(({ kind, rows: of }) => of.map((row) => ({ kind, row })));
  return {
    groups,
    sums: Array.from(sums, ([currency, amount]) => ({ currency, amount })),
    rows: rows.toSorted((a, b) => byAmount(a.row, b.row)).slice(0, MAX_BY_MONEY),
  };
};

/** Amounts are compared within their currency. */
const byAmount = (a: AttentionRow, b: AttentionRow): number =>
  (a.currency ?? '').localeCompare(b.currency ?? '') || (b.at_risk ?? 0) - (a.at_risk ?? 0);
