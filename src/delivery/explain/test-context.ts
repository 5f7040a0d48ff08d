import { definedMembers } from '../../base/narrow.ts';
import { oneOf, optional, record, textOf, type Shape } from '../../base/schema.ts';
import { DEVICES } from '../../catalog/model/choices.ts';
import type { ToAdRequestOptions } from '../../http/openrtb/to-ad-request.ts';

/** As in targeting. */
const PLACE = textOf({ minLength: 1, maxLength: 128 });

/** Where a test ad is asked for, and on what. */
export const TEST_CONTEXT = record(
  {
    country: optional(textOf({ format: 'country' })),
    region: optional(PLACE),
    city: optional(PLACE),
    device: optional(oneOf(DEVICES)),
  },
  { description: 'Overrides what the address and the user agent say' },
);
export type TestContext = Shape<typeof TEST_CONTEXT>;

/**
 * Reads requests as if they came from the chosen place and device. A chosen country has no region or
 * city unless they are chosen too.
 */
export const inContext = (
  requestContext: ToAdRequestOptions['requestContext'],
  { country, region, city, device }: TestContext,
): ToAdRequestOptions['requestContext'] => {
  const elsewhere = country === undefined ? {} : { country, region: null, city: null };
  const chosen = { ...elsewhere, ...definedMembers({ region, city, device }) };
  return (req, named) => ({ ...requestContext(req, named), ...chosen });
};
