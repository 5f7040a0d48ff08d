import { html, nothing, type TemplateResult } from 'lit-html';
import type { LineItemWire } from '../api/wire.ts';
import type { Page, View } from '../page.ts';
import { button, card, emptyState, pageHead, statusPill, toggleButton, toneOf, loading } from '../parts/parts.ts';
import { table, unbroken } from '../parts/table.ts';
import { hashOf, type Route } from '../route.ts';
import { groupBookings, GROUPINGS, type Booking, type BookingGroup, type Grouping } from './timeline/bookings.ts';
import { movedBy, percentAt, SCALES, windowAround, type Scale, type TimeWindow } from './timeline/window.ts';
import { flight } from '../words/dates.ts';
import { count } from '../words/formats.ts';
import { capital, counted, linkTo, titleOf } from '../words/kinds.ts';
import { addStep } from '../bookings/forms/next-step.ts';
import { MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { say, t } from '../words/texts.ts';

/** Groups of one part of the screen; the next part is drawn when its button comes into view. */
const GROUPS_A_PART = 8;
/** Rows of the table. */
const MAX_ROWS = 300;

/** What is booked when: line items as bars, by placement or advertiser. */
export const openTimeline = (page: Page, route: Route): View => {
  const { store } = page;
  const choice = <T extends string>(name: string, values: readonly T[]): T =>
    values.find((one) => one === route.query.get(name)) ?? values[0]!;
  let grouping: Grouping = choice('by', GROUPINGS);
  let scale: Scale = route.query.has('scale') ? choice('scale', SCALES) : 'weeks';
  let aroundMs = Date.parse(route.query.get('at') ?? '') || Date.now();
  let text = route.query.get('q') ?? '';
  let isTable = false;
  let parts = 1;
  void store
    .refresh('placements', 'advertisers', 'campaigns', 'line_items', 'creatives')
    .then((problem) => (problem ? page.complain(problem) : page.redraw()));

  const change = (apply: () => void): void => {
    apply();
    parts = 1;
    const isNow = Math.abs(aroundMs - Date.now()) < MS_PER_HOUR;
    const at = isNow ? undefined : new Date(aroundMs).toISOString().slice(0, 10);
    page.rename(hashOf(['timeline'], { by: grouping, scale, at, q: text === '' ? undefined : text }));
    page.redraw();
  };
  const toggles = <T extends string>(label: string, values: readonly T[], chosen: T, choose: (value: T) => void): TemplateResult =>
    html`<div class="toggles" role="group" aria-label=${label}>
      ${values.map((value) => toggleButton(capital(value), value === chosen, () => change(() => choose(value))))}
    </div>`;
  const more = (): void => {
    parts += 1;
    page.redraw();
  };
  const watcher = new IntersectionObserver((seen) => seen.some(({ isIntersecting }) => isIntersecting) && more(), { rootMargin: '400px' });
  let watched: Element | null = null;
  const watchMore = (): void => {
    const element = document.querySelector('.timeline-more');
    if (element === watched) return;
    if (watched) watcher.unobserve(watched);
    if (element) watcher.observe(element);
    watched = element;
  };

  const controls = (): TemplateResult => html`
    <div class="timeline-controls">
      ${toggles(t`Group by`, GROUPINGS, grouping, (value) => (grouping = value))}
      ${toggles(t`Scale`, SCALES, scale, (value) => (scale = value))}
      <div class="toggles" role="group" aria-label=${t`Time`}>
        ${button('‹', () => change(() => (aroundMs = movedBy(scale, aroundMs, -1))), 'toggle', t`Earlier`)}
        ${button(t`Today`, () => change(() => (aroundMs = Date.now())), 'toggle')}
        ${button('›', () => change(() => (aroundMs = movedBy(scale, aroundMs, 1))), 'toggle', t`Later`)}
      </div>
      <input
        type="search"
        aria-label=${t`Only line items, campaigns or groups with this text`}
        placeholder=${t`Search`}
        .value=${text}
        @input=${(event: Event) => change(() => (text = (event.target as HTMLInputElement).value))}
      />
    </div>
  `;

  return {
    title: t`Timeline`,
    section: 'timeline',
    leave: () => watcher.disconnect(),
    render: () => {
      const shown = windowAround(scale, aroundMs);
      const groups = groupBookings(store, grouping, shown, text);
      if (!groups) return html`${pageHead(t`Timeline`, '')} ${controls()} ${loading()}`;
      const isEmpty = store.listing('line_items', '')?.total === 0;
      const some = groups.slice(0, parts * GROUPS_A_PART);
      queueMicrotask(watchMore);
      return html`
        ${pageHead(
          t`Timeline`,
          t`${counted(
            groups.reduce((sum, { count }) => sum + count, 0),
            'booking',
          )} in ${counted(groups.length, grouping)}`,
          html`<button type="button" class="secondary" aria-pressed=${String(isTable)} @click=${() => change(() => (isTable = !isTable))}>
            ${t`As a table`}
          </button>`,
        )}
        ${controls()}
        ${
          groups.length === 0
            ? emptyState(
                isEmpty ? t`Nothing is booked yet.` : t`Nothing is booked in this time.`,
                isEmpty ? addStep('line_items') : undefined,
              )
            : isTable
              ? tables(page, groups)
              : html`${chart(page, shown, some)}
                ${some.length < groups.length ? button(t`Show more of ${groups.length}`, more, 'secondary timeline-more') : nothing}`
        }
      `;
    },
  };
};

const chart = (page: Page, shown: TimeWindow, groups: readonly BookingGroup[]): TemplateResult => {
  const now = Date.now();
  const today = now > shown.fromMs && now < shown.toMs ? `left:${percentAt(shown, now)}%` : undefined;
  const lines = html`${shown.columns.map(({ atMs, isStrong }) => html`<i class=${isStrong ? 'strong' : ''} .style=${`left:${percentAt(shown, atMs)}%`}></i>`)}${
    today ? html`<i class="today" .style=${today}></i>` : nothing
  }`;
  return html`<div class="timeline" tabindex="-1" @keydown=${moveFocus}>
    <div class="timeline-row timeline-head" aria-hidden="true">
      <span></span>
      <div class="timeline-lanes">
        ${shown.columns.map(({ atMs, label }) => html`<span .style=${`left:${percentAt(shown, atMs)}%`}>${label}</span>`)}
        ${today ? html`<b class="today-label" .style=${today}>${t`today`}</b>` : nothing}
      </div>
    </div>
    ${groups.map((group) => {
      const { title, hash, lanes, count } = group;
      return html`<section class="timeline-row" aria-label="${title}, ${counted(count, 'line item')}" .style=${`--lanes:${lanes.length}`}>
        <h2>
          <a href=${hash}>${title}</a> <span class="figure">${count}</span>
          ${groupWords(page, group).map((words) => html`<small class="timeline-sum">${words}</small>`)}
        </h2>
        <div class="timeline-lanes">
          <div class="timeline-lines" aria-hidden="true">${lines}</div>
          ${lanes.map((lane, i) => lane.map((booking, n) => bar(page, shown, booking, i, i + n === 0)))}
        </div>
      </section>`;
    })}
  </div>`;
};

/** What a line item was booked for and has delivered; undefined: it has no goal of impressions. */
const bookedFigures = ({ statuses }: Page, { id, goal_impressions: booked }: LineItemWire) => {
  if (booked === null) return undefined;
  const progress = statuses.delivery(id)?.progress;
  // undefined: not read yet.
  const delivered = progress?.of === 'goal_impressions' ? progress.done : undefined;
  const words = delivered === undefined ? t`${count(booked)} impressions` : t`${count(delivered)} of ${count(booked)} impressions`;
  return { booked, delivered, words };
};

/** What the line items of a group were booked for and have delivered, where they have goals. */
const groupWords = (page: Page, { lanes }: BookingGroup): readonly string[] => {
  const all = lanes.flat().flatMap(({ lineItem }) => bookedFigures(page, lineItem) ?? []);
  if (all.length === 0) return [];
  const [booked, delivered] = [all.reduce((sum, one) => sum + one.booked, 0), all.reduce((sum, one) => sum + (one.delivered ?? 0), 0)];
  return [t`${count(booked)} booked`, t`${count(delivered)} delivered`];
};

/** One of each group is reached by Tab, the others by the arrow keys. */
const bar = (page: Page, shown: TimeWindow, { lineItem, startMs, endMs }: Booking, lane: number, isFirst: boolean): TemplateResult => {
  const [left, right] = [percentAt(shown, startMs), percentAt(shown, endMs)];
  const status = page.statuses.of('line_items', lineItem.id);
  const name = titleOf('line_items', lineItem);
  const figures = bookedFigures(page, lineItem);
  const words = [name, flight(lineItem), ...(status ? [say(status.value)] : []), ...(figures ? [figures.words] : [])].join(', ');
  const done = figures ? Math.min(100, (100 * (figures.delivered ?? 0)) / Math.max(1, figures.booked)) : 0;
  const cut = `${startMs < shown.fromMs ? ' from-before' : ''}${endMs > shown.toMs ? ' goes-on' : ''}`;
  return html`<a
    class="booking ${status ? toneOf(status.value) : 'quiet'}${cut}"
    href=${linkTo('line_items', lineItem.id)}
    tabindex=${isFirst ? 0 : -1}
    title=${words}
    aria-label=${words}
    .style=${`left:${left}%;width:${right - left}%;--lane:${lane};--done:${done}%`}
    ><span>${name}</span></a
  >`;
};

/** Left and right within a group, up and down between groups. */
const moveFocus = (event: KeyboardEvent): void => {
  const from = event.target as HTMLElement;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined || !from.classList.contains('booking')) return;
  event.preventDefault();
  const sideways = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
  const group = from.closest('.timeline-row');
  const all = [
    ...(sideways
      ? (group?.querySelectorAll<HTMLElement>('.booking') ?? [])
      : document.querySelectorAll<HTMLElement>('.timeline-row .booking[tabindex="0"]')),
  ];
  const own = sideways ? from : (group?.querySelector<HTMLElement>('.booking[tabindex="0"]') ?? from);
  const to = all[all.indexOf(own) + step];
  to?.focus();
  to?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
};

/** The same as tables, for screen readers and for copying. */
const tables = (page: Page, groups: readonly BookingGroup[]): TemplateResult => {
  let left = MAX_ROWS;
  return html`${groups.map(({ title, lanes }) => {
    const rows = lanes.flat().slice(0, left);
    left -= rows.length;
    return rows.length === 0
      ? nothing
      : card(
          title,
          table({
            caption: t`Bookings of ${title}`,
            rows,
            columns: [
              {
                label: t`Line item`,
                cell: ({ lineItem }) => html`<a href=${linkTo('line_items', lineItem.id)}>${titleOf('line_items', lineItem)}</a>`,
              },
              { label: t`Flight`, cell: ({ lineItem }) => unbroken(flight(lineItem)) },
              { label: t`Status`, cell: ({ lineItem }) => statusPill(page.statuses.of('line_items', lineItem.id)) },
            ],
          }),
        );
  })}
  ${left <= 0 ? html`<p class="muted">${t`The first ${MAX_ROWS} are shown. Search, or choose a shorter time, to see others.`}</p>` : nothing}`;
};
