import { boolean, orNull, recordId } from '../../base/schema.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
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
      schema: amount('USD; bounds the sum of its line items; null: no bound'),
      stored: 'micros',
      view: ['budgetMicros', 'numberOrNull'],
      form: { label: 'Budget', placeholder: 'no limit', help: 'Limits the sum of its line items.' },
    },
    daily_budget: {
      schema: amount('USD a day; bounds the sum of its line items; null: no bound'),
      stored: 'micros',
      view: ['dailyBudgetMicros', 'numberOrNull'],
      form: { label: 'Daily budget', placeholder: 'no limit', unit: 'a day', help: 'Limits the sum of its line items on each day.' },
    },
    external_key: EXTERNAL_KEY,
    archived: ARCHIVED,
  },
  about: 'Bookings: one publisher, one flight, one budget.',
  list: {
    columns: ['publisher_id', 'advertiser_id', 'budget'],
    searched: ['name', 'external_key'],
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
        'active',
        'external_key',
        'archived',
      ],
    },
  ],
});
export type CampaignRecord = RecordOf<(typeof CAMPAIGN)['fields']>;
