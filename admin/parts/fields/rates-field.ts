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
import { select, type Choices } from '../select.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import { formRows } from './rows.ts';

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
const TYPE_CHOICES: Choices<BudgetType> = BUDGET_TYPES.map((type) => [type, BUDGET_TYPE_WORDS[type].label]);
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
    const addId = `${idOf(options.pointer)}-add`;
    const { rows, add, remove, change } = formRows<RateRow>(form, options.pointer, addId);
    const choice = <T extends string>(at: number, label: string, value: T, choices: Choices<T>, to: (chosen: T) => Partial<RateRow>) =>
      select(t`${label} of price ${at + 1}`, value, choices, (chosen) => change(at, to(chosen)));
    const typed = (at: number, label: string, value: string, placeholder: string, to: (text: string) => Partial<RateRow>) =>
      input({ control: { invalid }, label: t`${label} of price ${at + 1}`, placeholder, value, onInput: (text) => change(at, to(text)) });
    const days = (chosen: string): Choices =>
      [...new Set([...DAY_CHOICES, chosen])].map((value) => [value, daysWords(value === '' ? [] : (value.split(',') as WeekDay[]))]);
    return html`<div class="caps">
      ${rows.map(
        (row, i) =>
          html`<div class="cap rate">
            ${typed(i, t`Price`, row.price, t`price`, (price) => ({ price }))}
            ${choice(i, t`Unit`, row.budgetType, TYPE_CHOICES, (budgetType) => ({ budgetType }))}
            ${typed(i, t`Placement`, row.placement, t`all placements`, (placement) => ({ placement }))}
            ${typed(i, t`Size`, row.size, t`all sizes`, (size) => ({ size }))}
            ${choice(i, t`Days`, row.days, days(row.days), (chosen) => ({ days: chosen }))}
            ${button('×', () => remove(i), 'quiet icon-button', t`Remove price ${i + 1}`)}
          </div>`,
      )}
      <button type="button" id=${addId} class="quiet" @click=${() => add(NEW_RATE)}>+ ${t`Add a price`}</button>
    </div>`;
  });
