/**
 * The answer, or a rejection when it has not come after `patienceMs`. A loop that was busy for that long gets one turn to read what
 * has arrived meanwhile: giving up on an answer that lies in the socket would count a healthy Redis as away, and leave behind a reservation that
 * nobody uses. What comes later is dropped.
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
