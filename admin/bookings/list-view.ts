import { listenToListKeys } from './lists/list-keys.ts';
import { entityOf } from '../../src/catalog/entities/entities.ts';
import { html, nothing, type TemplateResult } from 'lit-html';
import { input } from '../parts/fields/input.ts';
import { addLink, addStep, allowed, missingParent } from './forms/next-step.ts';
import { filterChips } from './lists/filter-chips.ts';
import { filtersOf, groupsOf } from './lists/list-filters.ts';
import { createInPlace } from './lists/in-place.ts';
import { isEditedInList } from './lists/listed-fields.ts';
import { apiQuery, hashOfState, isFiltered, readState, viewQuery, type ListState } from './lists/list-state.ts';
import type { ListColumn } from './lists/list-column.ts';
import { createListSums } from './lists/list-sums.ts';
import { createListTable } from './lists/list-table.ts';
import { createListTools } from './lists/list-tools.ts';
import { createSavedViews } from './lists/saved-views.ts';
import { NAMES } from '../words/kinds.ts';
import { createBulkBar, type BulkKind } from './bulk-bar.ts';
import { listColumns } from './list-columns.ts';
import { rowActions, rowMenu } from './row-actions.ts';
import type { Page, View } from '../page.ts';
import { emptyState, loading, pageHead } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import { sortSelect } from '../parts/table.ts';
import type { ListParts } from '../api/list-parts.ts';
import type { Kind, Records } from '../api/wire.ts';
import { say, t } from '../words/texts.ts';

/** What is read before the window is measured. */
const FIRST_ROWS = 100;
const PATIENCE_MS = 150;

