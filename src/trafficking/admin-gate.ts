import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { AdminToken } from '../config/settings.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';

export interface AdminGateOptions {
  /** Empty: whoever reaches the API may use it. */
  readonly tokens: readonly AdminToken[];
  /** The service's own address where it is known; '' otherwise. A proxy may change the Host header on the way. */
  readonly publicUrl: string;
}

/**
 * Stands in front of everything under /api. No answer carries a CORS header, and a write that a browser says comes from another origin is refused, so that
 * a page somewhere on the web can neither read nor change what is booked. Then the bearer token, compared in constant time.
 */
export const createAdminGate = ({ tokens, publicUrl }: AdminGateOptions): RequestHandler => {
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  const ownOrigin = publicUrl === '' ? undefined : new URL(publicUrl).origin;

  /** All are compared, so that the time says nothing about which one was nearly right. */
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
      return sendProblem(res, problem('forbidden', 'The trafficking API can be changed from its own origin only.'));
    }
    const actor = known.length === 0 ? 'anonymous' : nameOf(bearerOf(req));
    if (actor === undefined) {
      return sendProblem(res, problem('admin_unauthorized', 'Authorization must be "Bearer" and a token of ADMIN_TOKEN.'), {
        'WWW-Authenticate': 'Bearer realm="trafficking"',
      });
    }
    res.locals['actor'] = actor;
    next();
  };
};

/** Who is asking, by the name of the token. */
export const actorOf = (res: Response): string => String(res.locals['actor']);

const digestOf = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest();

const bearerOf = (req: Request): string => /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';

/** Sec-Fetch-Site is the browser's own word, which no script can set; older browsers send Origin with every write. Neither: no browser. */
const isFromElsewhere = (req: Request, ownOrigin: string | undefined): boolean => {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const origin = req.get('origin');
  if (origin === undefined) return false;
  return origin !== ownOrigin && (!URL.canParse(origin) || new URL(origin).host !== req.get('host'));
};
