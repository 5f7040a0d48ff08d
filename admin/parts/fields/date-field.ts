import { html, type TemplateResult } from 'lit-html';
import { textOf } from '../../bookings/forms/typed-text.ts';
import type { Form } from '../../bookings/forms/form.ts';
import { field, type FieldOptions } from './field.ts';
import { input } from './input.ts';
import { t } from '../../words/texts.ts';

/** A flight date: a day, with a UTC time if the flight does not begin or end with the day. */
export const dateField = (form: Form, options: FieldOptions): TemplateResult =>
  field(form, options, (control) => {
    const { day, time } = splitMoment(textOf(form.read(options.pointer)));
    const write = (next: { readonly day: string; readonly time: string }) => form.write(options.pointer, joinMoment(next));
    return html`<div class="date-and-time">
      ${input({ control, type: 'date', value: day, required: options.required, onChange: (typed) => write({ day: typed, time }) })}
      ${
        time === ''
          ? html`<button type="button" class="quiet" ?disabled=${day === ''} @click=${() => write({ day, time: '00:00:00' })}>
              ${t`Set a time`}
            </button>`
          : input({
              type: 'time',
              label: t`${options.label}: time in UTC`,
              title: t`In UTC. Empty: the whole day.`,
              value: time,
              onChange: (typed) => write({ day, time: typed }),
            })
      }
    </div>`;
  });

/** Any RFC 3339 moment as a UTC day and time; a bare date has no time. */
const splitMoment = (text: string): { readonly day: string; readonly time: string } => {
  if (text.length <= 10) return { day: text, time: '' };
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return { day: '', time: '' };
  const [day = '', time = ''] = at.toISOString().split('T');
  return { day, time: time.replace(/(\.000)?Z$/, '') };
};

const joinMoment = ({ day, time }: { readonly day: string; readonly time: string }): string => {
  if (day === '' || time === '') return day;
  return `${day}T${time.length === 5 ? `${time}:00` : time}Z`;
};
