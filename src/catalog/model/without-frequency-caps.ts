import type { LineItem } from './entities.ts';
import { NO_CAPS } from './frequency-caps.ts';

/** A line item as a user sees it whose frequency caps do not apply. Its edition equals none. */
export const withoutFrequencyCaps = (lineItem: LineItem): LineItem =>
  Object.create(lineItem, { frequencyCaps: { value: NO_CAPS, enumerable: true }, edition: { value: NaN, enumerable: true } }) as LineItem;
