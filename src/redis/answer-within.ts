/**
 * Resolves to the answer, or rejects after `patienceMs`. If the event loop was blocked for that
 * long, one more turn reads what has arrived meanwhile: timing out on an answer that is already in
 * the socket would report a healthy Redis as unavailable and leave an unused reservation behind.
 * What becomes of a later answer is the caller's business.
 */
export const answerWithin = <T>(patienceMs: number | undefined, answer: Promise<T>): Promise<T> =>
  patienceMs === undefined
    ? answer
    : new Promise<T>((resolve, reject) => {
        const giveUp = (): void => reject(new Error(`no answer within ${patienceMs} ms`));
        // Timers run before sockets are read, immediates after.
        const timer = setTimeout(() => setImmediate(giveUp), patienceMs);
        answer.then(resolve, reject).finally(() => clearTimeout(timer));
      });
