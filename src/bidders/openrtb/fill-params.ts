/** What a bidder's parameters may name. */
export type ParamValues = Readonly<Record<'PLACEMENT_ID' | 'PUBLISHER_ID', string>>;

/**
 * A copy of a bidder's parameters with `${PLACEMENT_ID}` and `${PUBLISHER_ID}` replaced in every
 * text. Parameters are at most 8 KiB of JSON, which the check of the record holds.
 */
export const fillParams = (value: unknown, values: ParamValues): unknown => {
  if (typeof value === 'string')
    return value.includes('${') ? value.replace(/\$\{(PLACEMENT_ID|PUBLISHER_ID)\}/g, (_, name: keyof ParamValues) => values[name]) : value;
  if (Array.isArray(value)) return value.map((one) => fillParams(one, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillParams(one, values)]));
};
