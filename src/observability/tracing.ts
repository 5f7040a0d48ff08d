import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LogFields } from './log.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A call of another service. */
export interface TracedCall<T> {
  /** From a closed set. */
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** Why the call failed, for one whose promise does not reject; undefined: it did not. */
  readonly failureOf?: (result: T) => string | undefined;
}

/**
 * Traces of requests. Only a sampled request has spans; for all others each function runs the work
 * that it is given and does nothing else.
 */
export interface Tracing {
  /** Answers a request. `traceId`: of its span; undefined: it is not sampled. */
  request(req: IncomingMessage, res: ServerResponse, answer: (traceId: string | undefined) => void): void;
  /** Runs work in a span inside the one under way. */
  stage<T>(name: string, work: () => T): T;
  /** The same for a call of another service. */
  call<T>(call: TracedCall<T>, work: () => Promise<T>): Promise<T>;
  /** The W3C header of the span under way; undefined: there is none. */
  traceparent(): string | undefined;
  /** Ids of the span under way. */
  logFields(): LogFields;
  /** Gives the queries of a knex instance spans. */
  watchKnex(knex: WatchedKnex): void;
  /** Sends the spans that wait. */
  close(): Promise<void>;
}

/** The events of knex that enclose a query. */
export interface WatchedKnex {
  on(event: 'query', listener: (query: KnexQuery) => void): unknown;
  on(event: 'query-response', listener: (response: unknown, query: KnexQuery) => void): unknown;
  on(event: 'query-error', listener: (error: Error, query: KnexQuery) => void): unknown;
}

export interface KnexQuery {
  readonly sql: string;
  readonly __knexQueryUid?: string;
}

/** Creates the tracing of a replica. `onFailure`: spans could not be exported. */
export type CreateTracing = (options: { readonly version: string; readonly onFailure: (fault: Error) => void }) => Tracing;
