import type { LineItem } from './entities.ts';

/** A line item as a user sees it whose frequency cap does not apply. Its edition equals none. */
export const withoutFrequencyCap = (lineItem: LineItem): LineItem =>
  Object.create(lineItem, { frequencyCap: { value: null, enumerable: true }, edition: { value: NaN, enumerable: true } }) as LineItem;
