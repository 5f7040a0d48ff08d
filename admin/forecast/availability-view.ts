import { html, nothing, type TemplateResult } from 'lit-html';
import { saveFile } from '../api/save-file.ts';
import type { Page, View } from '../page.ts';
import { button, card, loading, pageHead, problemNote } from '../parts/parts.ts';
import { countryName } from '../parts/fields/country-field.ts';
import type { Problem } from '../api/wire.ts';
import { hashOf, type Route } from '../route.ts';
import { capital, counted } from '../words/kinds.ts';
import { t } from '../words/texts.ts';
import { availabilityControls, sizeWords, type AvailabilityChoice } from './availability-controls.ts';
import { availabilityCsv, availabilityGrid, GROUPS, SPANS, type AvailabilityGrid, type AvailabilityRow } from './availability-grid.ts';
import { availabilityTable, type ChosenCell } from './availability-table.ts';
import { createCellCard } from './cell-card.ts';
import { createErrorLine } from './error-line.ts';
import { createTrafficEvents } from './traffic-events-card.ts';

/** The first answer begins a replay of all bookings: it is asked for again until there is one. */
const LOOK_AGAIN_MS = 4_000;
/** Less and less often, at most so many times as long. */
const MAX_PATIENCE = 8;

/** What each placement, country, size or targeting has, has sold and has free in the next four weeks. */
export const openAvailability = async (page: Page, route: Route): Promise<View> => {
  const { store } = page;
  let choice = choiceIn(route.query);
  let rows: readonly AvailabilityRow[] | undefined;
  /** There are figures, and none of what was chosen. */
  let isNone = false;
  let isBusy = false;
  let problem: Problem | undefined;
  let chosen: ChosenCell | undefined;
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const partOf = ({ by, country, size, targeting }: AvailabilityChoice) => ({ group_by: by, country, size, targeting });
  const cell = createCellCard(
    page,
    () => choice.publisher ?? 0,
    ({ key }) => {
      const { group_by: by, ...part } = partOf(choice);
      // It cannot be asked for what is not known.
      return key === '' ? undefined : { ...part, ...(key !== undefined && { [by]: key }) };
    },
  );
  const events = createTrafficEvents(
    page,
    () => choice.publisher ?? 0,
    () => void load(),
  );

  const errors = createErrorLine(page);

  const load = async (): Promise<void> => {
    clearTimeout(timer);
    const { publisher } = choice;
    if (publisher === undefined) return;
    const mine = ++turn;
    isBusy = true;
    const answer = await page.api.get('/availability', { publisher, ...partOf(choice) });
    // Nothing of a part of the traffic, or nothing at all yet.
    const whole = answer.ok && answer.value.length === 0 ? await page.api.get('/availability', { publisher }) : undefined;
    if (mine !== turn) return;
    isBusy = false;
    problem = answer.ok ? undefined : answer.problem;
    if (answer.ok) rows = answer.value;
    isNone = whole?.ok === true && whole.value.length > 0;
    if (answer.ok && rows?.length === 0 && !isNone) timer = setTimeout(() => void load(), LOOK_AGAIN_MS * Math.min(turn, MAX_PATIENCE));
    page.redraw();
  };
  const open = async (id: number): Promise<void> => {
    rows = undefined;
    await Promise.all([
      store.ensure('publishers', id),
      store.read('placements', `publisher_id=${id}`),
      store.read('targetings', `publisher_id=${id}`),
      load(),
      events.load(),
      errors.load({ publisher: id, subject: 'placement' }),
    ]);
    page.redraw();
  };
  const change = (given: Partial<AvailabilityChoice>): void => {
    const before = choice;
    choice = { ...choice, ...given };
    chosen = undefined;
    const { publisher, span, by, country, size, targeting } = choice;
    page.rename(hashOf(['availability'], { publisher, by: span, group_by: by === 'placement' ? undefined : by, country, size, targeting }));
    if (publisher !== undefined && publisher !== before.publisher) void open(publisher);
    else if (JSON.stringify(partOf(choice)) !== JSON.stringify(partOf(before))) void load();
    page.redraw();
  };
  const first = choice.publisher ?? (await firstPublisher(page));
  choice = { ...choice, publisher: first };
  if (first !== undefined) void open(first);

  const nameOf = (key: string): string => {
    switch (choice.by) {
      case 'placement':
        return key;
      case 'country':
        return key === '' ? t`Country not known` : countryName(key);
      case 'size':
        return sizeWords(key);
      case 'targeting':
        return (
          store.listing('targetings', `publisher_id=${choice.publisher}`)?.rows.find(({ id }) => id === Number(key))?.name ?? `#${key}`
        );
    }
  };
  const fileOf = (grid: AvailabilityGrid): TemplateResult => {
    const save = (): void => {
      const value = new Blob([availabilityCsv(grid, nameOf)], { type: 'text/csv' });
      void saveFile(page, Promise.resolve({ ok: true as const, value }), 'availability.csv');
    };
    return button('CSV', save, 'secondary');
  };
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
    if (isNone) return html`<p class="empty-preview">${t`No traffic of this kind is expected.`}</p>`;
    if (rows?.length === 0) return nothingYet();
    return html`<div class=${isBusy ? 'availability-busy' : ''} aria-busy=${String(isBusy)}>
        ${availabilityTable({ grid, nameOf, span: choice.span, chosen, choose })}
      </div>
      ${legend()} ${errors.render()}
      ${chosen ? cell.render(chosen, chosen.key === undefined ? t`All of them` : nameOf(chosen.key)) : nothing}`;
  };
  return {
    title: t`Availability`,
    section: 'availability',
    leave: () => {
      clearTimeout(timer);
      turn++;
    },
    render: () => {
      const { publisher, by } = choice;
      if (publisher === undefined)
        return html`${pageHead(t`Availability`, '')}
        ${card(t`Nothing to sell yet`, html`<p>${t`A publisher with placements comes first.`}</p>`)}`;
      const grid = rows && availabilityGrid(rows, choice.span, by);
      const named = grid?.lines.filter(({ key }) => key !== undefined).length ?? 0;
      const file = grid && named > 0 ? fileOf(grid) : nothing;
      return html`${pageHead(
        t`Availability`,
        named > 0 && by === 'placement'
          ? t`${capital(counted(named, 'placement'))}, the next four weeks: what pages are expected to ask for, and what is sold of it.`
          : t`The next four weeks: what pages are expected to ask for, and what is sold of it.`,
      )}
      ${availabilityControls({ page, choice, change, file })} ${body(grid)} ${events.render()}`;
    },
  };
};

const choiceIn = (query: URLSearchParams): AvailabilityChoice => ({
  publisher: Number(query.get('publisher')) || undefined,
  span: SPANS.find((one) => one === query.get('by')) ?? 'weeks',
  by: GROUPS.find((one) => one === query.get('group_by')) ?? 'placement',
  country: query.get('country') ?? undefined,
  size: query.get('size')?.replace(' × ', 'x') ?? undefined,
  targeting: Number(query.get('targeting')) || undefined,
});

const firstPublisher = async (page: Page): Promise<number | undefined> => {
  const answer = await page.api.records.list('publishers', 'limit=1&sort=name');
  return answer.ok ? answer.value[0]?.id : undefined;
};

const legend = (): TemplateResult =>
  html`<p class="availability-legend" aria-hidden="true">
    <span>${t`0% sold`}</span>${[0, 1, 2, 3, 4, 5].map((level) => html`<i class="level-${level}"></i>`)}<span>${t`100% sold`}</span>
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
