import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Express, Request } from 'express';
import { sendProblem, type Problem } from '../problems/problem.ts';
import { requestIdOf } from '../request/request-id.ts';

/**
 * An HTTP server whose requests and responses are created with the prototypes that Express sets.
 *
 * Express calls `Object.setPrototypeOf` on both objects of every request, which makes V8 discard
 * its optimizations for their shape. The call does nothing when the prototype is already set.
 * Measured with a 350-byte JSON echo, both servers on one machine in alternating runs: 132 µs of
 * CPU per request before, 56 µs with it.
 */
export const createAlignedServer = (app: Express, options: ServerOptions = {}, refusalOf?: HostCheck, trace?: TraceRequest): Server => {
  const answer: RequestListener = (req, res) => {
    moveQuery(req as Request);
    app(req, res);
  };
  return createServer(
    {
      ...options,
      joinDuplicateHeaders: true,
      IncomingMessage: withPrototype(IncomingMessage, app.request),
      ServerResponse: withPrototype(ServerResponse, app.response),
    },
    traced(
      refusalOf
        ? (req, res) => {
            const refusal = refusalOf(req.headers.host);
            if (refusal) sendProblem(res, refusal, { Connection: 'close' });
            else answer(req, res);
          }
        : answer,
      trace,
    ),
  );
};

const HIT_WITH_QUERY = /^\/(?:impression|click|event)\?/;

/**
 * Leaves of the URL of a hit its path; the whole URL is in `originalUrl`, where Express keeps it. The router reads a URL one
 * character after another, which took 4 µs with a token of 400.
 */
const moveQuery = (req: Request): void => {
  const { url } = req;
  if (!HIT_WITH_QUERY.test(url)) return;
  req.originalUrl = url;
  req.url = url.slice(0, url.indexOf('?'));
};

/** Answers a request inside a span. `traceId`: undefined when the request is not sampled. */
type TraceRequest = (req: IncomingMessage, res: ServerResponse, answer: (traceId: string | undefined) => void) => void;

const traced = (listener: RequestListener, trace: TraceRequest | undefined): RequestListener =>
  trace
    ? (req, res) =>
        trace(req, res, (traceId) => {
          if (traceId !== undefined) requestIdOf(res, traceId);
          listener(req, res);
        })
    : listener;

/** Refuses a request by its Host header, before the routes. */
type HostCheck = (host: string | undefined) => Problem | undefined;

/**
 * A constructor that initialises as `base` does and creates objects with `prototype`. A function,
 * because the `prototype` of a class cannot be replaced; Node's two constructors support being
 * called without `new`.
 */
const withPrototype = <C extends typeof IncomingMessage | typeof ServerResponse>(base: C, prototype: object): C => {
  const initialise = base as unknown as (this: unknown, first: unknown, second: unknown) => void;
  function Aligned(this: unknown, first: unknown, second: unknown): void {
    initialise.call(this, first, second);
  }
  Aligned.prototype = prototype;
  return Aligned as unknown as C;
};
