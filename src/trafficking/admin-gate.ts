import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { AdminToken } from '../config/settings.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';

export interface AdminGateOptions {
  /** Empty: every client that can reach the API may use it. */
  readonly tokens: readonly AdminToken[];
  /**
   * The public address of the service; '' when unknown. Needed where a proxy changes the Host
   * header.
   */
  readonly publicUrl: string;
}

/**
 * Guards everything under /api. Answers carry no CORS header, and writes from another origin are
 * refused, so that a foreign page can neither read nor change the catalog. Then the bearer token is
 * compared in constant time.
 */
export const createAdminGate = ({ tokens, publicUrl }: AdminGateOptions): RequestHandler => {
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  const ownOrigin = publicUrl === '' ? undefined : new URL(publicUrl).origin;

  /** Compares every token, so that the time does not depend on which one matches. */
  const nameOf = (given: string): string | undefined => {
    const digest = digestOf(given);
    return known.reduce<string | undefined>(
      (found, { name, digest: expected }) => (timingSafeEqual(digest, expected) ? name : found),
      undefined,
    );
  };

  return (req, res, next) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    if (req.method !== 'GET' && req.method !== 'HEAD' && isFromElsewhere(req, ownOrigin)) {
      return sendProblem(res, problem('forbidden', 'The trafficking API accepts writes from its own origin only.'));
    }
    const actor = known.length === 0 ? 'anonymous' : nameOf(bearerOf(req));
    if (actor === undefined) {
      return sendProblem(res, problem('admin_unauthorized', 'Send "Authorization: Bearer" with a token of ADMIN_TOKEN.'), {
        'WWW-Authenticate': 'Bearer realm="trafficking"',
      });
    }
    res.locals['actor'] = actor;
    next();
  };
};

/** The name of the client's token, for the audit trail. */
export const actorOf = (res: Response): string => String(res.locals['actor']);

const digestOf = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest();

const bearerOf = (req: Request): string => /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';

/**
 * Browsers send Sec-Fetch-Site, which scripts cannot set; older ones send Origin with every write.
 * A request with neither does not come from a browser.
 */
const isFromElsewhere = (req: Request, ownOrigin: string | undefined): boolean => {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.get('origin');
  if (origin === undefined) return false;
  return origin !== ownOrigin && (!URL.canParse(origin) || new URL(origin).host !== req.get('host'));
};
