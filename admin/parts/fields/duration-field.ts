import { html, type TemplateResult } from 'lit-html';
import type { Form } from '../../bookings/forms/form.ts';
import { numberOf, textOf } from '../../bookings/forms/typed-text.ts';
import { UNITS_OF_TIME, unitWord } from '../../words/formats.ts';
import { selectField } from './choice-field.ts';
import type { FieldOptions } from './field.ts';
import { numberField } from './text-field.ts';
import { t } from '../../words/texts.ts';

interface Duration {
  /** As typed. */
  readonly amount: string;
  /** Seconds in the unit. */
  readonly unit: string;
}

const UNITS = UNITS_OF_TIME.map(([unit, seconds]) => ({ value: String(seconds), label: unitWord(unit) }));

/** Seconds in the largest unit that divides them. */
export const durationOf = (value: unknown): Duration => {
  const seconds = numberOf(value);
  const unit = UNITS.find((each) => typeof seconds === 'number' && seconds % Number(each.value) === 0)?.value ?? '1';
  return { amount: typeof seconds === 'number' ? String(seconds / Number(unit)) : textOf(seconds), unit };
};

/** Seconds; null when nothing is typed, the text itself when it is not a number. */
export const secondsOf = (value: unknown): number | string | null => {
  const { amount, unit } = value as Duration;
  const typed = numberOf(amount);
  return typeof typed === 'number' ? typed * Number(unit) : typed;
};

/** An amount and its unit. The faults of the whole show at the amount. */
export const durationField = (form: Form, options: FieldOptions): TemplateResult => {
  const { pointer } = options;
  const amount = {
    ...form,
    read: () => form.read(`${pointer}/amount`),
    write: (_: string, to: unknown) => form.write(`${pointer}/amount`, to),
  };
  return html`<div class="pair">
    ${numberField(amount, options)} ${selectField(form, { pointer: `${pointer}/unit`, label: t`Unit`, choices: UNITS })}
  </div>`;
};
