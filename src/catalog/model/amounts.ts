import * as s from '../../base/schema.ts';
import { amountFromMicros } from './money.ts';

/** Money of several publishers: amounts of different currencies are not added. */
export const AMOUNTS = s.listOf(s.record({ currency: s.text, amount: s.number }));
export type Amounts = s.Shape<typeof AMOUNTS>;

/** Those that are not zero, from sums of each currency. */
export const amountsOf = (sums: readonly { readonly currency: string; readonly micros: number }[]): Amounts =>
  sums.flatMap(({ currency, micros }) => (micros === 0 ? [] : [{ currency, amount: amountFromMicros(micros) }]));
