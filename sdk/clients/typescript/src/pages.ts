/** A list, which is read page by page as it is gone through: `for await (const item of list)`. */
export interface Pages<T> extends AsyncIterable<T> {
  /** All of it. */
  all(): Promise<T[]>;
}

/** @param read a page of at most `limit` items that begins at `offset` */
export const createPages = <T>(read: (limit: number, offset: number) => Promise<Page<T>>, pageSize: number): Pages<T> => {
  const items = async function* (): AsyncGenerator<T, void> {
    for (let offset = 0; ;) {
      const { rows, hasLink } = await read(pageSize, offset);
      yield* rows;
      offset += rows.length;
      // A page of long records ends early; then the header says that the list goes on.
      if (!hasLink && rows.length < pageSize) return;
    }
  };
  const all = async (): Promise<T[]> => {
    const found: T[] = [];
    for await (const item of items()) found.push(item);
    return found;
  };
  return { [Symbol.asyncIterator]: items, all };
};

export interface Page<T> {
  readonly rows: readonly T[];
  readonly hasLink: boolean;
}
