import type { EntityRecord } from '../../bookings/entity-kind.ts';
import { isObject } from '../../base/narrow.ts';
import { adcpFault, isFault, type AdcpFault } from './adcp-fault.ts';

type Rule = (values: readonly string[]) => { readonly name: string; readonly values: readonly string[]; readonly exclude?: boolean };

const DEVICE_OF: Readonly<Record<string, string>> = { mobile: 'mobile', desktop: 'desktop', tablet: 'tablet' };
const devices = (values: readonly string[]): readonly string[] => values.flatMap((value) => DEVICE_OF[value] ?? []);

/** What of an overlay line items have. */
const RULES: Readonly<Record<string, Rule>> = {
  geo_countries: (values) => ({ name: 'countries', values }),
  geo_countries_exclude: (values) => ({ name: 'countries', values, exclude: true }),
  geo_regions: (values) => ({ name: 'regions', values }),
  geo_regions_exclude: (values) => ({ name: 'regions', values, exclude: true }),
  device_type: (values) => ({ name: 'devices', values: devices(values) }),
  language: (values) => ({ name: 'languages', values: values.map((value) => value.toLowerCase()) }),
};

/**
 * The targeting of a line item that an overlay asks for. One with a rule that line items do not have is refused: it would be
 * shown to others than its buyer has paid for.
 */
export const readOverlay = (overlay: unknown, at: string): EntityRecord | AdcpFault => {
  const targeting: Record<string, unknown> = {};
  const exclude: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(isObject(overlay) ? overlay : {})) {
    const field = `${at}.targeting_overlay.${name}`;
    const rule = RULES[name];
    if (!rule)
      return adcpFault('UNSUPPORTED_FEATURE', `Impressions cannot be targeted by ${name} here, and nothing was booked.`, {
        ...{ field, suggestion: `Leave it out. Understood are ${Object.keys(RULES).join(', ')}.` },
      });
    if (!Array.isArray(given) || given.length === 0 || given.some((one) => typeof one !== 'string'))
      return adcpFault('INVALID_REQUEST', `${field} must be a list of texts.`, { field });
    const { name: own, values, exclude: isExcluded } = rule(given as readonly string[]);
    if (values.length < given.length)
      return adcpFault('UNSUPPORTED_FEATURE', `${field} has a value that no visitor here has.`, {
        ...{ field, suggestion: `Understood are ${Object.keys(DEVICE_OF).join(', ')}.` },
      });
    (isExcluded ? exclude : targeting)[own] = values;
  }
  return { ...targeting, ...(Object.keys(exclude).length > 0 && { exclude }) };
};

export const isTargeting = (read: EntityRecord | AdcpFault): read is EntityRecord => !isFault(read);
