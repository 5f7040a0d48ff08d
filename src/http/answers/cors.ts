import type { RequestHandler, Response } from 'express';
import { sendProblem, type Problem } from '../problems/problem.ts';

/**
 * For responses to pages of any publisher. No credentials are involved: the page's script sets the
 * key as a header.
 */
export const CORS_HEADERS = { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' } as const;

/** Refuses a request of a page. */
export const refusePage = (res: Response, sent: Problem): void => sendProblem(res, sent, CORS_HEADERS);

/**
 * A day; Chromium caps it at two hours. Without it every ad request from a page takes two requests.
 */
const MAX_AGE_SECONDS = 86_400;

const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, X-API-Key',
  'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
  Allow: 'POST, OPTIONS',
};

/**
 * Answers OPTIONS on the paths that pages post to: 204, for any origin and the two headers that the
 * SDK sends.
 */
export const preflight: RequestHandler = (_req, res) => {
  res.writeHead(204, PREFLIGHT_HEADERS);
  res.end();
};
