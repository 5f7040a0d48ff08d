import { html, nothing, type TemplateResult } from 'lit-html';
import type { ListSums } from '../../../src/delivery/sums/list-sums.ts';
import type { ListParts } from '../../api/list-parts.ts';
import type { Kind, Records } from '../../api/wire.ts';
import type { Page } from '../../page.ts';
import { FIRST_LINES, isDrawn, linesInView, type LineRange } from '../../parts/lines-in-view.ts';
import { ACTIONS_WIDTH, fitWidths, longTable, type Line } from '../../parts/long-table.ts';
import { button } from '../../parts/parts.ts';
import type { Sorting } from '../../parts/table.ts';
import { countedKind, linkTo, nameInHistory, NAMES } from '../../words/kinds.ts';
import { locale } from '../../words/language.ts';
import { columnsPanel } from './columns-panel.ts';
import { keepColumns, readKeptColumns, type KeptColumns } from './kept-columns.ts';
import { isUsual, MAX_CARDS_WIDTH, type ListColumn } from './list-column.ts';
import { groupedLines, plainLines, type ListGroup, type ListLines } from './list-lines.ts';
import { whenNear } from './when-near.ts';
import { t } from '../../words/texts.ts';

export interface ListTableOptions<K extends Kind> {
  readonly page: Page;
  readonly kind: K;
  /** The column of check boxes, which is always first; undefined: records are not chosen. */
  readonly check: () => ListColumn<Records[K]> | undefined;
  /** All others, that of the names first. */
  readonly columns: () => readonly ListColumn<Records[K]>[];
  readonly actions: (record: Records[K]) => TemplateResult;
}

/** What the table shows. */
export interface ShownList<K extends Kind> {
  readonly query: string;
  readonly parts: ListParts<Records[K]>;
  readonly sums: ListSums | undefined;
  /** The kind of the groups; undefined: it is not grouped. */
  readonly groups: Kind | undefined;
  readonly sorting: Sorting;
}

/** Of the frame, on both sides. */
const BORDERS = 2;
const LINE_HEIGHT = 36;
/** A wheel that turns passes parts that need not be read. */
const PATIENCE_MS = 60;
const RETRY_MS = 5_000;
const MORE_CARDS = 100;

