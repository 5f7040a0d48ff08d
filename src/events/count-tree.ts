type Key = string | number;

interface Node<Row> {
  count: number;
  row: Row | undefined;
  readonly under: Map<Key, Node<Row>>;
}

export type Counted<Row> = Row & { readonly count: number };

/** Counts rows by several keys, as maps in maps: to count one more takes a look-up for each key, and no text. */
export interface CountTree<Row> {
  /**
   * One more under these keys.
   *
   * @param rowOf makes the row when it is the first
   * @param maxRows as many rows as there may be for a new one to be counted. False: it was not
   */
  add(keys: readonly Key[], rowOf: () => Row, maxRows?: number): boolean;
  readonly size: number;
  /** What was counted since the last call. */
  take(): readonly Counted<Row>[];
}

export const createCountTree = <Row extends object>(): CountTree<Row> => {
  const nodeOf = (): Node<Row> => ({ count: 0, row: undefined, under: new Map() });
  let root = nodeOf();
  let leaves: (Node<Row> & { readonly row: Row })[] = [];
  return {
    add: (keys, rowOf, maxRows = Infinity) => {
      let node = root;
      for (const key of keys) {
        let next = node.under.get(key);
        if (!next) {
          if (leaves.length >= maxRows) return false;
          node.under.set(key, (next = nodeOf()));
        }
        node = next;
      }
      if (!node.row) leaves.push(Object.assign(node, { row: rowOf() }));
      node.count++;
      return true;
    },
    get size() {
      return leaves.length;
    },
    take: () => {
      const counted = leaves.map(({ row, count }) => ({ ...row, count }));
      root = nodeOf();
      leaves = [];
      return counted;
    },
  };
};
