import type { Request } from 'express';
import { parseUrl } from '../base/parse-url.ts';

/** Which pages a request can come from. */
export interface PageCheck {
  /**
   * Whether a page of another site has sent it. Browsers send Sec-Fetch-Site, which scripts cannot set,
   * and where it is missing (older browsers, plain http) Origin with every write. A request with
   * neither does not come from a browser's page.
   */
  isFromElsewhere(req: Request): boolean;
  /** Whether one of these headers says that the service's own page has sent it. */
  isFromOwnPage(req: Request): boolean;
}

/** @param ownUrls public addresses of the service, without those that are ''. Needed where a proxy changes the Host header */
export const createPageCheck = (ownUrls: readonly string[]): PageCheck => {
  const ownOrigins = ownUrls.filter((url) => url !== '').map((url) => new URL(url).origin);
  const isOwn = (req: Request, origin: string): boolean => ownOrigins.includes(origin) || parseUrl(origin)?.host === req.get('host');
  return {
    isFromElsewhere: (req) => {
      const site = req.get('sec-fetch-site');
      if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
      const origin = req.get('origin');
      return origin !== undefined && !isOwn(req, origin);
    },
    isFromOwnPage: (req) => {
      if (req.get('sec-fetch-site') === 'same-origin') return true;
      const origin = req.get('origin');
      return origin !== undefined && isOwn(req, origin);
    },
  };
};
