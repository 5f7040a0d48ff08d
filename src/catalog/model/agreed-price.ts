import { BUDGET_TYPES, type BudgetType } from './choices.ts';

/** The price of a line item, and what it was sold with. */
interface Priced {
  readonly type?: unknown;
  readonly budget_type?: unknown;
  readonly cpm?: unknown;
  readonly cpc?: unknown;
  readonly cpcv?: unknown;
  readonly budget?: unknown;
  readonly list_price?: unknown;
  readonly discount?: unknown;
  readonly added_value?: unknown;
}
export type PriceField = 'cpm' | 'cpc' | 'cpcv' | 'budget';

/** The field that a line item's price is in. */
export const priceFieldOf = (budgetType: BudgetType): PriceField => {
  switch (budgetType) {
    case 'CPM':
    case 'VCPM':
      return 'cpm';
    case 'CPC':
      return 'cpc';
    case 'CPCV':
      return 'cpcv';
    case 'Flat':
      return 'budget';
  }
};

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
  const field = PRICE_FIELDS.get(budget_type ?? 'CPM');
  return field && { field, price: discounted(list_price, discount, field) };
};

const PRICE_FIELDS = new Map<unknown, PriceField>(BUDGET_TYPES.map((type) => [type, priceFieldOf(type)]));

/** What added value decides of the other fields. */
export const ADDED_VALUE_TERMS = { budget_type: 'Flat', budget: null, cpc: null, cpcv: null, list_price: null, discount: null } as const;

/** A record with the price that was agreed, where it has none; added value is Flat without a fee. */
export const withAgreedPrice = <R extends Priced>(record: R): R => {
  if (record.added_value === true) return record.budget_type === undefined ? { ...record, budget_type: 'Flat' } : record;
  const agreed = agreedPrice(record);
  return agreed && (record[agreed.field] ?? null) === null ? { ...record, [agreed.field]: agreed.price } : record;
};
