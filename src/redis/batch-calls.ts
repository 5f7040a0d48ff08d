export interface BatchOptions<Call> {
  /** Calls per batch. */
  readonly maxCalls?: number;
  /** The work that a call causes, in units of the caller's choice; default: none. */
  readonly weigh?: (call: Call) => number;
  /** Work per batch; a heavier call gets a batch of its own. */
  readonly maxWeight?: number;
  /** From one batch to the next, in ms, unless that is full; default: 0. */
  readonly everyMs?: number;
}

/**
 * Collects the calls of one turn of the event loop and sends them as one. Under load many requests
 * share a script call; when idle a request waits only for the end of its turn. Batches are small,
 * because a long script delays all other clients. With `everyMs`, calls that come one by one, but many of them in a millisecond, share
 * a batch too; one that comes alone does not wait.
 *
 * @param send runs one batch and answers in its order
 */
export const batchCalls = <Call, Answer>(
  send: (calls: readonly Call[]) => Promise<readonly Answer[]>,
  { maxCalls = 16, weigh = () => 0, maxWeight = Infinity, everyMs = 0 }: BatchOptions<Call> = {},
): ((call: Call) => Promise<Answer>) => {
  interface Waiting {
    readonly call: Call;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (fault: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let weight = 0;
  let sentAtMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    const batch = waiting;
    if (batch.length === 0) return;
    clearTimeout(timer);
    waiting = [];
    weight = 0;
    if (everyMs > 0) sentAtMs = performance.now();
    send(batch.map(({ call }) => call)).then(
      (answers) => batch.forEach(({ resolve }, i) => resolve(answers[i]!)),
      (fault: unknown) => batch.forEach(({ reject }) => reject(fault)),
    );
  };

  const flushSoon = (): void => {
    const dueInMs = everyMs > 0 ? sentAtMs + everyMs - performance.now() : 0;
    if (dueInMs > 0) timer = setTimeout(flush, dueInMs);
    else setImmediate(flush);
  };

  return (call) =>
    new Promise<Answer>((resolve, reject) => {
      const own = weigh(call);
      if (weight + own > maxWeight) flush();
      if (waiting.length === 0) flushSoon();
      waiting.push({ call, resolve, reject });
      weight += own;
      if (waiting.length === maxCalls) flush();
    });
};
