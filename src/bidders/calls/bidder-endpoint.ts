import { createHash } from 'node:crypto';
import CircuitBreaker from 'opossum';
import type { CircuitState } from '../bidder-observer.ts';
import type { GuardedDispatchers } from './guarded-dispatcher.ts';
import { postBidRequest, type BidAnswer } from './post-bid-request.ts';

export interface CircuitSettings {
  /** So many failures on end open the circuit, however little is asked. */
  readonly failuresInRow: number;
  /** An open circuit tries one call after this long. */
  readonly retryAfterMs: number;
  /** How long that one may take. No page waits for it: its bid is dropped, its success closes the circuit. */
  readonly trialTimeoutMs: number;
}

export interface BidderEndpointOptions {
  readonly url: URL;
  readonly dispatchers: GuardedDispatchers;
  readonly circuit: CircuitSettings;
  readonly onCircuit: (state: CircuitState) => void;
}

/** One external bidder behind its circuit breaker. */
export interface BidderEndpoint {
  /** Resolves in every case, at the latest when the signal aborts. */
  ask(body: string, signal: AbortSignal): Promise<BidAnswer>;
  close(): void;
}

/** Twice the sockets: what waits longer than that for one would miss its deadline. */
const MAX_CALLS_UNDER_WAY = 100;
/** From here on a row of failures is a doubt: no more calls go out than it takes to settle it. The same before the first answer. */
const DOUBTFUL_FAILURES = 2;

export const createBidderEndpoint = ({ url, dispatchers, circuit, onCircuit }: BidderEndpointOptions): BidderEndpoint => {
  let failuresInRow = 0;
  let hasAnswered = false;
  let callsUnderWay = 0;

  // opossum counts rejections; outcomes are values everywhere else, so a failed call is wrapped on the way in and unwrapped on the way out.
  const breaker = new CircuitBreaker(
    async (body: string, signal: AbortSignal): Promise<BidAnswer> => {
      const answer = await postBidRequest({ dispatcher: dispatchers.of(url), url, body, signal });
      if (answer.kind === 'refused') throw new FailedCall(answer);
      return answer;
    },
    {
      timeout: false,
      resetTimeout: circuit.retryAfterMs,
      errorThresholdPercentage: 50,
      volumeThreshold: 10,
      // Short, so that a bidder that was healthy for long opens its circuit soon after it falls ill.
      rollingCountTimeout: 2_000,
      rollingCountBuckets: 4,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
    },
  );
  breaker.on('open', () => onCircuit('open'));
  breaker.on('halfOpen', () => onCircuit('half_open'));
  breaker.on('close', () => onCircuit('closed'));
  breaker.on('success', () => {
    failuresInRow = 0;
    hasAnswered = true;
  });
  breaker.on('failure', () => {
    failuresInRow += 1;
    if (failuresInRow >= circuit.failuresInRow && !breaker.opened) breaker.open();
  });
  onCircuit('closed');

  const tryOnce = (body: string): void => {
    // What became of it is told by the circuit. It also rejects when another trial is under way.
    breaker.fire(body, AbortSignal.timeout(circuit.trialTimeoutMs)).catch(() => undefined);
  };

  return {
    ask: async (body, signal) => {
      if (breaker.halfOpen) tryOnce(body);
      if (breaker.opened || breaker.halfOpen) return { kind: 'refused', outcome: 'circuit_open' };
      const inDoubt = !hasAnswered || failuresInRow >= DOUBTFUL_FAILURES;
      if (callsUnderWay >= (inDoubt ? circuit.failuresInRow - failuresInRow : MAX_CALLS_UNDER_WAY))
        return { kind: 'refused', outcome: 'busy' };
      callsUnderWay += 1;
      try {
        return await breaker.fire(body, signal);
      } catch (error) {
        if (error instanceof FailedCall) return error.answer;
        // The circuit has opened meanwhile.
        if (error instanceof Error && 'code' in error && error.code === 'EOPENBREAKER') return { kind: 'refused', outcome: 'circuit_open' };
        throw error;
      } finally {
        callsUnderWay -= 1;
      }
    },
    close: () => breaker.shutdown(),
  };
};

class FailedCall extends Error {
  readonly answer: BidAnswer;
  constructor(answer: BidAnswer) {
    super('bidder call failed');
    this.answer = answer;
  }
}

/** Host and path; a query, which may hold a key, only as a short hash that keeps endpoints apart. */
export const endpointLabel = (url: URL): string =>
  url.host + url.pathname + (url.search === '' ? '' : `?${createHash('sha256').update(url.search).digest('hex').slice(0, 8)}`);
