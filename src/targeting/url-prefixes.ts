import { parseUrl } from '../base/parse-url.ts';

/** Labels of a host, and segments of a path, that are compared. */
const MAX_LABELS = 8;
export const MAX_SEGMENTS = 8;

/**
 * A rule about addresses in one spelling: a host, which also matches its subdomains, and the first
 * segments of a path, in lower case. `https://www.news.example/Sport/` is `www.news.example/sport`;
 * undefined: the text is none.
 */
export const urlPrefix = (text: string): string | undefined => {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '');
  if (bare === '' || /[\s?#*@\\]/.test(bare)) return undefined;
  const parts = partsOf(`http://${bare}`);
  if (parts?.port !== '' || parts.segments.length > MAX_SEGMENTS) return undefined;
  return [parts.host, ...parts.segments].join('/');
};

/** The rules that an address meets, in that spelling; none for what is no http(s) address. */
export const urlPrefixesOf = (url: string): readonly string[] => {
  const parts = partsOf(url.toLowerCase());
  if (parts === undefined) return [];
  const labels = parts.host.split('.');
  const hosts = labels.map((_, from) => labels.slice(from).join('.')).slice(-MAX_LABELS);
  const paths = [''];
  for (const segment of parts.segments.slice(0, MAX_SEGMENTS)) paths.push(`${paths.at(-1)}/${segment}`);
  return hosts.flatMap((host) => paths.map((path) => host + path));
};

const partsOf = (url: string) => {
  const { protocol, hostname, port, pathname } = parseUrl(url) ?? { protocol: '', hostname: '', port: '', pathname: '' };
  if ((protocol !== 'http:' && protocol !== 'https:') || hostname === '') return undefined;
  return { host: hostname, port, segments: pathname.split('/').filter((segment) => segment !== '') };
};
