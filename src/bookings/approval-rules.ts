import type { Fault } from '../base/fault.ts';
import type { EntityTable } from '../catalog/entities/entities.ts';
import type { PublisherRecord } from '../catalog/entities/publisher.ts';
import { amountFromMicros } from '../catalog/model/money.ts';

type Ruled = 'currency' | 'approval_discount_over' | 'approval_of_priority_1' | 'approval_of_closing' | 'approval_of_unblocking';
/** What a publisher lets a second person approve: its columns. null and false: nothing. */
export interface ApprovalRules extends Pick<PublisherRecord, Ruled> {
  readonly approval_price_below_micros: number | null;
  readonly approval_budget_above_micros: number | null;
}

/** What a booking costs and may spend, in micros; null: not set. */
export interface Terms {
  readonly price: number | null;
  /** The member that has it. */
  readonly pricedBy: 'cpm' | 'cpc' | 'cpcv';
  readonly priority: number;
  readonly budget: number | null;
}

/**
 * Why a change of a booking needs a second person, each with the member that asks for it. Only what the change itself
 * makes riskier counts: a pause, and any other edit of a booking that was approved, never waits.
 *
 * @param before undefined: the booking is new
 */
export const approvalReasons = (rules: ApprovalRules, after: Terms, before: Terms | undefined): readonly Fault[] => {
  const reasons: Fault[] = [];
  const words = (micros: number): string => `${amountFromMicros(micros)} ${rules.currency}`;
  const { approval_price_below_micros: floor, approval_discount_over: discount, approval_budget_above_micros: most } = rules;
  // A price per click instead of one per thousand is a new price.
  const old = before?.pricedBy === after.pricedBy ? before.price : null;
  if (after.price !== null && (old === null || after.price < old)) {
    const at = `/${after.pricedBy}`;
    if (floor !== null && after.price < floor) reasons.push({ pointer: at, detail: `is below ${words(floor)}` });
    if (discount !== null && old !== null && after.price * 100 < old * (100 - discount))
      reasons.push({ pointer: at, detail: `is more than ${discount}% below ${words(old)}` });
  }
  if (rules.approval_of_priority_1 && after.priority === 1 && before?.priority !== 1)
    reasons.push({ pointer: '/priority', detail: 'is 1' });
  if (most !== null && maySpendMore(after.budget, before) && (after.budget === null || after.budget > most))
    reasons.push({
      pointer: '/budget',
      detail: after.budget === null ? `has no end, and ${words(most)} is the most` : `is above ${words(most)}`,
    });
  return reasons;
};

/** A booking without a budget is limited by other means: it asks for no second person until it had a budget that is taken away. */
const maySpendMore = (budget: number | null, before: Terms | undefined): boolean => {
  if (before === undefined) return budget !== null;
  return before.budget !== null && (budget === null || budget > before.budget);
};

/** The terms in the columns of a line item or campaign; undefined: the record has none. */
export const termsOf = (table: EntityTable, row: Readonly<Record<string, unknown>>): Terms | undefined => {
  const micros = (column: string): number | null => (row[column] == null ? null : Number(row[column]));
  switch (table) {
    case 'line_items': {
      const pricedBy = row['budget_type'] === 'CPC' ? 'cpc' : row['budget_type'] === 'CPCV' ? 'cpcv' : 'cpm';
      const isFlat = row['budget_type'] === 'Flat';
      return {
        // Of a fee, the CPM ranks and costs nothing.
        price: row['type'] === 'programmatic' || isFlat ? null : micros(`${pricedBy}_micros`),
        pricedBy,
        priority: Number(row['priority'] ?? 2),
        budget: micros('budget_micros'),
      };
    }
    case 'campaigns':
      return { price: null, pricedBy: 'cpm', priority: 2, budget: micros('budget_micros') };
    default:
      return undefined;
  }
};
