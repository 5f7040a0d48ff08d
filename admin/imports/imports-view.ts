import { html, type TemplateResult } from 'lit-html';
import type { ImportWire } from '../../src/imports/import-api.ts';
import type { Page, View } from '../page.ts';
import { card, pageHead } from '../parts/parts.ts';
import { createReading } from '../parts/reading.ts';
import { table, unbroken, type Column } from '../parts/table.ts';
import { hashOf } from '../route.ts';
import { actorName } from '../words/actor-name.ts';
import { moment } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import { SOURCES, SOURCE_NAMES, type ImportSource } from './import-words.ts';
import { t } from '../words/texts.ts';

/** What can be imported, and what was. */
export const openImports = (page: Page): View => {
  const earlier = createReading(page, (api) => api.get('/imports'));
  return {
    title: t`Imports`,
    section: 'imports',
    render: () => html`
      ${pageHead(
        t`Imports`,
        t`Bring bookings over from another system. A file is read first, and you see what it would book. Nothing is booked before you say so, and the same file twice books nothing twice.`,
      )}
      <ul class="import-sources">
        ${SOURCE_NAMES.map(sourceCard)}
      </ul>
      ${earlier.render((rows) =>
        rows.length === 0 ? html`` : card(t`Earlier imports`, table({ caption: t`Earlier imports`, rows, columns: COLUMNS })),
      )}
    `,
  };
};

const sourceCard = (source: ImportSource): TemplateResult => {
  const { title, text } = SOURCES[source];
  return html`<li class="card">
    <h2>${title}</h2>
    <p>${text}</p>
    <a role="button" class="secondary" href=${hashOf(['imports', 'new'], { source })} aria-label=${t`Import from ${title}`}>${t`Import`}</a>
  </li>`;
};

const COLUMNS: readonly Column<ImportWire>[] = [
  {
    label: t`File`,
    cell: ({ id, file_name: name }) => html`<a class="name" href=${hashOf(['imports', id])}>${name}</a>`,
  },
  { label: t`From`, cell: ({ source }) => SOURCES[source].title },
  { label: t`New`, numeric: true, cell: ({ plan }) => count(plan.create) },
  { label: t`Changed`, numeric: true, cell: ({ plan }) => count(plan.update), minor: true },
  { label: t`Notes`, numeric: true, cell: ({ notes_total: total }) => count(total), minor: true },
  { label: t`State`, cell: stateOf },
  { label: t`By`, cell: ({ applied_by: applied, created_by: by }) => actorName(applied ?? by), minor: true },
  { label: t`When`, cell: ({ applied_at: at, created_at: read }) => unbroken(moment(at ?? read)) },
];

function stateOf({ applied_at: at }: ImportWire): TemplateResult {
  return at === null ? html`<span class="pill warn">${t`not booked`}</span>` : html`<span class="pill good">${t`booked`}</span>`;
}