/** The rows of a list, of which those in view are read and drawn; with columns, widths and groups as a person sets them. */
export const createListTable = <K extends Kind>({ page, kind, check, columns, actions }: ListTableOptions<K>) => {
  let kept: KeptColumns = readKeptColumns(kind);
  let drawn: LineRange = FIRST_LINES;
  let lineHeight = LINE_HEIGHT;
  let frameWidth = 0;
  let cards = MORE_CARDS;
  let closed: ReadonlySet<number | null> = new Set();
  let list: ShownList<K> | undefined;
  let lines: ListLines = plainLines(0);
  let reading: ReturnType<typeof setTimeout> | undefined;
  let failedAtMs = 0;
  /** The column that would repeat the heads of the groups. */
  let grouping = '';

  const keep = (next: KeptColumns): void => {
    kept = next;
    keepColumns(kind, kept);
    page.redraw();
  };
  const chosen = (): readonly ListColumn<Records[K]>[] => {
    const [name, ...others] = columns();
    const shown = kept.ids
      ? kept.ids.flatMap((id) => others.find((column) => column.id === id) ?? [])
      : others.filter((column) => isUsual(column, innerWidth) && column.id !== grouping);
    return [...(name ? [name] : []), ...(kept.ids ? shown.map((column) => ({ ...column, minor: false })) : shown)];
  };

  const look = (): void => {
    const body = document.querySelector('.listed tbody');
    if (!body) return;
    const width = (body.closest('.listed')?.clientWidth ?? BORDERS) - BORDERS;
    const height = body.querySelector<HTMLElement>('tr.record')?.offsetHeight ?? lineHeight;
    const range = linesInView(body, height);
    if (width === frameWidth && height === lineHeight && isDrawn(range, drawn)) return;
    [frameWidth, lineHeight, drawn] = [width, height, range];
    page.redraw();
  };
  const events = ['scroll', 'resize'] as const;
  for (const event of events) window.addEventListener(event, look, { passive: true, capture: true });

  const read = async (query: string, from: number, to: number): Promise<void> => {
    const problem = await page.store.readParts(kind, query, from, to);
    if (problem) {
      failedAtMs = Date.now();
      page.complain(problem);
    }
    page.redraw();
  };
  /** Reads what is in view and not there. */
  const want = (query: string, from: number, to: number): void => {
    clearTimeout(reading);
    if (Date.now() - failedAtMs < RETRY_MS) return;
    reading = setTimeout(() => void read(query, from, to), PATIENCE_MS);
  };

  const fold = (id: number | null): void => {
    closed = new Set(closed.has(id) ? [...closed].filter((one) => one !== id) : [...closed, id]);
    page.redraw();
  };
  const groupLabel = (group: ListGroup, of: Kind): TemplateResult => {
    const { id, name, records } = group;
    const isOpen = !closed.has(id);
    const title = name ?? t`No ${NAMES[of].one}`;
    return html`<button
        type="button"
        class="fold"
        aria-expanded=${isOpen ? 'true' : 'false'}
        aria-label=${t`Rows of ${title}`}
        @click=${() => fold(id)}
      ></button
      >${id === null ? title : html`<a href=${linkTo(of, id)}>${title}</a>`} <small class="figure">${countedKind(records, kind)}</small>`;
  };
  const lineAt = (at: number, { parts, groups }: ShownList<K>): Line<Records[K], ListSums['total']> => {
    const line = lines.at(at);
    if ('group' in line) return { key: `group ${line.group.id}`, label: groupLabel(line.group, groups ?? kind), sums: line.group };
    const row = parts.rows.get(line.place);
    return { key: row ? String(row.id) : `place ${line.place}`, row };
  };

  /** The lines that are drawn: cards one after the other as far as they are read, rows those in view. */
  const range = (isCards: boolean): LineRange => {
    if (isCards) return [0, Math.min(cards, lines.count)];
    const size = drawn[1] - drawn[0];
    const from = Math.max(0, Math.min(drawn[0], lines.count - size));
    return [from, Math.min(lines.count, from + size)];
  };

  const render = (shown: ShownList<K>): TemplateResult => {
    const { parts, sums, groups, query } = shown;
    list = shown;
    grouping = groups === undefined ? '' : nameInHistory(groups);
    lines = groups ? groupedLines(sums?.groups ?? [], closed) : plainLines(parts.total);
    const isCards = innerWidth <= MAX_CARDS_WIDTH;
    const [first, end] = range(isCards);
    const all = Array.from({ length: end - first }, (_, i) => lineAt(first + i, shown));
    const unread = all.flatMap((line, i) =>
      'row' in line && line.row === undefined ? [lines.at(first + i) as { readonly place: number }] : [],
    );
    if (unread.length > 0) want(query, unread[0]!.place, unread.at(-1)!.place + 1);
    if (frameWidth === 0) requestAnimationFrame(look);
    const checks = check();
    const shownColumns = [...(checks ? [checks] : []), ...chosen()];
    const width = frameWidth || innerWidth - 2 * ACTIONS_WIDTH;
    const widths = isCards ? undefined : fitWidths(shownColumns, kept.widths, width);
    const isWider = widths && Object.values(widths).reduce((sum, each) => sum + each, ACTIONS_WIDTH) > width + 1;
    const more = (): void => {
      cards += MORE_CARDS;
      page.redraw();
    };
    return html`<div class="table-frame lines ${isWider ? 'wider' : ''}" tabindex=${isWider ? 0 : nothing}>
        ${longTable({
          ...{ caption: NAMES[kind].many, columns: shownColumns, count: lines.count, first, lineHeight, widths, actions },
          lines: isCards ? all.filter((line) => !('row' in line) || line.row) : all,
          sorting: shown.sorting,
          total: sums && { label: t`Total`, sums: sums.total },
          resize: (id, to) => {
            const { [id]: _, ...others } = kept.widths;
            keep({ ...kept, widths: to === undefined ? others : { ...others, [id]: to } });
          },
        })}
      </div>
      ${groups && sums?.more_groups ? html`<p class="help">${t`These are the first ${sums.groups.length.toLocaleString(locale)} groups: filter the list to see the others.`}</p>` : nothing}
      ${isCards && end < lines.count ? html`<p class="more" ${whenNear(more)}>${button(t`Show more`, more, 'secondary')}</p>` : nothing}`;
  };

  return {
    render,
    /** The columns that are shown, without that of check boxes. */
    columns: chosen,
    /** The record of a line that is drawn. */
    recordAt: (line: number): Records[K] | undefined => {
      const found = list && lineAt(line, list);
      return found && 'row' in found ? found.row : undefined;
    },
    panel: (): TemplateResult =>
      columnsPanel({
        all: columns().slice(1),
        shown: chosen()
          .slice(1)
          .map(({ id }) => id),
        isSet: kept.ids !== undefined || Object.keys(kept.widths).length > 0,
        choose: (ids) => keep(ids === undefined ? { widths: {} } : { ...kept, ids }),
      }),
    foldAll: (groups: readonly ListGroup[]): void => {
      closed = new Set(closed.size > 0 ? [] : groups.map(({ id }) => id));
      page.redraw();
    },
    isFolded: (): boolean => closed.size > 0,
    /** Another list begins at its first line. */
    toTop: (): void => {
      cards = MORE_CARDS;
      failedAtMs = 0;
    },
    leave: (): void => {
      clearTimeout(reading);
      for (const event of events) window.removeEventListener(event, look, { capture: true });
    },
  };
};
