import type { Request, RequestHandler, Response } from 'express';
import { SECONDS_PER_DAY } from '../../base/utc-day.ts';
import { sendProblem, type Problem } from '../problems/problem.ts';

/**
 * For responses to pages of any publisher. No credentials are involved: the page's script sets the
 * key as a header.
 */
export const CORS_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;

/** Refuses a request of a page. */
export const refusePage = (res: Response, sent: Problem): void => sendProblem(res, sent, CORS_HEADERS);

/**
 * For auctions. Prebid.js sends them with credentials, to which browsers show no answer for `*`. The
 * service reads no cookie, so the answer says nothing that the page could not have asked for itself.
 */
export const pageCors = ({ headers: { origin } }: Request): Readonly<Record<string, string>> => ({
  ...PAGE_CORS,
  ...(origin !== undefined && { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' }),
});

const PAGE_CORS = { Vary: 'Origin', 'Cross-Origin-Resource-Policy': 'cross-origin' };
const PAGE_CORS_LIST = Object.entries(PAGE_CORS).flat();

/** The same as names and values in turns, which Node writes without an object of them. */
export const pageCorsList = ({ headers: { origin } }: Request): readonly string[] =>
  origin === undefined
    ? PAGE_CORS_LIST
    : [...PAGE_CORS_LIST, 'Access-Control-Allow-Origin', origin, 'Access-Control-Allow-Credentials', 'true'];

/**
 * A day; Chromium caps it at two hours. Without it every ad request from a page takes two requests.
 */
const MAX_AGE_SECONDS = SECONDS_PER_DAY;

const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, X-API-Key',
  'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
  Allow: 'POST, OPTIONS',
};

/** The same for auctions, and whatever headers `s2sConfig.customHeaders` of Prebid.js names. */
export const auctionPreflight: RequestHandler = (req, res) => {
  const asked = req.get('access-control-request-headers') ?? '';
  const headers = /^[\w-]+( ?, ?[\w-]+){0,20}$/.test(asked) ? asked : PREFLIGHT_HEADERS['Access-Control-Allow-Headers'];
  res.writeHead(204, { ...PREFLIGHT_HEADERS, 'Access-Control-Allow-Headers': headers, ...pageCors(req) });
  res.end();
};

/**
 * Answers OPTIONS on the paths that pages post to: 204, for any origin and the two headers that the
 * SDK sends.
 */
export const preflight: RequestHandler = (_req, res) => {
  res.writeHead(204, PREFLIGHT_HEADERS);
  res.end();
};
