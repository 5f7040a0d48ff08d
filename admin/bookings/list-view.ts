import { listenToListKeys } from './lists/list-keys.ts';
import { entityOf } from '../../src/catalog/entities/entities.ts';
import { html, nothing, type TemplateResult } from 'lit-html';
import { input } from '../parts/fields/input.ts';
import { addLink, addStep, allowed, missingParent } from './forms/next-step.ts';
import { filterChips } from './lists/filter-chips.ts';
import { filtersOf } from './lists/list-filters.ts';
import { createInPlace } from './lists/in-place.ts';
import { isEditedInList } from './lists/listed-fields.ts';
import { apiQuery, hashOfState, isFiltered, readState, viewQuery, type ListState } from './lists/list-state.ts';
import { createSavedViews } from './lists/saved-views.ts';
import { whenNear } from './lists/when-near.ts';
import { countedKind, NAMES } from '../words/kinds.ts';
import { createBulkBar, type BulkKind } from './bulk-bar.ts';
import { listColumns } from './list-columns.ts';
import { rowActions, rowMenu } from './row-actions.ts';
import type { Page, View } from '../page.ts';
import { button, emptyState, loading, pageHead } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import { sortSelect, table, type Column } from '../parts/table.ts';
import type { Kind, Records } from '../api/wire.ts';
import { say, t } from '../words/texts.ts';

/** Records of the first answer, and of each further one. */
const PAGE_SIZE = 100;
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
    if (store.listing(kind, query)) shown = query;
    page.redraw();
    const problem = await store.read(kind, query, Math.max(PAGE_SIZE, store.listing(kind, query)?.rows.length ?? 0));
    if (query !== apiQuery(kind, state)) return;
    isReading = false;
    shown = query;
    if (problem) page.complain(problem);
    page.redraw();
    // What is missing before the first record.
    if (store.listing(kind, query)?.total === 0) void store.count().then(() => page.redraw());
  };
  const readMore = async (): Promise<void> => {
    if (isReading || !store.listing(kind, shown)?.more) return;
    isReading = true;
    const problem = await store.readMore(kind, shown);
    isReading = false;
    if (problem) page.complain(problem);
    page.redraw();
  };
  const change = (next: ListState, patienceMs = 0): void => {
    state = next;
    page.rename(hashOfState(kind, state));
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

  const endKeys = listenToListKeys((at) => {
    const record = store.listing(kind, shown)?.rows[at];
    if (record) page.go(hashOf([kind, record.id, kind === 'campaigns' && page.rights.may('POST', '/bookings') ? 'book' : 'edit']));
  });

  const columns = (): readonly Column<Records[K]>[] => [
    ...(bulk ? [bulk.column as unknown as Column<Records[K]>] : []),
    ...listColumns(page, kind, inPlace).filter(({ counts }) => !(state.isArchived && counts)),
  ];
  const sorting = { by: state.sort, choose: (sort: string) => change({ ...state, sort }) };

  const body = (): TemplateResult => {
    const listing = store.listing(kind, shown);
    if (!listing) return loading();
    const { rows, total, more } = listing;
    if (total === 0 && !isFiltered(state)) {
      const next = missingParent(kind, store) ?? addStep(kind, t`No ${many} yet.`);
      return state.isArchived ? emptyState(t`Nothing is archived.`) : emptyState(next.text, allowed(page, next));
    }
    return html`
      <div class="toolbar">
        ${input({
          type: 'search',
          label: t`Search ${many}`,
          placeholder: t`Name, id or what it belongs to …`,
          value: state.search,
          onInput: (search) => change({ ...state, search }, PATIENCE_MS),
        })}
        ${sortSelect(columns(), { ...sorting, by: state.sort })}
        <span class="figure" role="status">${countedKind(total, kind)}</span>
      </div>
      ${filterChips(page, { kind, state, change })} ${views?.render(viewQuery(state))}
      ${
        rows.length === 0
          ? emptyState(state.search.trim() === '' ? t`No ${many} with these filters.` : t`Nothing matches “${state.search.trim()}”.`)
          : html`<div class=${isReading ? 'listed stale' : 'listed'} aria-busy=${isReading ? 'true' : 'false'}>
              ${bulk?.render(rows as readonly Records[BulkKind][])}${table({
                caption: names.many,
                columns: columns(),
                rows,
                actions: (record) => (state.isArchived ? rowActions : rowMenu)(page, kind, record),
                sorting: { ...sorting, by: state.sort },
                sticky: true,
              })}
            </div>`
      }
      ${more ? html`<p class="more" ${whenNear(readMore)}>${button(t`Show more`, readMore, 'secondary')}</p>` : nothing}
    `;
  };

  return {
    title: names.many,
    section: kind,
    leave: () => {
      clearTimeout(timer);
      endKeys();
    },
    render: () => {
      const missing = store.listing(kind, shown)?.total === 0 ? missingParent(kind, store) : undefined;
      const add = addStep(kind, t`No ${many} yet.`);
      return html`
        ${pageHead(
          state.isArchived ? t`Archived ${many}` : names.many,
          state.isArchived ? t`Kept for reports; neither served nor listed.` : say(entityOf(kind).about),
          missing ? nothing : addLink(page, add, 'primary'),
        )}
        ${body()}
        <p class="list-keys help">${t`j and k lead through the rows, x chooses one, Enter opens it, e edits it.`}</p>
        <p class="other-list">
          <a href=${hashOf([kind], state.isArchived ? {} : { archived: 1 })}>${state.isArchived ? t`All ${many}` : t`Archived ${many}`}</a>
        </p>
      `;
    },
  };
};
