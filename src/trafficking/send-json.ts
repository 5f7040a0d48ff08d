import type { Response } from 'express';

/** Sends JSON that caches must not store. */
export const sendJson = (res: Response, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void => {
  const text = JSON.stringify(value);
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
