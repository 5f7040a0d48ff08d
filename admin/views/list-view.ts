import { html, nothing } from 'lit-html';
import { input } from '../fields/input.ts';
import { addStep, missingParent } from '../forms/next-step.ts';
import { counted, NAMES } from '../words/kinds.ts';
import { createBulkBar, type BulkKind } from './bulk-bar.ts';
import { listColumns, listText } from './list-columns.ts';
import { rowActions } from './row-actions.ts';
import type { Page, View } from '../page.ts';
import { button, emptyState, pageHead } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import { table, type Column } from '../parts/table.ts';
import type { Kind, Records } from '../service/wire.ts';

const SHOWN = 100;

const ABOUT: Readonly<Record<Kind, string>> = {
  publishers: 'Sites that show ads. Each has its own API key.',
  placements: 'Places for ads on pages.',
  advertisers: 'Who pays for campaigns.',
  bidders: 'Programmatic demand: the servers that bid for line items.',
  campaigns: 'Bookings: one publisher, one flight, one budget.',
  line_items: 'What runs in a campaign: its visitors, price and limits.',
  creatives: 'The ads that line items show.',
};

/** A searchable list of the records of one kind. */
export const openList = <K extends Kind>(page: Page, kind: K, route: Route): View => {
  const names = NAMES[kind];
  let search = route.query.get('q') ?? '';
  let shown = SHOWN;
  const { store } = page;
  const archived = route.query.has('archived');
  void (archived ? store.readArchived(kind) : store.refresh(kind)).then((problem) => (problem ? page.complain(problem) : page.redraw()));

  const listed = (): readonly Records[K][] => (archived ? store.archived(kind) : store.all(kind));

  const matching = (): readonly Records[K][] => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const all = listed();
    return words.length === 0 ? all : all.filter((record) => words.every((word) => listText(page, kind, record).includes(word)));
  };

  const bulk = (kind === 'campaigns' || kind === 'line_items') && !archived ? createBulkBar(page, kind) : undefined;

  const show = (rows: number): void => {
    shown = rows;
    page.redraw();
  };

  return {
    title: names.many,
    section: kind,
    render: () => {
      const all = listed();
      const missing = missingParent(kind, store);
      const found = matching();
      const add = addStep(kind, `No ${names.many.toLowerCase()} yet.`);
      return html`
        ${pageHead(archived ? `Archived ${names.many.toLowerCase()}` : names.many, archived ? 'Kept for reports; neither served nor listed.' : ABOUT[kind], missing ? nothing : html`<a role="button" href=${add.hash}>${add.label}</a>`)}
        ${
          all.length === 0
            ? archived
              ? emptyState('Nothing is archived.')
              : emptyState((missing ?? add).text, missing ?? add)
            : html`
                <div class="toolbar">
                  ${input({
                    type: 'search',
                    label: `Search ${names.many.toLowerCase()}`,
                    placeholder: 'Search by name, id, parent, status …',
                    value: search,
                    onInput: (typed) => {
                      search = typed;
                      page.rename(hashOf([kind], { q: typed || null, archived: archived ? 1 : null }));
                      show(SHOWN);
                    },
                  })}
                  <span class="figure" role="status"
                    >${counted(found.length, names.one, names.many.toLowerCase())}${store.isCut(kind) ? ' read; there are more' : ''}</span
                  >
                </div>
                ${
                  found.length === 0
                    ? emptyState(`Nothing matches “${search}”.`)
                    : html`${bulk?.render(found as readonly Records[BulkKind][])}${table({
                        caption: names.many,
                        columns: [
                          ...(bulk ? [bulk.column as unknown as Column<Records[K]>] : []),
                          ...listColumns(page, kind).filter(({ counts }) => !(archived && counts)),
                        ],
                        rows: found.slice(0, shown),
                        actions: (record) => rowActions(page, kind, record),
                      })}`
                }
                ${found.length > shown ? button('Show more', () => show(shown + SHOWN), 'secondary') : nothing}
              `
        }
        <p class="other-list">
          <a href=${hashOf([kind], archived ? {} : { archived: 1 })}
            >${archived ? `All ${names.many.toLowerCase()}` : `Archived ${names.many.toLowerCase()}`}</a
          >
        </p>
      `;
    },
  };
};
