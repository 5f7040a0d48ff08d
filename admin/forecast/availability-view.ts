import { html, nothing, type TemplateResult } from 'lit-html';
import { saveFile } from '../api/save-file.ts';
import type { Page, View } from '../page.ts';
import { combobox } from '../parts/combobox.ts';
import { button, card, loading, pageHead, problemNote } from '../parts/parts.ts';
import type { Problem } from '../api/wire.ts';
import { findRecords } from '../bookings/lists/find-records.ts';
import { hashOf, type Route } from '../route.ts';
import { capital, counted } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { availabilityCsv, availabilityGrid, SPANS, type AvailabilityGrid, type AvailabilityRow, type Span } from './availability-grid.ts';
import { availabilityTable, type ChosenCell } from './availability-table.ts';
import { createCellCard } from './cell-card.ts';
import { createErrorLine } from './error-line.ts';
import { createTrafficEvents } from './traffic-events-card.ts';

/** The first answer begins a replay of all bookings: it is asked for again until there is one. */
const LOOK_AGAIN_MS = 4_000;
/** Less and less often, at most so many times as long. */
const MAX_PATIENCE = 8;

/** What each placement has, has sold and has free in the next four weeks. */
export const openAvailability = async (page: Page, route: Route): Promise<View> => {
  const { store } = page;
  let publisher = Number(route.query.get('publisher')) || undefined;
  let span: Span = SPANS.find((one) => one === route.query.get('by')) ?? 'weeks';
  let size = route.query.get('size') ?? '';
  let rows: readonly AvailabilityRow[] | undefined;
  let problem: Problem | undefined;
  let chosen: ChosenCell | undefined;
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cell = createCellCard(page, () => publisher ?? 0);
  const events = createTrafficEvents(
    page,
    () => publisher ?? 0,
    () => void load(),
  );

  const errors = createErrorLine(page);

  const load = async (): Promise<void> => {
    clearTimeout(timer);
    if (publisher === undefined) return;
    const mine = ++turn;
    const answer = await page.api.get('/availability', { publisher });
    if (mine !== turn) return;
    problem = answer.ok ? undefined : answer.problem;
    if (answer.ok) rows = answer.value;
    if (answer.ok && rows?.length === 0) timer = setTimeout(() => void load(), LOOK_AGAIN_MS * Math.min(turn, MAX_PATIENCE));
    page.redraw();
  };
  const open = async (id: number): Promise<void> => {
    publisher = id;
    rows = undefined;
    chosen = undefined;
    await Promise.all([
      store.ensure('publishers', id),
      store.read('placements', `publisher_id=${id}`),
      load(),
      events.load(),
      errors.load({ publisher: id, subject: 'placement' }),
    ]);
    page.redraw();
  };
  const change = (apply: () => void): void => {
    apply();
    page.rename(hashOf(['availability'], { publisher, by: span, size: size === '' ? undefined : size }));
    page.redraw();
  };
  const first = publisher ?? (await firstPublisher(page));
  if (first !== undefined) void open(first);

  const sizes = (): readonly string[] => {
    const known = store.listing('placements', `publisher_id=${publisher}`)?.rows ?? [];
    return [...new Set(known.map(({ width, height }) => `${width} × ${height}`))].sort();
  };
  const isShown = (placement: string): boolean => {
    if (size === '') return true;
    const found = store.listing('placements', `publisher_id=${publisher}`)?.rows.find(({ id }) => id === placement);
    return found !== undefined && `${found.width} × ${found.height}` === size;
  };
  const controls = (grid: AvailabilityGrid | undefined): TemplateResult => html`
    <div class="timeline-controls">
      <div class="availability-publisher">
        ${combobox({
          ...{ label: t`Publisher`, placeholder: t`Publisher`, shown: store.find('publishers', publisher)?.name ?? '' },
          find: findRecords(page.api, 'publishers'),
          choose: (option) => option && change(() => void open(Number(option.value))),
        })}
      </div>
      <div class="toggles" role="group" aria-label=${t`Scale`}>
        ${SPANS.map(
          (one) =>
            html`<button
              type="button"
              class="toggle"
              aria-pressed=${String(one === span)}
              @click=${() =>
                change(() => {
                  span = one;
                  chosen = undefined;
                })}
            >
              ${one === 'weeks' ? t`Weeks` : t`Days`}
            </button>`,
        )}
      </div>
      <select
        class="availability-size"
        aria-label=${t`Size`}
        @change=${({ target }: Event) => change(() => (size = (target as HTMLSelectElement).value))}
      >
        <option value="">${t`All sizes`}</option>
        ${sizes().map((one) => html`<option value=${one} ?selected=${one === size}>${one}</option>`)}
      </select>
      ${
        grid && grid.lines.length > 0
          ? button(
              'CSV',
              () =>
                saveFile(
                  page,
                  Promise.resolve({ ok: true as const, value: new Blob([availabilityCsv(grid)], { type: 'text/csv' }) }),
                  'availability.csv',
                ),
              'secondary',
            )
          : nothing
      }
    </div>
  `;
  const choose = (next: ChosenCell): void => {
    chosen = next;
    void cell.open(next);
    page.redraw();
    // On a phone it is below all placements.
    requestAnimationFrame(() => document.querySelector('.cell-card')?.scrollIntoView({ block: 'nearest' }));
  };
  const body = (grid: AvailabilityGrid | undefined): TemplateResult => {
    if (problem) return problemNote(problem);
    if (!grid) return loading();
    if (rows?.length === 0) return nothingYet();
    if (grid.lines.length === 0) return html`<p class="empty-preview">${t`No placement has this size.`}</p>`;
    return html`${availabilityTable({ grid, span, chosen, choose })} ${legend()} ${errors.render()}
    ${chosen ? cell.render(chosen) : nothing}`;
  };
  return {
    title: t`Availability`,
    section: 'availability',
    leave: () => {
      clearTimeout(timer);
      turn++;
    },
    render: () => {
      if (first === undefined && publisher === undefined)
        return html`${pageHead(t`Availability`, '')}
        ${card(t`Nothing to sell yet`, html`<p>${t`A publisher with placements comes first.`}</p>`)}`;
      const grid = rows && availabilityGrid(rows, span, isShown);
      const named = grid?.lines.filter(({ placement }) => placement !== undefined).length ?? 0;
      return html`${pageHead(
        t`Availability`,
        named > 0
          ? t`${capital(counted(named, 'placement'))}, the next four weeks: what pages are expected to ask for, and what is sold of it.`
          : '',
      )}
      ${controls(grid)} ${body(grid)} ${publisher === undefined ? nothing : events.render()}`;
    },
  };
};

const firstPublisher = async (page: Page): Promise<number | undefined> => {
  const answer = await page.api.records.list('publishers', 'limit=1&sort=name');
  return answer.ok ? answer.value[0]?.id : undefined;
};

const legend = (): TemplateResult =>
  html`<p class="availability-legend" aria-hidden="true">
    <span>${t`free`}</span>${[0, 1, 2, 3, 4, 5].map((level) => html`<i class="level-${level}"></i>`)}<span>${t`sold out`}</span>
  </p>`;

const nothingYet = (): TemplateResult =>
  html`<section class="card availability-empty" aria-busy="true">
    <h2>${t`The next four weeks are being worked out`}</h2>
    <p>${t`A sample of the requests of your pages is replayed with all bookings. It takes about a minute, and appears here by itself.`}</p>
    <p>
      ${t`Is the publisher new? Its pages must have asked for ads for one whole day.`}
      <a href=${hashOf(['placements'])}>${t`Put the tags of its placements on the pages`}</a>
    </p>
    <progress aria-label=${t`Working`}></progress>
  </section>`;
