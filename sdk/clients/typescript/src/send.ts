import { Problem, Unreachable } from './problem.ts';

export interface SendOptions {
  readonly fetch: typeof fetch;
  /** How often a call is sent again. */
  readonly retries: number;
  /** For each answer. */
  readonly timeoutMs: number;
  /** A longer Retry-After is not waited for. */
  readonly maxWaitMs: number;
}

export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** Whether the call may be carried out twice without harm. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

/**
 * Sends a call, again where that is safe: after 408, 429 and a 409 that says when, because nothing was done; after another error
 * of the server or no answer only if it is repeatable. @throws {Problem | Unreachable}
 */
export const send = async (sent: Sent, options: SendOptions): Promise<Answer> => {
  let wasLost = false;
  for (let attempt = 0; ; attempt++) {
    const answer = await sendOnce(sent, options);
    if (!(answer instanceof Unreachable)) {
      if (answer.status < 400) return answer;
      // The first of several was carried out, and its answer was lost.
      if (wasLost && sent.method === 'DELETE' && answer.status === 404) return { ...answer, status: 204, bytes: new Uint8Array() };
    }
    const waitMs = attempt < options.retries ? waitOf(answer, attempt, sent.isRepeatable) : undefined;
    if (waitMs === undefined || waitMs > options.maxWaitMs) throw answer instanceof Unreachable ? answer : problemOf(answer);
    wasLost ||= answer instanceof Unreachable || answer.status >= 500;
    await wait(waitMs, sent.signal);
  }
};

const sendOnce = async ({ method, url, headers, body, signal }: Sent, options: SendOptions): Promise<Answer | Unreachable> => {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  try {
    const init = { method, headers, signal: signal ? AbortSignal.any([signal, timeout]) : timeout };
    const answer = await options.fetch(url, body === undefined ? init : { ...init, body: body as BodyInit });
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
  } catch (fault) {
    signal?.throwIfAborted();
    const { message, cause } = fault as Error;
    return new Unreachable(`${url.origin} gave no answer: ${cause instanceof Error ? cause.message : message}`, { cause: fault });
  }
};

/** How long to wait before the call is sent again; undefined: it is not. */
const waitOf = (answer: Answer | Unreachable, attempt: number, isRepeatable: boolean): number | undefined => {
  const backoffMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (answer instanceof Unreachable) return isRepeatable ? backoffMs : undefined;
  const said = retryAfterMs(answer.headers.get('retry-after'));
  const { status } = answer;
  if (status === 408 || status === 429 || (status === 409 && said !== undefined)) return said ?? backoffMs;
  return status >= 500 && isRepeatable ? (said ?? backoffMs) : undefined;
};

/** Of seconds, or of a date. */
const retryAfterMs = (text: string | null): number | undefined => {
  if (text === null) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
};

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

const problemOf = ({ status, bytes }: Answer): Problem => {
  try {
    return new Problem(status, JSON.parse(new TextDecoder().decode(bytes)) as object);
  } catch {
    return new Problem(status, {});
  }
};