/** A list of the records of one kind: searched, filtered, sorted and paged by the service. */
export const openList = <K extends Kind>(page: Page, kind: K, route: Route): View => {
  const names = NAMES[kind];
  const many = names.some;
  const { store } = page;
  let state = readState(kind, route.query);
  let shown = apiQuery(kind, state);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;

  /** Until the answer is there, the list shows what it had. */
  const load = async (): Promise<void> => {
    const query = apiQuery(kind, state);
    isReading = true;
    if (store.parts(kind, query)) shown = query;
    page.redraw();
    const problem = await store.readParts(kind, query, 0, FIRST_ROWS);
    if (query !== apiQuery(kind, state)) return;
    isReading = false;
    shown = query;
    if (problem) page.complain(problem);
    page.redraw();
    // What is missing before the first record.
    if (store.parts(kind, query)?.total === 0) void store.count().then(() => page.redraw());
  };
  const change = (next: ListState, patienceMs = 0): void => {
    state = next;
    page.rename(hashOfState(kind, state));
    listTable.toTop();
    clearTimeout(timer);
    timer = setTimeout(() => void load(), patienceMs);
    page.redraw();
  };
  const bulk =
    isEditedInList(kind) && !state.isArchived && page.rights.may('PATCH', `/${kind}/{id}`)
      ? createBulkBar(page, kind as BulkKind)
      : undefined;
  const views = state.isArchived ? undefined : createSavedViews(page, kind);
  const inPlace = bulk && createInPlace(page, kind as BulkKind);
  // The records first: the rest is not in their way.
  void load().then(() => views?.load());
  for (const { name, kind: parent } of filtersOf(kind)) {
    const id = state.filters[name];
    if (parent && id) void store.ensure(parent, id).then(() => page.redraw());
  }

  const endKeys = listenToListKeys((line) => {
    const record = listTable.recordAt(line);
    if (record) page.go(hashOf([kind, record.id, kind === 'campaigns' && page.rights.may('POST', '/bookings') ? 'book' : 'edit']));
  });

  const columnsOf = (place?: typeof inPlace): readonly ListColumn<Records[K]>[] =>
    listColumns(page, kind, place).filter(({ counts }) => !(state.isArchived && counts));
  const total = (): number => store.parts(kind, shown)?.total ?? 0;
  const readFirst = async (count: number): Promise<readonly Records[BulkKind][]> => {
    const problem = await store.readParts(kind, shown, 0, Math.min(count, total()));
    if (problem) page.complain(problem);
    const read = store.parts(kind, shown)?.rows;
    return Array.from({ length: count }, (_, place) => read?.get(place) ?? []).flat() as Records[BulkKind][];
  };
  const listTable = createListTable({
    ...{ page, kind },
    check: () => bulk?.column({ total: total(), read: readFirst }) as unknown as ListColumn<Records[K]> | undefined,
    columns: () => columnsOf(inPlace),
    actions: (record) => (state.isArchived ? rowActions : rowMenu)(page, kind, record),
  });
  const tools = createListTools<K>(page);
  const sumsOfList = createListSums(page, kind);
  const sorting = { by: state.sort, choose: (sort: string) => change({ ...state, sort }) };

  const body = (): TemplateResult => {
    const parts = store.parts(kind, shown);
    if (!parts) return loading();
    if (parts.total === 0 && !isFiltered(state)) {
      const next = missingParent(kind, store) ?? addStep(kind, t`No ${many} yet.`);
      return state.isArchived ? emptyState(t`Nothing is archived.`) : emptyState(next.text, allowed(page, next));
    }
    const sums = sumsOfList.of(shown, parts.version);
    return html`
      <div class="toolbar">
        ${input({
          type: 'search',
          label: t`Search ${many}`,
          placeholder: t`Name, id or what it belongs to …`,
          value: state.search,
          onInput: (search) => change({ ...state, search }, PATIENCE_MS),
        })}
        ${sortSelect(listTable.columns(), { ...sorting, by: state.sort })}
        ${tools.render({ kind, state, change, total: parts.total, groups: sums?.groups ?? [], table: listTable, views, fileColumns: () => columnsOf() })}
      </div>
      ${filterChips(page, { kind, state, change })} ${views?.render(viewQuery(state))}
      ${
        parts.total === 0
          ? emptyState(state.search.trim() === '' ? t`No ${many} with these filters.` : t`Nothing matches “${state.search.trim()}”.`)
          : rows(parts, sums)
      }
    `;
  };

  const rows = (parts: ListParts<Records[K]>, sums: ReturnType<typeof sumsOfList.of>): TemplateResult => {
    const group = new URLSearchParams(shown).get('group_by');
    const groups = groupsOf(kind).find(({ name }) => name === group)?.kind;
    return html`<div class=${isReading ? 'listed stale' : 'listed'} aria-busy=${isReading ? 'true' : 'false'}>
      ${groups && !sums ? loading() : listTable.render({ query: shown, parts, sums, groups, sorting: { ...sorting, by: state.sort } })}
      ${bulk?.render()}
    </div>`;
  };

  return {
    title: names.many,
    section: kind,
    leave: () => {
      clearTimeout(timer);
      endKeys();
      listTable.leave();
    },
    render: () => {
      const missing = store.parts(kind, shown)?.total === 0 ? missingParent(kind, store) : undefined;
      const add = addStep(kind, t`No ${many} yet.`);
      return html`
        ${pageHead(
          state.isArchived ? t`Archived ${many}` : names.many,
          state.isArchived ? t`Kept for reports; neither served nor listed.` : say(entityOf(kind).about),
          missing || state.isArchived ? nothing : addLink(page, add, 'primary'),
        )}
        ${body()}
        ${total() === 0 ? nothing : html`<p class="list-keys help">${t`j and k lead through the rows, x chooses one, Enter opens it, e edits it.`}</p>`}
        <p class="other-list">
          <a href=${hashOf([kind], state.isArchived ? {} : { archived: 1 })}>${state.isArchived ? t`All ${many}` : t`Archived ${many}`}</a>
        </p>
      `;
    },
  };
};
