export interface DividedWrite<T, R> {
  /** @param part names the part of the batch: '' for the whole, then `a` and `b` for its halves, `aa` … */
  readonly write: (items: readonly T[], part: string) => Promise<unknown>;
  /** What `write` rejected with as a lasting refusal of an item; undefined: the fault passes. */
  readonly refusalOf: (fault: unknown) => R | undefined;
  readonly onRefused: (item: T, refusal: R) => Promise<void>;
}

/**
 * Writes a batch. When it is refused for a lasting reason, it is divided until each refused item is alone: n refused items take about
 * 2n log2(size) writes. Rejects with the first fault that passes; what was written before stays written, so `write` must be idempotent.
 */
export const divideRefused = async <T, R>(items: readonly T[], divided: DividedWrite<T, R>, part = ''): Promise<void> => {
  const [first] = items;
  if (first === undefined) return;
  const { write, refusalOf, onRefused } = divided;
  try {
    await write(items, part);
  } catch (fault) {
    const refusal = refusalOf(fault);
    if (refusal === undefined) throw fault;
    if (items.length === 1) return onRefused(first, refusal);
    const middle = items.length >> 1;
    await divideRefused(items.slice(0, middle), divided, `${part}a`);
    await divideRefused(items.slice(middle), divided, `${part}b`);
  }
};
