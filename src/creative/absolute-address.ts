/** A path of this service, without white space: not a text such as "/ month". */
const PATH = /^\/(?![/\\])\S*$/;

/** Names of native assets that are texts, also when they begin with a slash. */
const TEXT = /(title|description|brand|sponsored|offer|text|name|label|headline|body|alt|caption|cta|price)$/i;

/** The address of a path on this service; any other address as it is. `base` '': unknown, paths stay. */
export const absoluteAddress = (address: string, base: string): string => (PATH.test(address) ? base + address : address);

/** Native assets as JSON text, their addresses absolute at any depth. */
export const absoluteAssets = (assets: object, base: string): string =>
  JSON.stringify(assets, (key, value: unknown) => (typeof value === 'string' && !TEXT.test(key) ? absoluteAddress(value, base) : value));
