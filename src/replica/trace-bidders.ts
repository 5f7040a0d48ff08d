import type { TraceBidderCall } from '../bidders/create-bidders.ts';
import { parseUrl } from '../base/parse-url.ts';
import type { Tracing } from '../observability/tracing.ts';

/**
 * Gives each bidder call a span. The header `traceparent` goes to the listed hosts only, and not
 * where consent forbids sharing: the caller may have chosen the trace id, and it could name a user.
 */
export const traceBidders =
  (tracing: Tracing, bidderHosts: readonly string[]): TraceBidderCall =>
  ({ endpoint, mayShare }, call) => {
    const host = parseUrl(endpoint)?.hostname ?? '';
    return tracing.call(
      {
        name: 'POST',
        attributes: { 'http.request.method': 'POST', 'server.address': host },
        failureOf: (answer) => (answer.kind === 'refused' ? answer.outcome : undefined),
      },
      () => {
        const traceparent = mayShare && bidderHosts.includes(host) ? tracing.traceparent() : undefined;
        return call(traceparent === undefined ? undefined : { traceparent });
      },
    );
  };
