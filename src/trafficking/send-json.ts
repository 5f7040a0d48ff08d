import type { Response } from 'express';

/** Answers JSON that no cache may keep: what is booked, and who booked it. */
export const sendJson = (res: Response, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void =>
  sendJsonText(res, status, JSON.stringify(value), headers);

/** The same for JSON that is written already. */
export const sendJsonText = (res: Response, status: number, text: string, headers: Readonly<Record<string, string>> = {}): void => {
  res
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    })
    .end(text);
};
