import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import express, { type Request, type RequestHandler } from 'express';
import { createErrorHandler, type ErrorHandlerParts } from '../http/problems/error-handler.ts';
import { requestIdOf, sendRequestId } from '../http/request/request-id.ts';

/** A call of the API, with a path under /api. */
export interface WantedCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/line_items/5/delivery`. */
  readonly path: string;
  /** Members that are undefined are left out. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Parsed where it is JSON; undefined: there is none. */
  readonly body: unknown;
}

/** Calls the API as who sent a request: with the same credentials, through the same gate, checks and handlers, without a connection. */
export type CallApi = (wanted: WantedCall) => Promise<ApiAnswer>;

export interface CallApiOptions {
  /** Everything under /api. */
  readonly api: RequestHandler;
  readonly errors: ErrorHandlerParts;
}

/** Headers of the outer request that are about its body or answer. */
const OWN_HEADERS = /^(content-.*|transfer-encoding|accept.*|expect|connection|idempotency-key|change-note|if-match|mcp-.*|last-event-id)$/;

export const createCallApi = ({ api, errors }: CallApiOptions): ((outer: Request) => CallApi) => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use('/api', sendRequestId, api);
  app.use(createErrorHandler(errors));
  return (outer) =>
    ({ method, path, query = {}, body, headers = {} }) => {
      const chunks: Buffer[] = [];
      const socket = socketOf(outer, chunks);
      const req = new IncomingMessage(socket);
      const text = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
      const passed = Object.entries(outer.headers).filter(([name]) => !OWN_HEADERS.test(name));
      const given = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value] as const]));
      // Answers of HTTP 1.0 have no chunks: what follows the head is the body.
      Object.assign(req, { method, url: `/api${path}${queryOf(query)}`, httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
      req.headers = {
        ...Object.fromEntries(passed),
        accept: 'application/json',
        'x-request-id': outer.res ? requestIdOf(outer.res) : undefined,
        ...(text && { 'content-type': 'application/json', 'content-length': String(text.length) }),
        ...Object.fromEntries(given),
      };
      if (text) req.push(text);
      req.push(null);
      req.complete = true;
      const res = new ServerResponse(req);
      res.assignSocket(socket);
      return new Promise((resolve, reject) => {
        res.once('finish', () => resolve(readAnswer(Buffer.concat(chunks))));
        res.once('close', () => reject(new Error(`The answer to ${method} ${path} was not finished.`)));
        app(req, res);
      });
    };
};

/** What an answer is written to; with the address of the client, for the history. */
const socketOf = ({ socket: { remoteAddress } }: Request, chunks: Buffer[]): Socket => {
  const duplex = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(duplex, { remoteAddress }) as unknown as Socket;
};

const queryOf = (query: Readonly<Record<string, unknown>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    search.append(name, Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value));
  }
  return search.size > 0 ? `?${search.toString()}` : '';
};

const HEAD_END = '\r\n\r\n';

const readAnswer = (bytes: Buffer): ApiAnswer => {
  const end = bytes.indexOf(HEAD_END);
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
  const text = bytes.subarray(end + HEAD_END.length).toString('utf8');
  const isJson = /json/.test(headers.get('content-type') ?? '');
  return { status: Number(first.split(' ')[1]), headers, body: text === '' ? undefined : isJson ? (JSON.parse(text) as unknown) : text };
};
