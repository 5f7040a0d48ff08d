/**
 * Gathers the calls of one turn of the event loop and sends them as one: under load many requests reach Redis in one script call, when
 * idle a request waits for nothing but the end of its own turn. Batches stay small, because a long script makes everybody else wait.
 *
 * @param send runs one batch and answers in its order
 * @param most calls in one batch
 */
export const batchCalls = <Call, Answer>(
  send: (calls: readonly Call[]) => Promise<readonly Answer[]>,
  most = 16,
): ((call: Call) => Promise<Answer>) => {
  interface Waiting {
    readonly call: Call;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (fault: unknown) => void;
  }
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const batch = waiting;
    if (batch.length === 0) return;
    waiting = [];
    send(batch.map(({ call }) => call)).then(
      (answers) => batch.forEach(({ resolve }, i) => resolve(answers[i]!)),
      (fault: unknown) => batch.forEach(({ reject }) => reject(fault)),
    );
  };

  return (call) =>
    new Promise<Answer>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ call, resolve, reject });
      if (waiting.length === most) flush();
    });
};
