const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable], dialog *');

const isInView = (row: HTMLElement): boolean => {
  const { top, bottom } = row.getBoundingClientRect();
  const head = row.closest('table')?.tHead?.getBoundingClientRect().bottom ?? 0;
  return top >= head - 1 && bottom <= innerHeight;
};

export interface RowKeys {
  /** In their order. */
  readonly rows: () => readonly HTMLElement[];
  /** The row to go on from when none has the focus; -1: j begins with the first in view, k with the last. */
  readonly from?: (rows: readonly HTMLElement[]) => number;
  /** What other keys do. @param row that has the focus @returns false: nothing */
  readonly keys: Readonly<Record<string, (row: HTMLElement | undefined) => boolean>>;
  readonly onMove?: (row: HTMLElement) => void;
}

/**
 * Rows without the mouse: j and k lead to the next row and the one before. The link of a row has the focus, so that Enter opens it and a
 * reader of screens says which row it is.
 *
 * @returns ends it
 */
export const listenToRowKeys = ({ rows: rowsNow, from = () => -1, keys, onMove }: RowKeys): (() => void) => {
  const move = (rows: readonly HTMLElement[], to: number): void => {
    const row = rows[to];
    row?.querySelector<HTMLElement>('a.name, a')?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: 'nearest' });
    if (row) onMove?.(row);
  };
  const press = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = rowsNow();
    const focused = rows.findIndex((row) => row.contains(document.activeElement));
    if (event.key === 'j' || event.key === 'k') {
      const at = focused >= 0 ? focused : from(rows);
      const step = event.key === 'j' ? 1 : -1;
      move(rows, at >= 0 ? at + step : step > 0 ? rows.findIndex(isInView) : rows.findLastIndex(isInView));
    } else if (!keys[event.key]?.(rows[focused])) return;
    event.preventDefault();
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
};
