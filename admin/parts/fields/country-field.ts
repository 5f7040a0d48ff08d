import type { TemplateResult } from 'lit-html';
import { isCountryCode } from '../../../src/catalog/checks/country-codes.ts';
import type { Form } from '../../bookings/forms/form.ts';
import type { FieldOptions } from './field.ts';
import { locale } from '../../words/language.ts';
import { valuesField } from './values-field.ts';
import { t } from '../../words/texts.ts';

const names = new Intl.DisplayNames([locale], { type: 'region' });
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Every country, by its name. */
export const COUNTRIES: readonly { readonly value: string; readonly label: string }[] = LETTERS.flatMap((first) =>
  LETTERS.map((second) => first + second),
)
  .filter(isCountryCode)
  .map((value) => ({ value, label: names.of(value) ?? value }))
  .sort((a, b) => a.label.localeCompare(b.label, locale));

const CODE_OF = new Map(COUNTRIES.map(({ value, label }) => [label.toLowerCase(), value]));

export const countryName = (code: string): string => (isCountryCode(code) ? (names.of(code) ?? code) : code);

/** `Germany`, `Germany (DE)` and `de` all mean DE. */
export const countryCode = (typed: string): string =>
  /\(([A-Z]{2})\)$/.exec(typed)?.[1] ?? CODE_OF.get(typed.toLowerCase()) ?? typed.toUpperCase();

export const countryField = (form: Form, options: FieldOptions): TemplateResult =>
  valuesField(form, {
    ...options,
    suggestions: COUNTRIES,
    labelOf: (code) => (isCountryCode(code) ? `${countryName(code)} (${code})` : code),
    toValue: countryCode,
    placeholder: t`Type a country, then Enter`,
  });
