import type { LineItem } from './entities.ts';
import { NO_CAPS } from './frequency-caps.ts';

/** A line item with other values of some members. Its edition equals none. */
export const changedLineItem = (lineItem: LineItem, changes: Partial<LineItem>): LineItem =>
  Object.create(lineItem, {
    ...Object.fromEntries(
      Object.entries(changes as Readonly<Record<string, unknown>>).map(([name, value]) => [name, { value, enumerable: true }]),
    ),
    edition: NO_EDITION,
  }) as LineItem;

/** The same for a user whose frequency caps do not apply. Ad requests call it: its descriptors are made once. */
export const withoutFrequencyCaps = (lineItem: LineItem): LineItem => Object.create(lineItem, WITHOUT_CAPS) as LineItem;

const NO_EDITION: PropertyDescriptor = { value: NaN, enumerable: true };
const WITHOUT_CAPS: PropertyDescriptorMap = { frequencyCaps: { value: NO_CAPS, enumerable: true }, edition: NO_EDITION };
