import { html, type TemplateResult } from 'lit-html';
import { CAP_SCOPES, type CapScope } from '../../../src/catalog/model/choices.ts';
import type { BookedCap, CapCounts } from '../../../src/catalog/model/frequency-caps.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf } from '../../bookings/forms/typed-text.ts';
import { CAP_SCOPE_WORDS } from '../../words/choice-words.ts';
import { UNITS_OF_TIME, unitWord } from '../../words/formats.ts';
import { t } from '../../words/texts.ts';
import { button } from '../parts.ts';
import { select, type Choices } from '../select.ts';
import { durationOf, secondsOf } from './duration-field.ts';
import { fieldGroup, idOf, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import { formRows } from './rows.ts';

/** One cap as it is typed. */
interface CapRow {
  readonly max: string;
  readonly of: CapCounts;
  readonly scope: CapScope;
  readonly amount: string;
  /** Seconds in the unit, or LIFETIME. */
  readonly unit: string;
}

const LIFETIME = 'lifetime';
const NEW_CAP: CapRow = { max: '1', of: 'impressions', scope: 'line_item', amount: '10', unit: '60' };

const OF_CHOICES: Choices<CapCounts> = [
  ['impressions', t`× seen`],
  ['clicks', t`× clicked`],
];
const SCOPE_CHOICES: Choices<CapScope> = CAP_SCOPES.map((scope) => [scope, CAP_SCOPE_WORDS[scope].label]);
const UNIT_CHOICES: Choices = [
  ...UNITS_OF_TIME.map(([unit, seconds]) => [String(seconds), unitWord(unit)] as const),
  [LIFETIME, t`in all`],
];

export const capRows = (value: unknown): readonly CapRow[] =>
  ((value ?? []) as readonly BookedCap[]).map(({ scope, impressions, clicks, window }) => ({
    max: String(clicks ?? impressions ?? ''),
    of: clicks == null ? 'impressions' : 'clicks',
    scope,
    ...(window === null ? { amount: '', unit: LIFETIME } : durationOf(window)),
  }));

/** What is no number is sent as typed: the service says what is wrong. */
export const capsOfRows = (rows: unknown): readonly unknown[] =>
  (rows as readonly CapRow[]).map(({ max, of, scope, amount, unit }) => ({
    scope,
    [of]: numberOf(max),
    window: unit === LIFETIME ? null : secondsOf({ amount, unit }),
  }));

/** Frequency caps, one in a row: at most 3 × seen, of the campaign, within 1 day. */
export const capsField = (form: Form, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, ({ invalid }) => {
    const addId = `${idOf(options.pointer)}-add`;
    const { rows, add, remove, change } = formRows<CapRow>(form, options.pointer, addId);
    const choice = <T extends string>(at: number, label: string, value: T, choices: Choices<T>, to: (chosen: T) => Partial<CapRow>) =>
      select(t`${label} of cap ${at + 1}`, value, choices, (chosen) => change(at, to(chosen)));
    const number = (at: number, label: string, value: string, onInput: (typed: string) => void) =>
      input({ control: { invalid }, label: t`${label} of cap ${at + 1}`, inputMode: 'numeric', value, onInput });
    return html`<div class="caps">
      ${rows.map(
        (row, i) =>
          html`<div class="cap">
            <span>${t`At most`}</span>
            ${number(i, t`Number`, row.max, (max) => change(i, { max }))}
            ${choice(i, t`What is counted`, row.of, OF_CHOICES, (of) => ({ of }))}
            ${choice(i, t`Whose ads`, row.scope, SCOPE_CHOICES, (scope) => ({ scope }))}
            <span class="cap-window">
              ${row.unit === LIFETIME ? '' : t`within`}
              ${row.unit === LIFETIME ? '' : number(i, t`Window`, row.amount, (amount) => change(i, { amount }))}
              ${choice(i, t`Unit of the window`, row.unit, UNIT_CHOICES, (unit) => ({ unit, amount: row.amount === '' ? '1' : row.amount }))}
              ${button('×', () => remove(i), 'quiet icon-button', t`Remove cap ${i + 1}`)}
            </span>
          </div>`,
      )}
      <button type="button" id=${addId} class="quiet" @click=${() => add(NEW_CAP)}>+ ${t`Add a cap`}</button>
    </div>`;
  });
