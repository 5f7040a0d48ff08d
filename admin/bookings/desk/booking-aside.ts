import { html, nothing, type TemplateResult } from 'lit-html';
import { dateOfDay, dayOf } from '../../../src/base/utc-day.ts';
import type { Page } from '../../page.ts';
import { button, card } from '../../parts/parts.ts';
import { date, monthAndYear, time } from '../../words/dates.ts';
import { locale } from '../../words/language.ts';
import { currencyOfPublisher } from '../../words/currency.ts';
import { money } from '../../words/formats.ts';
import { counted } from '../../words/kinds.ts';
import { t } from '../../words/texts.ts';
import { textOf } from '../forms/typed-text.ts';
import type { BookingDesk, Finding } from './booking-desk.ts';
import type { BookingDraft, ItemPart } from './booking-draft.ts';
import { costOf } from './item-groups.ts';

/** Beside the booking, always in view: its days, its cost, and what keeps it from serving. @param show opens what a finding is about */
export const bookingAside = (page: Page, desk: BookingDesk, show: (finding: Finding) => void, forecast: unknown): TemplateResult => {
  const draft = desk.draft();
  return html`<aside class="desk-aside" tabindex="0" aria-label=${t`About this booking`}>
    ${card(t`Cost`, cost(page, draft))} ${forecast} ${card(t`Before it serves`, findings(desk, show))} ${card(t`Flight`, calendar(draft))}
    <p class="help desk-kept" aria-live="polite">
      ${desk.isSaving() ? t`Booking …` : desk.keptAt() === undefined ? nothing : t`Draft kept, ${time(desk.keptAt() ?? '')}`}
    </p>
  </aside>`;
};

const WEEKDAYS = Array.from({ length: 7 }, (_, i) =>
  new Intl.DateTimeFormat(locale, { weekday: 'narrow', timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, 1 + i))),
);
const MAX_MONTHS = 2;
const DAY = /^\d{4}-\d{2}-\d{2}/;

const dayNumber = (text: string): number | undefined => (DAY.test(text) ? dayOf(Date.parse(text.slice(0, 10))) : undefined);

/** The first days on which a line item runs: its own, within those of the campaign. */
const daysOf = (item: ItemPart, start: number, end: number): readonly [number, number] => [
  Math.max(start, dayNumber(textOf(item.fields['start_date'])) ?? start),
  Math.min(end, dayNumber(textOf(item.fields['end_date'])) ?? end),
];

/** The months of the flight, each day shaded by the number of its line items. */
const calendar = ({ campaign, line_items: items }: BookingDraft): TemplateResult => {
  const [start, end] = [dayNumber(textOf(campaign.fields['start_date'])), dayNumber(textOf(campaign.fields['end_date']))];
  if (start === undefined || end === undefined || end < start) return html`<p class="help">${t`The flight has no days yet.`}</p>`;
  const flights = items.map((item) => daysOf(item, start, end));
  const [first, last] = [dateOfDay(start).slice(0, 7), dateOfDay(end).slice(0, 7)];
  const months = monthsFrom(first, last);
  const running = (day: number): number => flights.filter(([from, to]) => from <= day && day <= to).length;
  return html`<p class="desk-days">${date(dateOfDay(start))} – ${date(dateOfDay(end))}<b>${counted(end - start + 1, 'day')}</b></p>
    ${months.slice(0, MAX_MONTHS).map((month) => monthGrid(month, start, end, running, Math.max(1, items.length)))}
    ${months.length > MAX_MONTHS ? html`<p class="help">${t`and ${months.length - MAX_MONTHS} more months`}</p>` : nothing}`;
};

const monthsFrom = (first: string, last: string): readonly string[] => {
  const months: string[] = [];
  for (let at = first; at <= last && months.length < 1_200; at = nextMonth(at)) months.push(at);
  return months;
};

