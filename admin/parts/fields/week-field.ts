import { html, type TemplateResult } from 'lit-html';
import { halfHoursIn, HALF_HOURS_A_DAY, WEEK_DAYS, type DayPart, type WeekDay } from '../../../src/targeting/week-hours.ts';
import { DAY_LABELS, scheduleWords } from '../../words/schedule-words.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { button } from '../parts.ts';
import { fieldGroup, type FieldOptions } from './field.ts';
import { t } from '../../words/texts.ts';

const HOURS = 24;

const timeOf = (half: number): string => `${String(half >> 1).padStart(2, '0')}:${(half & 1) === 0 ? '00' : '30'}`;

/** The parts of a schedule that are these half hours of the week: days with the same hours are one part. */
export const partsOf = (halves: ReadonlySet<number>): readonly DayPart[] => {
  const days = new Map<string, WeekDay[]>();
  WEEK_DAYS.forEach((day, at) => {
    for (let half = 0; half < HALF_HOURS_A_DAY; half++) {
      const isOn = (one: number): boolean => one < HALF_HOURS_A_DAY && one >= 0 && halves.has(at * HALF_HOURS_A_DAY + one);
      if (!isOn(half) || isOn(half - 1)) continue;
      let end = half + 1;
      while (isOn(end)) end++;
      const span = `${timeOf(half)} ${timeOf(end)}`;
      days.set(span, [...(days.get(span) ?? []), day]);
    }
  });
  return [...days].map(([span, named]) => ({ days: named, from: span.slice(0, 5), to: span.slice(6) }));
};

/** A grid of the hours of a week. A cell whose hour is chosen in part is shown so, and becomes whole or empty when it is pressed. */
export const weekField = (form: Form, options: FieldOptions): TemplateResult =>
  fieldGroup(form, options, () => {
    const parts = (form.read(options.pointer) as readonly DayPart[] | undefined) ?? [];
    const halves = new Set(halfHoursIn(parts));
    const write = (hours: readonly number[], isOn: boolean): void => {
      const next = new Set(halves);
      for (const half of hours.flatMap((hour) => [2 * hour, 2 * hour + 1])) {
        if (isOn) next.add(half);
        else next.delete(half);
      }
      form.write(options.pointer, partsOf(next));
    };
    const stateOf = (hour: number): 'true' | 'false' | 'mixed' => {
      const count = [2 * hour, 2 * hour + 1].filter((half) => halves.has(half)).length;
      return count === 2 ? 'true' : count === 0 ? 'false' : 'mixed';
    };
    const hoursOf = (day: number): readonly number[] => Array.from({ length: HOURS }, (_, hour) => day * HOURS + hour);
    const toggle = (hours: readonly number[]): void => write(hours, !hours.every((hour) => stateOf(hour) === 'true'));
    return html`<div class="week">
        <span></span>
        ${Array.from({ length: HOURS }, (_, hour) => html`<span class="week-hour" aria-hidden="true">${hour % 3 === 0 ? hour : ''}</span>`)}
        ${WEEK_DAYS.map(
          (day, at) => html`
            ${button(DAY_LABELS[day], () => toggle(hoursOf(at)), 'quiet week-day', t`All of ${DAY_LABELS[day]}`)}
            ${hoursOf(at).map(
              (hour) =>
                html`<button
                  type="button"
                  class="week-cell"
                  aria-pressed=${stateOf(hour)}
                  aria-label="${DAY_LABELS[day]} ${timeOf(2 * (hour % HOURS))}"
                  title="${DAY_LABELS[day]} ${timeOf(2 * (hour % HOURS))}"
                  @click=${() => toggle([hour])}
                ></button>`,
            )}
          `,
        )}
      </div>
      <p class="week-words">${parts.length === 0 ? t`At all hours.` : scheduleWords(parts)}</p>`;
  });
