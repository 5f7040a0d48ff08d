import type { BudgetType } from './choices.ts';
import type { LineItem } from './entities.ts';

/**
 * How a line item bills. A programmatic one bills its bid on each impression, so it is always CPM.
 */
export const pricingOf = ({ type, budgetType }: Pick<LineItem, 'type' | 'budgetType'>): BudgetType =>
  type === 'programmatic' ? 'CPM' : budgetType;
