import type { Request, Response } from 'express';
import { pageCorsList } from '../answers/cors.ts';
import { sendWhole, toBytes } from '../answers/send-whole.ts';

/** A document for a player. Those that follow the standard's chapter on CORS send credentials, so the origin is named in the answer. */
export const sendXml = (req: Request, res: Response, text: string): void => {
  const bytes = toBytes(text);
  sendWhole(res.writeHead(200, [...pageCorsList(req), ...XML_HEADERS, 'Content-Length', String(bytes.length)]), bytes);
};

const XML_HEADERS = Object.entries({
  'Cache-Control': 'no-store, no-cache, must-revalidate, private',
  'Content-Type': 'application/xml; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
}).flat();