/** While a year is typed it is 0002, then 0020: without its zeros it would be read as another one, hundreds of thousands of days away. */
const nextMonth = (month: string): string => {
  const [year = 0, of = 0] = month.split('-').map(Number);
  const [next, at] = of === 12 ? [year + 1, 1] : [year, of + 1];
  return `${String(next).padStart(4, '0')}-${String(at).padStart(2, '0')}`;
};

const LEVELS = 3;

const monthGrid = (month: string, start: number, end: number, running: (day: number) => number, most: number): TemplateResult => {
  const from = dayOf(Date.parse(`${month}-01`));
  const days = dayOf(Date.parse(`${nextMonth(month)}-01`)) - from;
  // The first column is Monday; day 0, the first of 1970, was a Thursday.
  const blanks = (from + 3) % 7;
  return html`<div class="desk-month" role="img" aria-label=${monthAndYear(month)}>
    <span class="desk-month-name">${monthAndYear(month)}</span>
    ${WEEKDAYS.map((name) => html`<span class="desk-weekday">${name}</span>`)} ${Array.from({ length: blanks }, () => html`<span></span>`)}
    ${Array.from({ length: days }, (_, i) => {
      const day = from + i;
      const isIn = day >= start && day <= end;
      const level = isIn ? Math.min(LEVELS, Math.ceil((LEVELS * running(day)) / most)) : 0;
      return html`<span class="desk-day ${isIn ? `in level-${level}` : ''}">${i + 1}</span>`;
    })}
  </div>`;
};

const cost = ({ store }: Page, { campaign, line_items: items }: BookingDraft): TemplateResult => {
  const currency = currencyOfPublisher(store, textOf(campaign.fields['publisher_id']));
  const costs = items.map((item) => costOf(item, store.dimensions()));
  const known = costs.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const open = costs.filter((one) => one === undefined).length;
  const budget = Number(textOf(campaign.fields['budget']) || NaN);
  const isOver = Number.isFinite(budget) && known > budget;
  return html`<p class="desk-cost">
      <b>${open === items.length && known === 0 ? t`open` : money(known, currency)}</b
      >${Number.isFinite(budget) ? html` <span>${t`of a budget of ${money(budget, currency)}`}</span>` : nothing}
    </p>
    ${isOver ? html`<p class="desk-fault">${t`${money(known - budget, currency)} more than the budget: it will stop before its goals.`}</p>` : nothing}
    ${open > 0 ? html`<p class="help">${t`Open in ${open} of ${items.length}: a goal with a price, or a budget, bounds it.`}</p>` : nothing}`;
};

/** Warnings are shown beside the word that it will serve. */
const findings = (desk: BookingDesk, show: (finding: Finding) => void): TemplateResult => {
  const all = desk.findings();
  const fine = desk.isChecking()
    ? html`<p class="help" aria-busy="true">${t`Checking …`}</p>`
    : html`<p class="desk-fine">${t`Nothing keeps it from serving.`}</p>`;
  return html`${all.every(({ of }) => of === 'warning') ? fine : nothing}
  ${
    all.length > 0
      ? html`<ul class="desk-findings" aria-live="polite">
          ${all.map((one) => html`<li class=${one.of}>${button(`${placeOf(desk, one)}${one.detail}`, () => show(one), 'quiet')}</li>`)}
        </ul>`
      : nothing
  }`;
};

/** `Line item 2: ` where there are several, and the name of a creative. */
const placeOf = (desk: BookingDesk, { pointer }: Finding): string => {
  const [, at, of] = /^\/line_items\/(\d+)(?:\/creatives\/(\d+))?/.exec(pointer) ?? [];
  const items = desk.draft().line_items;
  const item = at === undefined ? undefined : items[Number(at)];
  const creative = of === undefined ? undefined : item?.creatives[Number(of)];
  const names = [
    item && items.length > 1 ? textOf(item.fields['name']) || t`Line item ${Number(at) + 1}` : '',
    creative ? textOf(creative.fields['name']) || t`Creative` : '',
  ].filter((one) => one !== '');
  return names.length > 0 ? `${names.join(', ')}: ` : '';
};
