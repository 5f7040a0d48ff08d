import { boolean, orNull, recordId, textOf } from '../../base/schema.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { SCREENSHOTS } from './page-pictures.ts';
import { amount, ARCHIVED, END_DATE, EXTERNAL_KEY, ID, nameSchema, START_DATE } from './parts.ts';

export const CAMPAIGN = defineEntity({
  one: 'campaign',
  many: 'Campaigns',
  fields: {
    id: ID,
    publisher_id: {
      schema: recordId,
      parent: 'publishers',
      fixed: 'once served',
      view: ['publisherId', 'owner'],
      form: { label: 'Publisher' },
    },
    advertiser_id: {
      schema: orNull(recordId, { default: null, description: 'who pays; null: not known' }),
      parent: 'advertisers',
      view: ['advertiserId', 'integerOrNull'],
      form: { label: 'Advertiser', placeholder: 'Not known' },
    },
    name: {
      schema: nameSchema,
      view: ['name', 'text'],
      form: { label: 'Name', wide: true, placeholder: 'Spring sale' },
    },
    active: {
      schema: { ...boolean, default: true, description: 'false: none of its line items serves' },
      form: { label: 'Active', initial: true, help: 'Off: paused. None of its line items serves.' },
    },
    start_date: START_DATE,
    end_date: END_DATE,
    budget: {
      schema: amount('bounds the sum of its line items; null: no bound'),
      stored: 'micros',
      view: ['budgetMicros', 'numberOrNull'],
      form: { label: 'Budget', placeholder: 'no limit', help: 'Limits the sum of its line items.' },
    },
    daily_budget: {
      schema: amount('a day; bounds the sum of its line items; null: no bound'),
      stored: 'micros',
      view: ['dailyBudgetMicros', 'numberOrNull'],
      form: { label: 'Daily budget', placeholder: 'no limit', unit: 'a day', help: 'Limits the sum of its line items on each day.' },
    },
    contact: {
      schema: orNull(textOf({ minLength: 1, maxLength: 500 }), {
        default: null,
        description: 'of the client, for staff; never part of an ad',
      }),
      form: { label: 'Contact', placeholder: 'that of its advertiser', help: 'Whom to ask about this booking. For your staff.' },
    },
    order_number: {
      schema: orNull(textOf({ minLength: 1, maxLength: 64 }), { default: null, description: 'of the client, as it is on the invoice' }),
      form: { label: 'Order number', placeholder: 'none', help: 'Of the client. It is on the invoice.' },
    },
    screenshots: {
      schema: SCREENSHOTS,
      stored: 'json',
      form: {
        label: 'Screenshots',
        widget: 'screenshots',
        wide: true,
        help: 'Pictures of its ads on the pages. Reports that you share with the advertiser show them.',
      },
    },
    external_key: EXTERNAL_KEY,
    archived: ARCHIVED,
  },
  about: 'Bookings: one publisher, one flight, one budget.',
  list: {
    columns: ['publisher_id', 'advertiser_id', 'budget'],
    searched: ['name', 'order_number', 'external_key'],
    sorted: ['id', 'name', 'start_date', 'end_date', 'status', 'budget', 'publisher_id', 'advertiser_id'],
    together: ['end_date', 'budget'],
  },
  sections: [
    {
      title: 'Campaign',
      text: 'Holds line items together: one publisher, one flight, one budget.',
      fields: [
        'name',
        'publisher_id',
        'advertiser_id',
        'start_date',
        'end_date',
        'budget',
        'daily_budget',
        'contact',
        'order_number',
        'active',
        'screenshots',
        'external_key',
        'archived',
      ],
    },
  ],
});
export type CampaignRecord = RecordOf<(typeof CAMPAIGN)['fields']>;
