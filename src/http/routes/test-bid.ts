import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { mockBid } from '../../bidders/openrtb/mock-bid.ts';
import { readJson } from '../body/read-json.ts';

/** POST /test/bid: a bidder for development. Whatever the body is, or is not, it bids. */
export const testBidRoute: RequestHandler = async (req, res) => {
  const body = await readJson(req);
  const { status, delayMs, body: answer } = mockBid(new URL(req.url, 'http://localhost').searchParams, body.ok ? body.value : undefined);
  if (delayMs > 0) await sleep(delayMs);
  if (answer === null) {
    res.writeHead(status).end();
    return;
  }
  const text = JSON.stringify(answer);
  res.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
};
