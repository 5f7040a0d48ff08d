import { quoteFree } from '../../base/quote-free.ts';

/** Names of native assets that are texts, whatever they look like. The same as in the SDK. */
const TEXTS = /(title|description|brand|sponsored|offer|text|name|label|headline|body|alt|caption|cta|price)$/i;
/** Names of native assets that are URLs, also relative ones. */
const ADDRESSES = /ur[il]|href|link|click|src|image|img|icon|logo|background|video|landing/i;

/**
 * A string of native assets as it is served: in a URL, nothing can end the attribute of a template.
 * A reviver for JSON.parse.
 */
export const servedAsset = (name: string, value: unknown): unknown =>
  typeof value === 'string' && !TEXTS.test(name) && (ADDRESSES.test(name) || /^https?:/i.test(value)) ? quoteFree(value.trim()) : value;
