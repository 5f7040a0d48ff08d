import type { ServerResponse } from 'node:http';

/** Sends a value as JSON that no cache may store. `headers` are added and may override. */
export const sendJson = (
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string | string[]>> = {},
): void => sendJsonText(res, status, JSON.stringify(value), headers);

/** The same for JSON text. */
export const sendJsonText = (
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string | string[]>> = {},
): void => {
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
