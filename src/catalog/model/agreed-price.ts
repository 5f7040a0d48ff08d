import { BUDGET_TYPES, type BudgetType } from './choices.ts';

const PRICE_FIELDS = { CPM: 'cpm', VCPM: 'cpm', CPC: 'cpc', CPCV: 'cpcv', Flat: 'budget' } as const satisfies Record<BudgetType, string>;
export type PriceField = (typeof PRICE_FIELDS)[BudgetType];

/** The field that a line item's price is in. */
export const priceFieldOf = (budgetType: BudgetType): PriceField => PRICE_FIELDS[budgetType];

/** The price of a line item, and what it was sold with. */
type Priced = { readonly [Name in PriceField | 'type' | 'budget_type' | 'list_price' | 'discount' | 'added_value']?: unknown };

/** An impression bills whole micros, so a CPM has three decimals. */
const scaleOf = (field: PriceField): number => (field === 'cpm' ? 1_000 : 1_000_000);

/** What is left of a list price after the discount, in per cent, rounded to what the field can have. */
export const discounted = (listPrice: number, discount: number, field: PriceField): number =>
  Math.round(listPrice * (1 - discount / 100) * scaleOf(field)) / scaleOf(field);

/** The price that a list price and a discount agree on, and its field; undefined: they are not both given. */
export const agreedPrice = ({
  type,
  budget_type,
  list_price,
  discount,
}: Priced): { readonly field: PriceField; readonly price: number } | undefined => {
  if (typeof list_price !== 'number' || typeof discount !== 'number' || type === 'programmatic') return undefined;
  const budgetType = BUDGET_TYPES.find((one) => one === (budget_type ?? 'CPM'));
  const field = budgetType && priceFieldOf(budgetType);
  return field && { field, price: discounted(list_price, discount, field) };
};

/** What added value decides of the other fields. */
export const ADDED_VALUE_TERMS = { budget_type: 'Flat', budget: null, cpc: null, cpcv: null, list_price: null, discount: null } as const;

/** A record with the price that was agreed, where it has none; added value is Flat without a fee. */
export const withAgreedPrice = <R extends Priced>(record: R): R => {
  if (record.added_value === true) return record.budget_type === undefined ? { ...record, budget_type: 'Flat' } : record;
  const agreed = agreedPrice(record);
  return agreed && (record[agreed.field] ?? null) === null ? { ...record, [agreed.field]: agreed.price } : record;
};
