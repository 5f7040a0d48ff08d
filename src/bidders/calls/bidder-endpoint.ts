import { createHash } from 'node:crypto';
import { circuitBreaker, CircuitState as Circuit, handleWhenResult, SamplingBreaker } from 'cockatiel';
import type { Bidder } from '../../catalog/model/entities.ts';
import type { CircuitState } from '../bidder-observer.ts';
import { createAskedShare } from './asked-share.ts';
import type { GuardedDispatchers } from './guarded-dispatcher.ts';
import { postBidRequest, type BidAnswer, type CallHeaders } from './post-bid-request.ts';

export interface CircuitSettings {
  /** This many consecutive failures open the circuit, at any request rate. */
  readonly failuresInRow: number;
  /** An open circuit allows one trial call after this long. */
  readonly retryAfterMs: number;
  /**
   * Timeout of the trial call. No page waits for it: its bid is dropped, its success closes the
   * circuit.
   */
  readonly trialTimeoutMs: number;
}

export interface BidderEndpointOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether requests are compressed. */
  readonly gzip: boolean;
  readonly dispatchers: GuardedDispatchers;
  readonly circuit: CircuitSettings;
  readonly onCircuit: (state: CircuitState) => void;
  readonly onShare: (share: number) => void;
}

/** Twice the sockets: a call that waits longer for a socket would miss its deadline. */
const MAX_CALLS_UNDER_WAY = 100;
/**
 * After this many consecutive failures, and before the first answer, the number of concurrent calls
 * is limited to the failures that still open the circuit.
 */
const DOUBTFUL_FAILURES = 2;
/**
 * Half of at least 10 calls in 2 s. A short window, so that a bidder that worked for long opens its
 * circuit soon after it fails.
 */
const FAILURE_RATE = { threshold: 0.5, duration: 2_000, minimumRps: 5 };

const STATE_NAMES: Readonly<Record<Exclude<Circuit, Circuit.Isolated>, CircuitState>> = {
  [Circuit.Closed]: 'closed',
  [Circuit.HalfOpen]: 'half_open',
  [Circuit.Open]: 'open',
};

/** One external bidder behind its circuit breaker. */
export const createBidderEndpoint = ({ url, headers, gzip, dispatchers, circuit, onCircuit, onShare }: BidderEndpointOptions) => {
  let failuresInRow = 0;
  let hasAnswered = false;
  let callsUnderWay = 0;

  const rate = new SamplingBreaker(FAILURE_RATE);
  const breaker = circuitBreaker(
    handleWhenResult((answer) => (answer as BidAnswer).kind === 'refused'),
    {
      halfOpenAfter: circuit.retryAfterMs,
      breaker: {
        state: undefined,
        success: (state) => {
          failuresInRow = 0;
          hasAnswered = true;
          rate.success(state);
        },
        failure: (state) => {
          failuresInRow += 1;
          return rate.failure(state) || failuresInRow >= circuit.failuresInRow;
        },
      },
    },
  );
  // The circuit is never isolated manually.
  breaker.onStateChange((state) => onCircuit(STATE_NAMES[state as keyof typeof STATE_NAMES]));
  onCircuit('closed');
  const asked = createAskedShare(onShare);
  onShare(asked.share);

  const call = (body: string, signal: AbortSignal, extra: CallHeaders): Promise<BidAnswer> =>
    breaker.execute(() => postBidRequest({ dispatcher: dispatchers.of(url), url, headers: { ...headers, ...extra }, gzip, body, signal }));

  return {
    /** Never rejects; resolves at the latest when the signal aborts. */
    ask: async (body: string, signal: AbortSignal, headers?: CallHeaders): Promise<BidAnswer> => {
      if (breaker.state !== Circuit.Closed) {
        // A trial call, or a rejection while it is too early for one. During a trial `execute`
        // would wait for its result.
        if (breaker.state === Circuit.Open) void call(body, AbortSignal.timeout(circuit.trialTimeoutMs), headers).catch(() => undefined);
        return { kind: 'refused', outcome: 'circuit_open' };
      }
      const inDoubt = !hasAnswered || failuresInRow >= DOUBTFUL_FAILURES;
      if (callsUnderWay >= (inDoubt ? circuit.failuresInRow - failuresInRow : MAX_CALLS_UNDER_WAY))
        return { kind: 'refused', outcome: 'busy' };
      if (!asked.mayAsk()) return { kind: 'refused', outcome: 'slow', said: `it gets ${Math.round(100 * asked.share)}% of its calls` };
      callsUnderWay += 1;
      try {
        const answer = await call(body, signal, headers);
        asked.note(answer.kind === 'refused' && answer.outcome === 'timeout');
        return answer;
      } finally {
        callsUnderWay -= 1;
      }
    },
  };
};

export type BidderEndpoint = ReturnType<typeof createBidderEndpoint>;

/**
 * The bidder in metrics: `bidder-` and its id; of the short form, the first eight hex digits of the
 * SHA-256 of its URL, which is the same on every replica and reveals neither its host nor a key in
 * its path.
 */
export const bidderLabel = ({ id }: Pick<Bidder, 'id'>, url: URL): string =>
  id === 0 ? createHash('sha256').update(url.href).digest('hex').slice(0, 8) : `bidder-${id}`;
