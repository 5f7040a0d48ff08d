import { ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { readTraceParent } from '../base/traceparent.ts';

const SAMPLED = 1;

/**
 * Traces of callers that are followed in a second. A stranger can send sampled headers too; a
 * traced request costs about twice as much as another.
 */
const MAX_FOLLOWED_PER_SECOND = 100;

/**
 * Returns the function that reads a `traceparent` header. A caller that sampled its trace is
 * followed, up to the limit; one that did not is followed by not tracing. Otherwise the request
 * begins a new trace, if the sampler chooses it.
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
    const parent = readTraceParent(header);
    if (!parent) return ROOT_CONTEXT;
    const { traceId, spanId } = parent;
    const traceFlags = parent.flags & SAMPLED;
    if (traceFlags === SAMPLED && !mayFollow()) return ROOT_CONTEXT;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  };
};
