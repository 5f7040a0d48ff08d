import { ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';

/** W3C Trace Context: version, trace id, parent id, flags. Ids of zeros are invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/**
 * Traces of callers that are followed in a second. A stranger can send sampled headers too; a
 * traced request costs about twice as much as another.
 */
const MAX_FOLLOWED_PER_SECOND = 100;

/**
 * Returns the function that reads a `traceparent` header. A caller that sampled its trace is
 * followed, up to the limit; one that did not is followed by not tracing. Otherwise the request
 * begins a trace of its own, if the sampler chooses it.
 *
 * @param now monotonic milliseconds
 */
export const createCallerContext = (now: () => number = () => performance.now()) => {
  let second = 0;
  let followed = 0;
  const mayFollow = (): boolean => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, followed] = [current, 0];
    return followed++ < MAX_FOLLOWED_PER_SECOND;
  };
  return (header: string | string[] | undefined): Context => {
    const [, traceId, spanId, flags] = typeof header === 'string' ? (TRACEPARENT.exec(header) ?? []) : [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
    const traceFlags = Number.parseInt(flags, 16) & SAMPLED;
    if (traceFlags === SAMPLED && !mayFollow()) return ROOT_CONTEXT;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };
};
