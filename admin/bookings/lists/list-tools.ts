import { html, nothing, type TemplateResult } from 'lit-html';
import type { Page } from '../../page.ts';
import { button } from '../../parts/parts.ts';
import { select } from '../../parts/select.ts';
import type { Kind, Records } from '../../api/wire.ts';
import { count } from '../../words/formats.ts';
import { countedKind } from '../../words/kinds.ts';
import { groupsOf } from './list-filters.ts';
import type { ListColumn } from './list-column.ts';
import type { ListGroup } from './list-lines.ts';
import { viewQuery, type ListState } from './list-state.ts';
import type { createListTable } from './list-table.ts';
import { saveList } from './save-list.ts';
import type { createSavedViews } from './saved-views.ts';
import { t } from '../../words/texts.ts';

export interface ListToolsOptions<K extends Kind> {
  readonly kind: K;
  readonly state: ListState;
  readonly change: (state: ListState) => void;
  readonly total: number;
  readonly groups: readonly ListGroup[];
  readonly table: ReturnType<typeof createListTable<K>>;
  readonly views: ReturnType<typeof createSavedViews> | undefined;
  /** All columns, as a file has them. */
  readonly fileColumns: () => readonly ListColumn<Records[K]>[];
}

/** Beside the search of a list: how it is grouped, its columns, its file, and how long it is. */
export const createListTools = <K extends Kind>(page: Page): { readonly render: (options: ListToolsOptions<K>) => TemplateResult } => {
  /** The file that is being written. */
  let writing: { read: number } | undefined;

  const save = async ({ kind, state, table, fileColumns }: ListToolsOptions<K>): Promise<void> => {
    const mine = (writing = { read: 0 });
    page.redraw();
    const shown = table.columns().map(({ id }) => id);
    const columns = shown.flatMap((id) => fileColumns().find((column) => column.id === id) ?? []);
    await saveList(page, {
      ...{ kind, state, columns },
      onProgress: (read) => {
        mine.read = read;
        page.redraw();
        return writing === mine;
      },
    });
    if (writing === mine) writing = undefined;
    page.redraw();
  };
  const stop = (): void => {
    writing = undefined;
    page.redraw();
  };
  const render = (options: ListToolsOptions<K>): TemplateResult => {
    const { kind, state, change, total, groups, table, views } = options;
    const groupings = groupsOf(kind);
    return html`<span class="list-tools">
      ${
        groupings.length === 0
          ? nothing
          : select(
              t`Group by`,
              state.group,
              [['', t`Not grouped`], ...groupings.map(({ name, label }) => [name, t`By ${label}`] as const)],
              (group) => change({ ...state, group }),
              'group-select',
            )
      }
      ${groups.length > 1 && state.group !== '' ? button(table.isFolded() ? t`Open all` : t`Close all`, () => table.foldAll(groups), 'quiet') : nothing}
      ${table.panel()} ${views?.saveButton(viewQuery(state))}
      ${
        writing
          ? button(t`${count(writing.read)} of ${count(total)} read, stop`, stop, 'quiet')
          : button(t`Save as CSV`, () => save(options), 'quiet', t`Save as CSV what the list shows`)
      }
      <span class="figure" role="status">${countedKind(total, kind)}</span>
    </span>`;
  };
  return { render };
};
