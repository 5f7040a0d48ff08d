import type { RouteDefinition } from '../../src/api/route.ts';
import type { Answer } from './wire.ts';

/** One request: a path with names in braces, and what is sent to it. */
export interface Asked extends Readonly<Record<string, unknown>> {
  readonly body?: unknown;
  /** The entity tag of the record as it was read: the service answers 412 when it has changed since. */
  readonly 'If-Match'?: string | null | undefined;
  /** Why, for the history. */
  readonly 'Change-Note'?: string | undefined;
}

/** Sends a request, and reads the body of an answer. */
export type Call = <T>(method: RouteDefinition['method'], path: string, asked?: Asked) => Promise<Answer<T>>;
