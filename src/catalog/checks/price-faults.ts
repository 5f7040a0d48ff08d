import type { Fault } from '../../base/fault.ts';
import type { LineItemRecord } from '../entities/line-item.ts';
import { agreedPrice } from '../model/agreed-price.ts';
import type { Given } from './shape-record.ts';

const isMissing = (value: unknown): boolean => (value ?? null) === null;

/**
 * The price of a programmatic line item is the bid, a CPM. A Flat fee is the budget; without one the
 * line item needs a value to rank by, unless it is a house ad or added value.
 */
export const priceFaults = (record: Given<LineItemRecord>): readonly Fault[] => {
  const { type, class: sold, budget_type, cpm, cpc, cpcv, budget, added_value } = record;
  if (type === 'programmatic') {
    return budget_type === 'CPM'
      ? []
      : [{ pointer: '/budget_type', detail: 'must be CPM for a programmatic line item: its price is the bid' }];
  }
  if ((budget_type === 'CPM' || budget_type === 'VCPM') && isMissing(cpm))
    return [{ pointer: '/cpm', detail: `is required with budget_type ${budget_type}` }];
  if (budget_type === 'CPC' && isMissing(cpc)) return [{ pointer: '/cpc', detail: 'is required with budget_type CPC' }];
  if (budget_type === 'CPCV' && isMissing(cpcv)) return [{ pointer: '/cpcv', detail: 'is required with budget_type CPCV' }];
  if (budget_type === 'Flat' && isMissing(budget) && isMissing(cpm) && sold !== 'house' && added_value !== true)
    return [{ pointer: '/budget', detail: 'is required with budget_type Flat, unless it has a cpm' }];
  return [];
};

/** Impressions without a price are Flat without a fee, so that no event bills. */
export const addedValueFaults = ({ added_value, type, budget_type, budget, cpc, cpcv }: Given<LineItemRecord>): readonly Fault[] => {
  if (added_value !== true) return [];
  if (type === 'programmatic') return [{ pointer: '/added_value', detail: 'is for a direct line item: a bidder pays its bid' }];
  return [
    ...(budget_type === 'Flat' ? [] : [{ pointer: '/budget_type', detail: 'must be Flat with added_value: its events bill nothing' }]),
    ...Object.entries({ budget, cpc, cpcv }).flatMap(([field, value]) =>
      isMissing(value) ? [] : [{ pointer: `/${field}`, detail: 'must have no value with added_value: it has no price. Leave it out' }],
    ),
  ];
};

/** A discount is off a list price, and both together say the price. */
export const discountFaults = (record: Given<LineItemRecord>): readonly Fault[] => {
  const { list_price, discount } = record;
  if (typeof discount === 'number' && isMissing(list_price))
    return [{ pointer: '/list_price', detail: 'is required with discount: the price before it' }];
  const agreed = agreedPrice(record);
  const price = agreed && record[agreed.field];
  return agreed && typeof price === 'number' && price !== agreed.price
    ? [
        {
          pointer: `/${agreed.field}`,
          detail: `must be ${agreed.price}, ${String(discount)}% below the list price of ${String(list_price)}: leave it out, or change the discount`,
        },
      ]
    : [];
};
