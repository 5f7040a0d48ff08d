/**
 * Resolves at the end of the turn of the event loop: the requests of a turn are answered together.
 * Answered one by one, each write wakes a client, and 20 to 40 µs of CPU go with it.
 */
export const createEndOfTurn = (): (() => Promise<void>) => {
  let turn: Promise<void> | undefined;
  return () =>
    (turn ??= new Promise((resolve) => {
      setImmediate(() => {
        turn = undefined;
        resolve();
      });
    }));
};
