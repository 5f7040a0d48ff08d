import { parseUrl } from '../base/parse-url.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { unlimitedCaller, type Caller } from '../access/caller.ts';
import type { AdminToken } from '../config/settings.ts';
import { networkOf } from '../context/network-of.ts';
import { createCallerAddress } from '../http/request/caller-address.ts';
import { problem, sendProblem } from '../http/problems/problem.ts';
import { letIn } from './call-rights.ts';
import { MAX_WRONG_TOKENS, WRONG_TOKEN_WINDOW_S, type WrongTokens } from './wrong-tokens.ts';

/** Why a call of the trafficking API was refused. */
export const ADMIN_REFUSALS = ['another_site', 'no_token', 'wrong_token', 'too_many_wrong_tokens'] as const;
export type AdminRefusal = (typeof ADMIN_REFUSALS)[number];

export interface AdminGateOptions {
  /** Each may do everything. Empty: every client that can reach the API may use it without a token. */
  readonly tokens: readonly AdminToken[];
  /** Who has a bearer token of the API; null: no caller, undefined: it has another form. Rejects when Postgres is unavailable. */
  readonly findToken: (bearer: string) => Promise<Caller | null> | undefined;
  /**
   * The public address of the service; '' when unknown. Needed where a proxy changes the Host
   * header.
   */
  readonly publicUrl: string;
  readonly trustProxyHops: number | undefined;
  readonly wrongTokens: WrongTokens;
  /** `network`: of the client; '' when its address is unknown. */
  readonly onRefused: (reason: AdminRefusal, network: string) => void;
}

/**
 * Guards everything under /api. Answers carry no CORS header, and calls from pages of other sites
 * are refused, so that a foreign page can neither read nor change the catalog. Then the bearer token
 * is looked up among the API tokens, by its digest, or compared in constant time with those of the
 * settings. Wrong ones are limited by network, which bounds the log and the work; the length of a
 * token makes guessing hopeless. A right token always passes: otherwise one stranger behind the same
 * proxy could lock out all staff.
 */
export const createAdminGate = ({
  tokens,
  findToken,
  publicUrl,
  trustProxyHops,
  wrongTokens,
  onRefused,
}: AdminGateOptions): RequestHandler => {
  const known = tokens.map(({ name, token }) => ({ name, digest: digestOf(token) }));
  const ownOrigin = publicUrl === '' ? undefined : new URL(publicUrl).origin;

  /** Compares every token, so that the time does not depend on which one matches. */
  const nameOf = (given: string): string | undefined => {
    if (known.length === 0) return 'anonymous';
    const digest = digestOf(given);
    return known.reduce<string | undefined>(
      (found, { name, digest: expected }) => (timingSafeEqual(digest, expected) ? name : found),
      undefined,
    );
  };

  const callerOf = async (bearer: string): Promise<Caller | null> => {
    const found = findToken(bearer);
    if (found) return found;
    const name = nameOf(bearer);
    return name === undefined ? null : unlimitedCaller(name);
  };

  const callerAddress = createCallerAddress(trustProxyHops);
  const clientNetwork = (req: Request): string => {
    const address = callerAddress(req);
    return address === null ? '' : networkOf(address);
  };

  return async (req, res, next) => {
    res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
    const network = clientNetwork(req);
    if (isFromElsewhere(req, ownOrigin)) {
      onRefused('another_site', network);
      return sendProblem(res, problem('forbidden', 'The trafficking API answers its own pages only, not pages of other sites.'));
    }
    const bearer = bearerOf(req);
    const caller = await callerOf(bearer);
    if (caller) {
      letIn(res, caller);
      return next();
    }
    if (bearer !== '' && (await wrongTokens.count(network)) > MAX_WRONG_TOKENS) {
      onRefused('too_many_wrong_tokens', network);
      const seconds = String(WRONG_TOKEN_WINDOW_S);
      return sendProblem(res, problem('too_many_requests', 'Too many wrong tokens came from this network.'), { 'Retry-After': seconds });
    }
    onRefused(bearer === '' ? 'no_token' : 'wrong_token', network);
    sendProblem(res, problem('admin_unauthorized', 'Send "Authorization: Bearer" with a token of ADMIN_TOKEN or an API token.'), {
      'WWW-Authenticate': 'Bearer realm="trafficking"',
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

/**
 * Browsers send Sec-Fetch-Site, which scripts cannot set, and where it is missing (older browsers,
 * plain http) Origin with every write. A request with neither does not come from a browser's page.
 */
const isFromElsewhere = (req: Request, ownOrigin: string | undefined): boolean => {
  const site = req.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const origin = req.get('origin');
  if (origin === undefined) return false;
  return origin !== ownOrigin && parseUrl(origin)?.host !== req.get('host');
};
