/** Numbers in [0, 1) of a replay: Mulberry32. */
export const createDraws = (seed: number) => {
  let state = seed | 0;
  return {
    next: (): number => {
      state = (state + 0x6d2b79f5) | 0;
      return finished(state) / 2 ** 32;
    },
    /**
     * Goes to the beginning of the numbers of one request. So what is drawn for it does not depend on what was drawn for others:
     * two replays differ by what was changed and by what follows from it, and not by chance.
     */
    begin: (request: number): void => {
      state = (seed ^ request) | 0;
    },
  };
};

const finished = (state: number): number => {
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return (mixed ^ (mixed >>> 14)) >>> 0;
};
