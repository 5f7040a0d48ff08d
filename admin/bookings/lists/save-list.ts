import { render } from 'lit-html';
import type { Page } from '../../page.ts';
import { saveFile } from '../../api/save-file.ts';
import type { Kind, Problem, Records } from '../../api/wire.ts';
import { PARENTS } from '../forms/entity-fields.ts';
import { readAt } from '../forms/pointer.ts';
import { listOf } from '../forms/typed-text.ts';
import { csvLine } from '../../words/csv-line.ts';
import { apiQuery, type ListState } from './list-state.ts';
import type { ListColumn } from './list-column.ts';

/** Records of one request; an answer has fewer when they are large. */
const TOGETHER = 500;

export interface SaveListOptions<K extends Kind> {
  readonly kind: K;
  readonly state: ListState;
  /** Without values that are changed in place. */
  readonly columns: readonly ListColumn<Records[K]>[];
  /** How many records are read so far; `false` stops it. */
  readonly onProgress: (read: number) => boolean;
}

/** The text of a cell as a person reads it. */
const shownText = (cell: unknown): string => {
  const place = document.createElement('div');
  render(cell, place);
  for (const unseen of place.querySelectorAll('.unseen')) unseen.remove();
  return (place.textContent ?? '').replace(/\s+/g, ' ').trim();
};

/** What the cells of records show of other records, and the statuses. */
const readNamed = async <K extends Kind>({ store, statuses }: Page, kind: K, rows: readonly Records[K][]): Promise<Problem | undefined> => {
  const named = PARENTS[kind].map(({ field, parent }) => ({ parent, ids: rows.flatMap((row) => listOf(readAt(row, `/${field}`))) }));
  const problems = await Promise.all(named.map(({ parent, ids }) => store.ensure(parent, ...ids)));
  const items =
    kind === 'line_items'
      ? rows.map(({ id }) => Number(id))
      : named.flatMap(({ parent, ids }) => (parent === 'line_items' ? ids.map(Number) : []));
  if (kind === 'campaigns')
    await statuses.read(
      'campaigns',
      rows.map(({ id }) => Number(id)),
    );
  else if (items.length > 0) await statuses.read('line_items', items);
  return problems.find((problem) => problem);
};

/** Saves all records of a list, with the columns that are shown in their order, as CSV. Figures are plain numbers. */
export const saveList = async <K extends Kind>(page: Page, { kind, state, columns, onProgress }: SaveListOptions<K>): Promise<void> => {
  const query = apiQuery(kind, state);
  const lines = [csvLine(columns.map(({ label }) => label))];
  for (let offset = 0, more = true; more;) {
    const answer = await page.api.records.list(kind, `${query}${query && '&'}limit=${TOGETHER}&offset=${offset}`);
    if (!answer.ok) return page.complain(answer.problem);
    const rows = answer.value;
    const problem = await readNamed(page, kind, rows);
    if (problem) return page.complain(problem);
    for (const row of rows) lines.push(csvLine(columns.map(({ value, cell }) => (value ? value(row) : shownText(cell(row))))));
    offset += rows.length;
    more = answer.more === true && rows.length > 0;
    if (!onProgress(offset)) return;
  }
  const file = new Blob([`\uFEFF${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
  await saveFile(page, Promise.resolve({ ok: true, value: file }), `${kind}.csv`);
};
