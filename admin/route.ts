import { decodedUri } from '../src/base/parse-url.ts';

/** An address within the page: `#/line_items/12/edit?campaign_id=3`. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** A hash as a route; a part that cannot be decoded is kept as it is. */
export const parseRoute = (hash: string): Route => {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  return {
    parts: path
      .split('/')
      .filter(Boolean)
      .map((part) => decodedUri(part) ?? part),
    query: new URLSearchParams(query),
  };
};

/** `hashOf(['line_items', 'new'], { campaign_id: 3 })` is `#/line_items/new?campaign_id=3`. */
export const hashOf = (
  parts: readonly (string | number)[],
  query: Readonly<Record<string, string | number | null | undefined>> = {},
): string => {
  const given = Object.entries(query).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
  const asked = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : '';
  return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}${asked}`;
};
