import { html, type TemplateResult } from 'lit-html';
import { BUDGET_TYPES, type BudgetType } from '../../../src/catalog/model/choices.ts';
import type { Rate } from '../../../src/catalog/model/rate-card.ts';
import type { WeekDay } from '../../../src/targeting/week-hours.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf, textOf, textOrNull } from '../../bookings/forms/typed-text.ts';
import { BUDGET_TYPE_WORDS } from '../../words/choice-words.ts';
import { daysWords } from '../../words/rate-words.ts';
import { t } from '../../words/texts.ts';
import { button } from '../parts.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input } from './input.ts';

/** A price as it is typed. */
interface RateRow {
  readonly budgetType: BudgetType;
  readonly price: string;
  readonly placement: string;
  readonly size: string;
  /** Separated by commas. */
  readonly days: string;
}

const NEW_RATE: RateRow = { budgetType: 'CPM', price: '', placement: '', size: '', days: '' };
const TYPE_CHOICES = BUDGET_TYPES.map((value) => ({ value, label: BUDGET_TYPE_WORDS[value].label }));
const DAY_CHOICES = ['', 'mon,tue,wed,thu,fri', 'sat,sun'];

export const rateRows = (value: unknown): readonly RateRow[] =>
  ((value ?? []) as readonly Rate[]).map(({ budget_type, price, placement, size, days = [] }) => ({
    budgetType: budget_type,
    price: String(price),
    ...{ placement: textOf(placement), size: textOf(size), days: days.join(',') },
  }));

/** What is no number is sent as typed: the service says what is wrong. */
export const ratesOfRows = (rows: unknown): readonly unknown[] =>
  (rows as readonly RateRow[]).map(({ budgetType, price, placement, size, days }) => ({
    ...{ budget_type: budgetType, price: numberOf(price) ?? '' },
    ...{ placement: textOrNull(placement), size: textOrNull(size), days: days === '' ? [] : days.split(',') },
  }));

/** Prices, one in a row: 8.00 CPM, placement home-top, size 970x250, on Saturdays and Sundays. */
export const ratesField = (form: Form, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, ({ invalid }) => {
    const rows = (form.read(options.pointer) as readonly RateRow[] | undefined) ?? [];
    const id = idOf(options.pointer);
    const write = (next: readonly RateRow[]): void => form.write(options.pointer, next);
    const change = (at: number, part: Partial<RateRow>): void => write(rows.map((row, i) => (i === at ? { ...row, ...part } : row)));
    const remove = (at: number): void => {
      write(rows.filter((_, i) => i !== at));
      document.getElementById(`${id}-add`)?.focus();
    };
    const select = (at: number, label: string, value: string, choices: Choices, to: (chosen: string) => Partial<RateRow>) =>
      html`<select
        aria-label=${t`${label} of price ${at + 1}`}
        .value=${value}
        @change=${(event: Event) => change(at, to((event.target as HTMLSelectElement).value))}
      >
        ${choices.map((choice) => html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.label}</option>`)}
      </select>`;
    const typed = (at: number, label: string, value: string, placeholder: string, to: (text: string) => Partial<RateRow>) =>
      input({ control: { invalid }, label: t`${label} of price ${at + 1}`, placeholder, value, onInput: (text) => change(at, to(text)) });
    const days = (chosen: string): Choices =>
      [...new Set([...DAY_CHOICES, chosen])].map((value) => ({
        value,
        label: daysWords(value === '' ? [] : (value.split(',') as WeekDay[])),
      }));
    return html`<div class="caps">
      ${rows.map(
        (row, i) =>
          html`<div class="cap">
            ${typed(i, t`Price`, row.price, t`price`, (price) => ({ price }))}
            ${select(i, t`Unit`, row.budgetType, TYPE_CHOICES, (budgetType) => ({ budgetType: budgetType as BudgetType }))}
            ${typed(i, t`Placement`, row.placement, t`all placements`, (placement) => ({ placement }))}
            ${typed(i, t`Size`, row.size, t`all sizes`, (size) => ({ size }))}
            ${select(i, t`Days`, row.days, days(row.days), (chosen) => ({ days: chosen }))}
            ${button('×', () => remove(i), 'quiet icon-button', t`Remove price ${i + 1}`)}
          </div>`,
      )}
      <button type="button" id="${id}-add" class="quiet" @click=${() => write([...rows, NEW_RATE])}>+ ${t`Add a price`}</button>
    </div>`;
  });

type Choices = readonly { readonly value: string; readonly label: string }[];
