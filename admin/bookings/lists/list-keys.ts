import { listenToRowKeys } from '../../parts/row-keys.ts';

/** The rows of the list that are drawn: those in view, and some around them. */
const rowsOf = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.listed tbody tr.record')];

/**
 * A list without the mouse: j and k lead through its rows, x chooses one, Enter opens it, e edits it.
 *
 * @param edit the row of this line
 * @returns ends it
 */
export const listenToListKeys = (edit: (line: number) => void): (() => void) =>
  listenToRowKeys({
    rows: rowsOf,
    keys: {
      x: (row) => {
        row?.querySelector<HTMLInputElement>('td.check input')?.click();
        return row !== undefined;
      },
      e: (row) => {
        if (row) edit(Number(row.dataset['line']));
        return row !== undefined;
      },
    },
  });
