import type { ServerResponse } from 'node:http';

/** Sends a value as JSON that no cache may store. `headers` are added and may override. */
export const sendJson = (res: ServerResponse, status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): void => {
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
