import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { MS_PER_DAY } from '../base/utc-day.ts';
import type { TokenSecret } from '../config/settings.ts';

/** What a read-only link shows: one advertiser's figures, as one report. */
export interface SharedReport {
  readonly advertiserId: number;
  readonly title: string;
  /** The parameters of GET /api/reports, without a filter of advertisers. */
  readonly query: string;
}

/** Read-only links to reports of one advertiser. */
export interface ReportLinks {
  issue(shared: SharedReport, days: number): { readonly token: string; readonly expiresAtMs: number };
  /** undefined: forged, expired, or its key has left TOKEN_SECRETS. */
  read(token: string): (SharedReport & { readonly expiresAtMs: number }) | undefined;
}

export const MAX_LINK_DAYS = 365;
export const DEFAULT_LINK_DAYS = 30;
const AUDIENCE = 'report';
/** Longer ones are rejected unread. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * Links are JWTs (HS256) that nothing stores: they end at their time, or when their key leaves
 * TOKEN_SECRETS. Their keys are derived from the token secrets, so that a link is never a valid
 * tracking token or debug grant, nor the reverse.
 *
 * @param now epoch milliseconds
 */
export const createReportLinks = (secrets: readonly TokenSecret[], now: () => number = Date.now): ReportLinks => {
  const keys = new Map<string, KeyObject>(
    secrets.map(({ kid, secret }) => [kid, createSecretKey(createHmac('sha256', secret).update('report link').digest())]),
  );
  const [signing] = keys;
  if (!signing) throw new Error('at least one token secret is needed');
  const [keyid, signingKey] = signing;

  return {
    issue: ({ advertiserId, title, query }, days) => {
      const expiresAtMs = now() + days * MS_PER_DAY;
      const claims = { a: advertiserId, n: title, q: query, aud: AUDIENCE, exp: Math.floor(expiresAtMs / 1000) };
      return { token: jwt.sign(claims, signingKey, { algorithm: 'HS256', keyid, noTimestamp: true }), expiresAtMs };
    },
    read: (token) => {
      if (token.length > MAX_TOKEN_LENGTH) return undefined;
      try {
        const key = keys.get(jwt.decode(token, { complete: true })?.header.kid ?? '');
        if (!key) return undefined;
        const claims = jwt.verify(token, key, { algorithms: ['HS256'], audience: AUDIENCE, clockTimestamp: Math.floor(now() / 1000) });
        if (typeof claims !== 'object' || typeof claims.exp !== 'number') return undefined;
        return {
          ...{ advertiserId: Number(claims['a']), title: String(claims['n']), query: String(claims['q']) },
          expiresAtMs: claims.exp * 1000,
        };
      } catch {
        // jsonwebtoken rejected the token.
        return undefined;
      }
    },
  };
};

/** The question of a link: its own parameters, and the figures of its advertiser alone. */
export const sharedSearch = (query: string, advertiserId: number): URLSearchParams => {
  const search = new URLSearchParams(query);
  for (const name of ['format', 'limit', 'offset']) search.delete(name);
  search.set('filter[advertiser]', String(advertiserId));
  return search;
};
