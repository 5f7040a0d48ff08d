import { listenToRowKeys } from '../parts/row-keys.ts';
import { t } from '../words/texts.ts';

/** In the storage of the tab: the link of the row that was looked at last. */
const KEPT = 'home-row';

const find = (from: ParentNode, selector: string): HTMLElement | undefined => [...from.querySelectorAll<HTMLElement>(selector)].at(0);
const rowsOf = (): readonly HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.needs > li:has(a)')];
const linkOf = (row: HTMLElement): string => find(row, 'a')?.getAttribute('href') ?? '';

/** What helps gets the focus, so that Enter does it; what is folded is opened. */
const showHelp = (row: HTMLElement): boolean => {
  const help = find(row, '.forecast-remedies button') ?? find(row, '.needs-actions button, :scope > button, :scope > [role=button]');
  help?.focus();
  if (help?.ariaExpanded === 'false') help.click();
  return help !== undefined;
};

const undo = (): boolean => {
  const notices = [...document.querySelectorAll<HTMLElement>('.toast button')].filter(({ textContent }) => textContent === t`Undo`);
  const button = notices.at(-1) ?? find(document, '.needs-done + button');
  button?.click();
  return button !== undefined;
};

/**
 * Home without the mouse: j and k lead through what needs attention, Enter opens a row, h shows what helps, u takes back what was done
 * last. After a look at a record, j goes on where it was.
 *
 * @returns ends it
 */
export const listenToHomeKeys = (): (() => void) =>
  listenToRowKeys({
    rows: rowsOf,
    from: (rows) => rows.findIndex((row) => linkOf(row) === sessionStorage.getItem(KEPT)),
    onMove: (row) => sessionStorage.setItem(KEPT, linkOf(row)),
    keys: { h: (row) => row !== undefined && showHelp(row), u: undo },
  });
