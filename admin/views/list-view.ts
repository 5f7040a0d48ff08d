import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { missingParent } from '../forms/next-step.ts';
import { counted, NAMES } from '../words/kinds.ts';
import { listColumns, listText } from './list-columns.ts';
import { rowActions } from './row-actions.ts';
import type { Page, View } from '../page.ts';
import { emptyState, pageHead } from '../parts/parts.ts';
import { hashOf, type Route } from '../route.ts';
import { table } from '../parts/table.ts';
import type { Kind, Records } from '../service/wire.ts';

const SHOWN = 100;

const ABOUT: Readonly<Record<Kind, string>> = {
  publishers: 'Sites that show ads. Each has its own API key.',
  placements: 'Places for ads on pages.',
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
  void store.refresh(kind).then((problem) => (problem ? page.complain(problem) : page.redraw()));

  const matching = (): readonly Records[K][] => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const all = store.all(kind);
    return words.length === 0 ? all : all.filter((record) => words.every((word) => listText(store, kind, record).includes(word)));
  };

  return {
    title: names.many,
    section: kind,
    render: () => {
      const all = store.all(kind);
      const missing = missingParent(kind, store);
      const found = matching();
      const add = { label: `Add a ${names.one}`, hash: hashOf([kind, 'new']) };
      return html`
        ${pageHead(names.many, ABOUT[kind], missing ? nothing : html`<a role="button" href=${add.hash}>${add.label}</a>`)}
        ${
          all.length === 0
            ? emptyState(missing?.text ?? `No ${names.many.toLowerCase()} yet.`, missing ?? { ...add, text: '' })
            : html`
                <div class="toolbar">
                  <input
                    type="search"
                    aria-label="Search ${names.many.toLowerCase()}"
                    placeholder="Search by name, id, parent, status …"
                    .value=${live(search)}
                    @input=${(event: InputEvent) => {
                      search = (event.target as HTMLInputElement).value;
                      shown = SHOWN;
                      page.redraw();
                    }}
                  />
                  <span class="figure" role="status"
                    >${counted(found.length, names.one, names.many.toLowerCase())}${store.isCut(kind) ? ' read; there are more' : ''}</span
                  >
                </div>
                ${
                  found.length === 0
                    ? emptyState(`Nothing matches “${search}”.`)
                    : table({
                        caption: names.many,
                        columns: listColumns(page, kind),
                        rows: found.slice(0, shown),
                        actions: (record) => rowActions(page, kind, record),
                      })
                }
                ${
                  found.length > shown
                    ? html`<button
                        type="button"
                        class="secondary"
                        @click=${() => {
                          shown += SHOWN;
                          page.redraw();
                        }}
                      >
                        Show more
                      </button>`
                    : nothing
                }
              `
        }
      `;
    },
  };
};
