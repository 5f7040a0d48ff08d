const TIME_UP = Symbol('time up');

/**
 * Waits for `work`, but no longer than `limitMs`.
 *
 * @param onTimeout called when the time is up; it returns the result instead, or throws
 * @returns what `work` resolves to; rejects with `work`. Work that ends later is ignored.
 */
export const within = async <T, L>(limitMs: number, work: Promise<T>, onTimeout: () => L): Promise<T | L> => {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<typeof TIME_UP>((resolve) => {
    timer = setTimeout(resolve, limitMs, TIME_UP);
  });
  try {
    const first = await Promise.race([work, timeUp]);
    return first === TIME_UP ? onTimeout() : first;
  } finally {
    clearTimeout(timer);
  }
};
