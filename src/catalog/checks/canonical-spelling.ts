import { parseUrl } from '../../base/parse-url.ts';
import { quoteFree } from '../../base/quote-free.ts';
import { isObject } from '../../base/narrow.ts';
import { urlPrefix } from '../../targeting/url-prefixes.ts';
import { normalOrigin } from '../model/origins.ts';
import { languageTag } from './language-tags.ts';

/**
 * Brings a value into the spelling that its schema has for it; a value that the schema does not
 * know stays as it is.
 */
type Spelling = (value: unknown) => unknown;

/**
 * Derives from a JSON Schema how its values are spelled: members of an enumeration match without
 * regard to case and surrounding space, countries and currencies become upper case, URLs, origins, pages and languages are normalized,
 * a list holds each value once.
 * undefined: nothing in the schema has a spelling.
 */
export const canonicalSpelling = (schema: unknown): Spelling | undefined => {
  if (!isObject(schema)) return undefined;
  const { enum: members, format, items, properties } = schema;
  if (Array.isArray(members)) return enumSpelling(members);
  // A URL goes into headers: without its line breaks, and in ASCII.
  if (format === 'http-url')
    return (value) => {
      const url = typeof value === 'string' ? parseUrl(value) : undefined;
      return url ? quoteFree(url.href) : value;
    };
  if (format === 'origin') return (value) => (typeof value === 'string' ? (normalOrigin(value) ?? value) : value);
  if (format === 'url-prefix') return (value) => (typeof value === 'string' ? (urlPrefix(value) ?? value) : value);
  if (format === 'language') return (value) => (typeof value === 'string' ? (languageTag(value) ?? value) : value);
  if (format === 'country' || format === 'currency') return (value) => (typeof value === 'string' ? value.toUpperCase() : value);
  if (isObject(properties)) return propertySpelling(properties);
  const item = canonicalSpelling(items);
  return item && ((value) => (Array.isArray(value) ? [...new Set(value.map(item))] : value));
};

const enumSpelling = (members: readonly unknown[]): Spelling | undefined => {
  const words = new Map(members.filter((member) => typeof member === 'string').map((word) => [word.toLowerCase(), word]));
  if (words.size === 0) return undefined;
  return (value) => (typeof value === 'string' ? (words.get(value.trim().toLowerCase()) ?? value) : value);
};

/**
 * Replaces the properties that are there in a copy; an absent one stays absent, for its default or
 * its fault.
 */
const propertySpelling = (properties: Readonly<Record<string, unknown>>): Spelling | undefined => {
  const spellings = Object.entries(properties).flatMap(([name, schema]) => {
    const spelling = canonicalSpelling(schema);
    return spelling ? [[name, spelling] as const] : [];
  });
  if (spellings.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const copy: Record<string, unknown> = { ...value };
    for (const [name, spelling] of spellings) if (Object.hasOwn(copy, name)) copy[name] = spelling(copy[name]);
    return copy;
  };
};
