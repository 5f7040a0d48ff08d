import type { ListSums } from '../../../src/delivery/sums/list-sums.ts';

export type ListGroup = ListSums['groups'][number];

/** What a line of a list is: a group, or the record at a place of the list. */
export type ListLine = { readonly group: ListGroup } | { readonly place: number };

/** The lines of a list: those of its records, under a line for each group. */
export interface ListLines {
  readonly count: number;
  at(line: number): ListLine;
}

/** @param total records that are not grouped */
export const plainLines = (total: number): ListLines => ({ count: total, at: (place) => ({ place }) });

/** @param closed the groups whose records are not shown */
export const groupedLines = (groups: readonly ListGroup[], closed: ReadonlySet<number | null>): ListLines => {
  /** Where each group begins: its line, and the place of its first record. */
  const starts: { readonly line: number; readonly place: number }[] = [];
  let [line, place] = [0, 0];
  for (const { id, records } of groups) {
    starts.push({ line, place });
    line += 1 + (closed.has(id) ? 0 : records);
    place += records;
  }
  return {
    count: line,
    at: (wanted) => {
      let [low, high] = [0, starts.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (starts[middle]!.line <= wanted) low = middle;
        else high = middle - 1;
      }
      const start = starts[low]!;
      return start.line === wanted ? { group: groups[low]! } : { place: start.place + wanted - start.line - 1 };
    },
  };
};
