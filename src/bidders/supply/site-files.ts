import type { Dispatcher } from 'undici';
import { isWithinDomains } from '../../base/is-within-domains.ts';
import { createGuardedDispatchers, type GuardedDispatchersOptions } from '../calls/guarded-dispatcher.ts';
import { readBidderUrl } from '../calls/read-bidder-url.ts';

/** A text file of a site, or why it cannot be read. */
export type SiteFile = { readonly text: string } | { readonly fault: string };

export interface SiteFilesOptions {
  /** Plain http and private addresses. */
  readonly allowPrivateAddresses: boolean;
  /** Of one file, redirects included. */
  readonly timeoutMs?: number;
  readonly resolve?: GuardedDispatchersOptions['resolve'];
}

/** Files of large exchanges have about 1 MB. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 10_000;

/** Reads files that sites publish, as the crawlers of buyers do. */
export const createSiteFiles = ({ allowPrivateAddresses, timeoutMs = TIMEOUT_MS, resolve }: SiteFilesOptions) => {
  const dispatchers = createGuardedDispatchers({
    ...{ allowPrivateAddresses, connections: 2, maxOrigins: 64, idleMs: 60_000 },
    ...{ connectTimeoutMs: timeoutMs, maxResponseBytes: MAX_FILE_BYTES },
    ...(resolve && { resolve }),
  });
  const get = (url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> =>
    dispatchers.of(url).request({
      ...{ origin: url.origin, path: url.pathname + url.search, method: 'GET', signal },
      headers: { accept: 'text/plain, application/json', 'user-agent': 'ad-server check-supply' },
    });
  return {
    /** @param first its redirects may leave the site, the host and its subdomains, once (ads.txt 1.1, 3.1) */
    read: async (first: URL): Promise<SiteFile> => {
      const signal = AbortSignal.timeout(timeoutMs);
      const site = new Set([first.hostname.replace(/^www\./, '')]);
      let left = 0;
      let url = first;
      try {
        for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
          const answer = await get(url, signal);
          const location = [answer.headers['location']].flat()[0];
          const next = isRedirect(answer.statusCode) && location !== undefined ? new URL(location, url) : undefined;
          if (next === undefined) return await fileOf(answer);
          answer.body.dump().catch(() => undefined);
          if (!isWithinDomains(next.hostname, site) && ++left > 1) return { fault: `redirects outside of the site twice, to ${next.host}` };
          const allowed = readBidderUrl(next.href, { allowPrivateAddresses });
          if (typeof allowed === 'string') return { fault: `redirects to ${next.origin}, which is not called` };
          url = allowed;
        }
        return { fault: `redirects more than ${MAX_REDIRECTS} times` };
      } catch (error) {
        return { fault: signal.aborted ? `does not answer within ${timeoutMs / 1000} s` : `cannot be read: ${messageOf(error)}` };
      }
    },
    close: () => dispatchers.close(),
  };
};

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Sites without the file often answer a page with status 200. */
const fileOf = async (answer: Dispatcher.ResponseData): Promise<SiteFile> => {
  const { statusCode, headers } = answer;
  const text = await answer.body.text();
  if (statusCode !== 200) return { fault: `answers ${statusCode}` };
  return /^\s*text\/html/i.test(String(headers['content-type'] ?? '')) ? { fault: 'is a web page' } : { text };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
