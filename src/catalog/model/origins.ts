import { parseUrl } from '../../base/parse-url.ts';

/**
 * A web origin as browsers send it in the Origin header: `https://news.example`, with the port if it
 * is not the scheme's default. `https://*.news.example` means every subdomain, at any depth,
 * and not for `https://news.example` itself. undefined: not an http(s) origin.
 */
export const normalOrigin = (text: string): string | undefined => {
  const url = parseUrl(text);
  if (!url) return undefined;
  const { origin, protocol, hostname, pathname, search, hash, username, password } = url;
  const isOrigin = pathname === '/' && search + hash + username + password === '' && !/[?#\s]/.test(text);
  const isHost = !hostname.replace(/^\*\.(?=[^.]+\.[^.])/, '').includes('*');
  return isOrigin && isHost && (protocol === 'http:' || protocol === 'https:') ? origin : undefined;
};

/** Longer than any origin: a scheme, a host name of 253 characters and a port. */
const MAX_ORIGIN_LENGTH = 270;

/**
 * Whether a publisher accepts requests from pages of an origin. An empty set accepts every origin;
 * undefined (no Origin header: a server, or a browser's navigation) is always accepted.
 *
 * @param origins normalized by `normalOrigin`
 * @param origin the Origin header; `null` (a sandboxed frame, a file) is never in a set
 */
export const acceptsOrigin = (origins: ReadonlySet<string>, origin: string | undefined): boolean =>
  origins.size === 0 || origin === undefined || origins.has(origin) || isSubdomainOfOne(origins, origin);

/** One lookup per label of the host. */
const isSubdomainOfOne = (origins: ReadonlySet<string>, origin: string): boolean => {
  const host = origin.indexOf('://') + 3;
  if (host < 3 || origin.length > MAX_ORIGIN_LENGTH) return false;
  for (let dot = origin.indexOf('.', host); dot > 0; dot = origin.indexOf('.', dot + 1))
    if (origins.has(`${origin.slice(0, host)}*${origin.slice(dot)}`)) return true;
  return false;
};
