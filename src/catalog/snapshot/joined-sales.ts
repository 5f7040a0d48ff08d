import { isDeepStrictEqual } from 'node:util';
import { NO_SALES_RULES, type LineItem, type NamedTargeting, type Publisher, type SalesRules } from '../model/entities.ts';
import { mayYield } from '../model/line-item-classes.ts';

/** The sales rules of a line item with what they have of its targeting and its publisher: the same object where nothing differs. */
export const joinedSales = (
  lineItem: LineItem,
  { named, publisher }: { readonly named: NamedTargeting | undefined; readonly publisher: Publisher | undefined },
): SalesRules => {
  const { sales } = lineItem;
  const yields = publisher?.dynamicAllocation === true && mayYield(lineItem) && !sales.roadblock;
  const targeting = named?.targeting ?? NO_SALES_RULES.targeting;
  const isSame = sales.yields === yields && (!named || isDeepStrictEqual(sales.targeting, targeting));
  return isSame ? sales : { ...sales, targeting, yields };
};
