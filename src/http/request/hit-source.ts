import type { Request } from 'express';

/** Longer ones are not read. */
const MAX_ORIGIN_LENGTH = 300;

/** The headers of a prefetch: Sec-Purpose (Fetch standard) and its predecessors. */
export const isPrefetch = ({ headers }: Request): boolean =>
  saysPrefetch(headers['sec-purpose']) || saysPrefetch(headers['purpose']) || saysPrefetch(headers['x-moz']);

const saysPrefetch = (header: string | readonly string[] | undefined): boolean =>
  header !== undefined && /prefetch|prerender|preview/i.test(String(header));

/**
 * The origin of the page that a request names: `Origin`, else that of `Referer`; null: none. A
 * sandboxed frame has the origin `null`, which names no page.
 */
export const pageOrigin = ({ headers }: Request): string | null => {
  const { origin, referer } = headers;
  return webOrigin(origin) ?? webOrigin(referer);
};

const webOrigin = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  const [found] = /^https?:\/\/[^/?#\s]+/i.exec(text.length > MAX_ORIGIN_LENGTH ? text.slice(0, MAX_ORIGIN_LENGTH) : text) ?? [];
  return found === undefined || found.length >= MAX_ORIGIN_LENGTH ? null : found.toLowerCase();
};
