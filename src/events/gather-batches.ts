export interface GatherOptions {
  /** How long a batch waits for others, in ms. */
  readonly waitMs: number;
  /** With so many items none waits any longer. */
  readonly enough: number;
  /** Whether a batch may have been refused for an item of another one. */
  readonly isRefusal: (fault: unknown) => boolean;
}

interface Batch<T> {
  readonly items: readonly T[];
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Writes batches that come within some moments of each other as one, because a transaction costs as much as a hundred rows. When that is
 * refused, each is written alone: none is refused for what another one has.
 */
export const gatherBatches = <T>(writeItems: (items: readonly T[]) => Promise<unknown>, { waitMs, enough, isRefusal }: GatherOptions) => {
  let waiting: Batch<T>[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;

  const writeAll = async (batches: readonly Batch<T>[]): Promise<void> => {
    try {
      await writeItems(batches.flatMap(({ items }) => items));
      for (const { resolve } of batches) resolve();
    } catch (fault) {
      if (batches.length > 1 && isRefusal(fault)) for (const batch of batches) await writeAll([batch]);
      else for (const { reject } of batches) reject(fault);
    }
  };

  const flush = (): void => {
    clearTimeout(timer);
    const batches = waiting;
    [waiting, size, timer] = [[], 0, undefined];
    if (batches.length > 0) void writeAll(batches);
  };

  return {
    /** Writes what waits. */
    flush,
    /** Resolves when the items are written. */
    write: (items: readonly T[]): Promise<void> =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ items, resolve, reject });
        size += items.length;
        if (size >= enough) flush();
        else timer ??= setTimeout(flush, waitMs);
      }),
  };
};
