import type { Request, Response } from 'express';
import { pageCors } from '../answers/cors.ts';

/** A document for a player. Those that follow the standard's chapter on CORS send credentials, so the origin is named in the answer. */
export const sendXml = (req: Request, res: Response, text: string): void => {
  const bytes = Buffer.from(text);
  res
    .writeHead(200, {
      ...pageCors(req),
      'Cache-Control': 'no-store, no-cache, must-revalidate, private',
      'Content-Type': 'application/xml; charset=utf-8',
      'Content-Length': bytes.length,
      'X-Content-Type-Options': 'nosniff',
    })
    .end(bytes);
};
