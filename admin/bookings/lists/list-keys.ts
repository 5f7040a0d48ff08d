/** The rows of the list that are drawn: those in view, and some around them. */
const rowsOf = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.listed tbody tr.record')];

const isInView = (row: HTMLElement): boolean => {
  const { top, bottom } = row.getBoundingClientRect();
  const head = row.closest('table')?.tHead?.getBoundingClientRect().bottom ?? 0;
  return top >= head - 1 && bottom <= innerHeight;
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select, [contenteditable], dialog *');

/**
 * A list without the mouse: j and k lead to the next row and the one before, x chooses it, Enter opens it, e edits it. Its link has the
 * focus, so that a reader of screens says which row it is.
 *
 * @param edit the row of this line
 * @returns ends it
 */
export const listenToListKeys = (edit: (line: number) => void): (() => void) => {
  const press = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = rowsOf();
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    // Without a row, it begins with the first or the last one in view.
    const [first, last] = [rows.findIndex(isInView), rows.findLastIndex(isInView)];
    const moves: Readonly<Record<string, number>> = at < 0 ? { j: first, k: last } : { j: at + 1, k: at - 1 };
    const to = moves[event.key];
    if (to !== undefined) {
      const link = rows[to]?.querySelector<HTMLElement>('a.name, a');
      link?.focus({ preventScroll: true });
      link?.closest('tr')?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'x' && at >= 0) rows[at]?.querySelector<HTMLInputElement>('td.check input')?.click();
    else if (event.key === 'e' && at >= 0) edit(Number(rows[at]?.dataset['line']));
    else return;
    event.preventDefault();
  };
  window.addEventListener('keydown', press);
  return () => window.removeEventListener('keydown', press);
};
