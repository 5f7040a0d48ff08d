import { html, type TemplateResult } from 'lit-html';
import { isObject } from '../../src/base/narrow.ts';
import type { DayPart } from '../../src/targeting/week-hours.ts';
import type { Dimensions, Kind } from '../api/wire.ts';
import { countryName } from '../parts/fields/country-field.ts';
import { date } from '../words/dates.ts';
import { count, plainAmount } from '../words/formats.ts';
import { scheduleWords } from '../words/schedule-words.ts';
import { targetingWords } from '../words/targeting-words.ts';
import { t } from '../words/texts.ts';
import { isAmount, labelOf } from './forms/entity-fields.ts';

export interface FieldChange {
  /** In the trafficking API. */
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

const SHOWN = 60;
const DATE = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/;

/** A value of a field, short enough for a row. */
export const valueWords = (value: unknown): string => {
  if (typeof value === 'string' && DATE.test(value)) return date(value);
  if (typeof value === 'number') return count(value);
  if (typeof value === 'boolean') return value ? t`yes` : t`no`;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.map(valueWords).join(', ') || t`none`;
  const text = typeof value === 'string' ? value : value == null ? t`none` : JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
};

const wordsIn = (kind: Kind | undefined, name: string, value: unknown, dimensions: Dimensions): string => {
  // A plan has cut it.
  if (name === 'targeting' && typeof value === 'string' && value.startsWith('{')) return t`many rules`;
  if (name === 'targeting' && (value == null || isObject(value)))
    return targetingWords(value ?? {}, { countryName, dimensions }).join('; ') || t`every visitor`;
  if (typeof value === 'number' && kind && isAmount(kind, name)) return plainAmount(value);
  return name === 'schedule' && Array.isArray(value) ? scheduleWords(value as readonly DayPart[]) || t`all hours` : valueWords(value);
};

/** What has changed of a record, a line a field, with the names that its form has. @param kind undefined: it has no form */
export const fieldChanges = (kind: Kind | undefined, changes: readonly FieldChange[], dimensions: Dimensions): TemplateResult =>
  html`${changes.map(({ name, before, after }) => {
    const [was, is] = [before, after].map((value) => wordsIn(kind, name, value, dimensions));
    return html`<div class="change"><b>${labelOf(kind, name)}</b> ${was} → ${is}</div>`;
  })}`;
