import { closedRecord, listOf, oneOf, textOf } from '../../base/schema.ts';
import { WEEK_DAYS } from '../../targeting/week-hours.ts';
import { SCHEDULE_ZONE_WORDS } from '../model/choices.ts';
import { field } from './field.ts';
import { chosen } from './parts.ts';

const halfHour = (description: string) => textOf({ format: 'half-hour', maxLength: 5, description });

/** When a line item serves. */
export const SCHEDULE = {
  schedule: field({
    schema: listOf(
      closedRecord({
        days: listOf(oneOf(WEEK_DAYS), { minItems: 1, uniqueItems: true }),
        from: halfHour('a full or half hour, such as 08:30'),
        to: halfHour('until before it; 24:00 is the end of the day'),
      }),
      { maxItems: 50, default: [], description: 'the hours of the week at which it serves; empty: all of them' },
    ),
    stored: 'json',
    form: {
      label: 'Hours',
      widget: 'week',
      wide: true,
      help: 'Choose the hours at which it serves; none chosen: all of them. Even pacing and goals are spread over these hours.',
    },
  }),
  schedule_zone: field({
    ...chosen(SCHEDULE_ZONE_WORDS, {
      default: 'publisher',
      description: 'whose clock the schedule means; a visitor whose clock is unknown (device.geo.utcoffset) has the publisher’s',
    }),
    form: { label: 'On the clock of', wide: true },
  }),
};
