import { closedRecord, listOf, numberOf, oneOf, optional, orNull, textOf } from '../../base/schema.ts';
import { WEEK_DAYS } from '../../targeting/week-hours.ts';
import { BUDGET_TYPES } from '../model/choices.ts';
import { field } from './field.ts';

/** The field of a publisher that says what its inventory costs before discounts. */
export const RATE_CARD = {
  rate_card: field({
    schema: listOf(
      closedRecord({
        budget_type: oneOf(BUDGET_TYPES),
        price: numberOf({
          minimum: 0,
          maximum: 100_000,
          description: 'per thousand impressions, per click or per completed view; Flat: for a day of the flight',
        }),
        placement: optional(orNull(textOf({ minLength: 1, maxLength: 128 }), { description: 'an id; null: all placements' })),
        size: optional(orNull(textOf({ pattern: '^[1-9]\\d{0,4}x[1-9]\\d{0,4}$' }), { description: 'such as 300x250; null: all sizes' })),
        days: optional(
          listOf(oneOf(WEEK_DAYS), { uniqueItems: true, description: 'of the week; empty: all. For line items that run on these only' }),
        ),
      }),
      { maxItems: 500, default: [], description: 'list prices, offered when line items are booked' },
    ),
    stored: 'json',
    form: {
      label: 'List prices',
      widget: 'rates',
      wide: true,
      help: 'Offered when a line item is booked: the price that names its placement, size and days best. A fee is for a day of the flight.',
    },
  }),
};

export const RATE_CARD_SECTION = {
  title: 'Rate card',
  text: 'What its inventory costs before discounts. A change does not touch what is booked.',
  fields: ['rate_card'],
} as const;
