import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { mockBid } from '../../bidders/openrtb/mock-bid.ts';
import { readJson } from '../request/read-json.ts';
import { sendJson } from '../answers/send-json.ts';

/** POST /test/bid: a bidder for development that bids on any body. */
export const testBidRoute: RequestHandler = async (req, res) => {
  const body = await readJson(req);
  const { status, delayMs, body: answer } = mockBid(new URL(req.url, 'http://localhost').searchParams, body.ok ? body.value : undefined);
  if (delayMs > 0) await sleep(delayMs);
  if (answer === null) res.writeHead(status).end();
  else sendJson(res, status, answer);
};
