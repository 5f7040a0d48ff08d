import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { unlimitedCaller, type Caller } from '../access/caller.ts';
import type { AdminToken } from '../config/settings.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { ATTEMPTS, type Attempts } from './attempts.ts';
import { API_TOKEN } from '../access/secret-kind.ts';
import { clientWords } from './sessions/device-words.ts';
import type { Origin } from './sessions/session-store.ts';
import { clearCookie, cookieOf } from './sessions/session-cookie.ts';
import { letIn } from '../api/call-rights.ts';
import type { PageCheck } from './page-check.ts';

/** Why a call of the trafficking API was refused. */
export const ADMIN_REFUSALS = ['another_site', 'no_token', 'wrong_token', 'too_many_wrong_tokens', 'no_session'] as const;
export type AdminRefusal = (typeof ADMIN_REFUSALS)[number];

export interface AdminGateOptions {
  /** Each may do everything. */
  readonly tokens: readonly AdminToken[];
  /** Who has an API token, or a session, by its secret; null: no caller. Each rejects when Postgres is unavailable. */
  readonly useToken: (token: string) => Promise<Caller | null>;
  readonly useSession: (secret: string) => Promise<Caller | null>;
  /** Whether every client that can reach the API may use it without a token. */
  readonly isOpen: () => Promise<boolean>;
  readonly pages: PageCheck;
  readonly originOf: (req: Request) => Pick<Origin, 'network' | 'userAgent'>;
  readonly attempts: Attempts;
  /** `network`: of the client; '' when its address is unknown. */
  readonly onRefused: (reason: AdminRefusal, network: string) => void;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Guards everything under /api. Answers carry no CORS header, and calls from pages of other sites
 * are refused, so that a foreign page can neither read nor change the catalog. Then a bearer token
 * is looked up among the API tokens, by its digest, or compared in constant time with those of the
 * settings, or else the session of the cookie is. Wrong tokens are limited by network, which bounds the
 * log and the work; the length of a token makes guessing hopeless. A right token always passes:
 * otherwise one stranger behind the same proxy could lock out all staff.
 */
export const createAdminGate = (options: AdminGateOptions): RequestHandler => {
  const { tokens, useToken, useSession, isOpen, pages, originOf, attempts, onRefused } = options;
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));

  /** Compares every token, so that the time does not depend on which one matches. */
  const machineOf = (given: string): Caller | null => {
    const digest = digestOf(given);
    const name = known.reduce<string | undefined>(
      (found, { name: one, digest: expected }) => (timingSafeEqual(digest, expected) ? one : found),
      undefined,
    );
    return name === undefined ? null : unlimitedCaller(name);
  };

  const callerOf = async (bearer: string, session: string | undefined): Promise<Caller | null> => {
    if (API_TOKEN.claims(bearer)) return useToken(bearer);
    const caller =
      (bearer === '' ? null : machineOf(bearer)) ?? (session === undefined || bearer !== '' ? null : await useSession(session));
    return caller ?? ((await isOpen()) ? unlimitedCaller('anonymous') : null);
  };

  return async (req, res, next) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const { network, userAgent } = originOf(req);
    const bearer = bearerOf(req);
    const session = cookieOf(req.get('cookie'), 'session');
    // A browser sends the cookie by itself: what changes something must come from a page of this service.
    const isUnproven = bearer === '' && session !== undefined && !SAFE_METHODS.has(req.method) && !pages.isFromOwnPage(req);
    if (pages.isFromElsewhere(req) || isUnproven) {
      onRefused('another_site', network);
      return sendProblem(res, problem('forbidden', 'The trafficking API answers its own pages only, not pages of other sites.'));
    }
    const caller = await callerOf(bearer, session);
    if (caller) {
      const isKnown = caller.kind === 'person' || caller.kind === 'token';
      letIn(res, isKnown ? { ...caller, from: { network, device: clientWords(userAgent) } } : caller);
      return next();
    }
    if (bearer !== '' && (await attempts.count('token', network)) > ATTEMPTS.token.max) {
      onRefused('too_many_wrong_tokens', network);
      const seconds = String(ATTEMPTS.token.windowS);
      return sendProblem(res, problem('too_many_requests', 'Too many wrong tokens came from this network.'), { 'Retry-After': seconds });
    }
    onRefused(bearer !== '' ? 'wrong_token' : session === undefined ? 'no_token' : 'no_session', network);
    const words =
      bearer === '' && session !== undefined
        ? 'Your session has ended. Sign in again at /auth/login.'
        : 'Sign in at /auth/login, or send "Authorization: Bearer" with a token of ADMIN_TOKEN or an API token.';
    sendProblem(res, problem('admin_unauthorized', words), {
      'WWW-Authenticate': 'Bearer realm="trafficking"',
      ...(session !== undefined && { 'Set-Cookie': clearCookie('session') }),
    });
  };
};

/** In place of the API and its pages while the settings do not allow to open them. */
export const createClosedGate =
  (reason: string): RequestHandler =>
  (_req, res) =>
    sendProblem(res, problem('forbidden', `The trafficking tool is closed: ${reason}.`));

const digestOf = (token: string): Buffer => createHash('sha256').update(token, 'utf8').digest();

const bearerOf = (req: Request): string => /^Bearer +(\S+) *$/i.exec(req.get('authorization') ?? '')?.[1] ?? '';
