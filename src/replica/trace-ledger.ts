import type { Ledger } from '../ledger/ledger.ts';
import type { Tracing } from '../observability/tracing.ts';

/** Gives the calls of a ledger spans, from the wait for the batch to the answer. */
export const traceLedger = ({ reserve, settle, ...others }: Ledger, tracing: Tracing): Ledger => {
  const call = <T>(procedure: string, work: () => Promise<T>): Promise<T> =>
    tracing.call(
      {
        name: `FCALL ${procedure}`,
        attributes: { 'db.system.name': 'redis', 'db.operation.name': 'FCALL', 'db.stored_procedure.name': procedure },
        failureOf: (answer) => (answer === undefined ? 'unavailable' : undefined),
      },
      work,
    );
  return {
    // Reported outside of requests.
    ...others,
    reserve: (request, onLate) => call('ads_reserve', () => reserve(request, onLate)),
    settle: (hit, limits, options) => call('ads_settle', () => settle(hit, limits, options)),
  };
};
