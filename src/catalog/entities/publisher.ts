import { boolean, integerOf, listOf, orNull, text, textOf } from '../../base/schema.ts';
import { CAPS_WITHOUT_USER_ID_WORDS, CONSENT_WHEN_SILENT_WORDS, CREATIVE_APPROVAL_WORDS } from '../model/choices.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import {
  amount,
  ARCHIVED,
  BLOCK_LISTS,
  BLOCKED_ADVERTISERS,
  blockedAdvertisers,
  chosen,
  EXTERNAL_KEY,
  ID,
  nameSchema,
  texts,
  url,
} from './parts.ts';
import { RATE_CARD, RATE_CARD_SECTION } from './rate-card.ts';

export const PUBLISHER = defineEntity({
  one: 'publisher',
  many: 'Publishers',
  fields: {
    id: ID,
    name: {
      schema: nameSchema,
      view: ['name', 'text'],
      form: { label: 'Name', placeholder: 'The Daily Gazette' },
    },
    domain: {
      schema: textOf({ minLength: 1, maxLength: 253 }),
      view: ['domain', 'text'],
      form: { label: 'Domain', placeholder: 'gazette.example' },
    },
    logo: {
      schema: {
        ...orNull(url, { default: null }),
        description: 'the address of a picture for reports that advertisers see; null: its name alone',
      },
      form: { label: 'Logo', placeholder: 'https://…', help: 'A picture for the reports that you share with advertisers.' },
    },
    origins: {
      schema: listOf(textOf({ format: 'origin', maxLength: 300 }), {
        maxItems: 50,
        default: [],
        description:
          'web origins whose pages may request ads (https://news.example; https://*.news.example: its subdomains); empty: any. Requests without an Origin header are not affected',
      }),
      form: {
        label: 'Web origins',
        placeholder: 'https://www.gazette.example',
        help: 'Pages of other origins get no ads with this key. https://*.gazette.example means all subdomains. Empty: pages of any origin. Servers that call without an Origin header are not affected.',
      },
    },
    one_per_advertiser: {
      schema: { ...boolean, default: false, description: 'true: a page has one ad of each advertiser at most' },
      view: ['onePerAdvertiser', 'flag'],
      form: {
        label: 'One ad of each advertiser a page',
        help: 'A page never shows two ads of one advertiser. Campaigns whose advertiser is not known are not compared.',
      },
    },
    dynamic_allocation: {
      schema: {
        ...boolean,
        default: false,
        description:
          'true: a bidder may win over a standard line item that is ahead of its goal, by a bid above the price of not being shown',
      },
      view: ['dynamicAllocation', 'flag'],
      form: {
        label: 'Dynamic allocation',
        help: 'A bidder may win over a line item of the class Standard that is ahead of its goal, by a bid above its price of not being shown. Never over one that is behind.',
      },
    },
    consent_when_silent: {
      ...chosen(CONSENT_WHEN_SILENT_WORDS, {
        default: 'by_country',
        description: 'what a request without consent signals means; by_country: a refusal in the EEA, the United Kingdom and Switzerland',
      }),
      form: { label: 'Requests without consent signals', wide: true },
    },
    us_opt_out_ends_frequency_caps: {
      schema: {
        ...boolean,
        default: false,
        description: 'an opt-out under a US law forbids sharing with bidders; true: it ends frequency capping by user id too',
      },
      column: 'us_opt_out_ends_caps',
      form: {
        label: 'A US opt-out ends frequency capping',
        help: 'An opt-out (US Privacy, GPP, Global Privacy Control) always ends sharing with bidders. On: it also ends frequency capping by user id.',
      },
    },
    frequency_caps_without_user_id: {
      ...chosen(CAPS_WITHOUT_USER_ID_WORDS, {
        default: 'contextual',
        description:
          'when the user id may not be used; contextual: line items with a frequency cap do not serve; session: each replica counts in memory, and stores nothing',
      }),
      column: 'caps_without_user_id',
      form: { label: 'Frequency-capped line items when the user id may not be used', wide: true },
    },
    ...BLOCK_LISTS,
    acat: {
      schema: texts({ minLength: 1, maxLength: 32 }, 500, 'the only categories that are accepted, in the taxonomy cattax; empty: all'),
      stored: 'json',
      form: { label: 'Only these categories', wide: true, placeholder: 'IAB1', help: 'Empty: all. A bid in none of them is refused.' },
    },
    ...BLOCKED_ADVERTISERS,
    creative_approval: {
      ...chosen(CREATIVE_APPROVAL_WORDS, {
        default: 'automatic',
        description: 'required: a creative that is new, or shows something else than before, is pending until it is approved',
      }),
      form: { label: 'Approval of creatives', wide: true },
    },
    time_zone: {
      schema: textOf({
        format: 'time-zone',
        maxLength: 64,
        default: 'UTC',
        description:
          'IANA name, such as Europe/Berlin: the days of caps, pacing, goals and reports, and the hours of schedules; a change applies to what is counted from then on',
      }),
      view: ['timeZone', 'text'],
      form: {
        label: 'Time zone',
        placeholder: 'Europe/Berlin',
        help: 'Of the days of caps, pacing and goals, of the days and hours in reports, and of the hours at which line items serve. A change applies to what is counted from then on.',
      },
    },
    currency: {
      schema: textOf({
        format: 'currency',
        maxLength: 3,
        default: 'USD',
        description:
          'ISO 4217, such as EUR: the currency of all its money: prices, budgets, floors, bids, answers, reports and statements. Fixed once anything is booked',
      }),
      view: ['currency', 'text'],
      form: {
        label: 'Currency',
        placeholder: 'USD',
        help: 'Of all prices, budgets, floors, bids, reports and statements. It cannot change once a campaign is booked. Bids in other currencies need an exchange rate, set in the configuration of the ad server.',
      },
    },
    statement_currency: {
      schema: orNull(textOf({ format: 'currency', maxLength: 3 }), {
        default: null,
        description: 'ISO 4217: statements have their amounts in it too, at the rate of the day; null: in the currency alone',
      }),
      form: {
        label: 'Currency of statements',
        placeholder: 'the same',
        help: 'Statements show amounts in this currency too. It needs an exchange rate, set in the configuration of the ad server. Empty: the currency of the publisher alone.',
      },
    },
    ...RATE_CARD,
    approval_price_below: {
      schema: amount('a lower price needs a second person; null: none does'),
      stored: 'micros',
      form: { label: 'A price below', placeholder: 'no second person' },
    },
    approval_discount_over: {
      schema: orNull(integerOf({ minimum: 0, maximum: 100 }), {
        default: null,
        description: 'per cent: a price that falls by more needs a second person; null: none does',
      }),
      form: { label: 'A discount of more than, in per cent', placeholder: 'no second person' },
    },
    approval_budget_above: {
      schema: amount('a higher budget needs a second person; null: none does'),
      stored: 'micros',
      form: { label: 'A budget above', placeholder: 'no second person' },
    },
    approval_of_priority_1: {
      schema: { ...boolean, default: false, description: 'whether priority 1 needs a second person' },
      form: { label: 'Priority 1' },
    },
    approval_of_closing: {
      schema: { ...boolean, default: false, description: 'whether the close of a month needs a second person' },
      form: { label: 'Closing a month' },
    },
    approval_of_unblocking: {
      schema: { ...boolean, default: false, description: 'whether unblocking a creative needs a second person' },
      form: { label: 'Unblocking a creative' },
    },
    approval_of_media_buys: {
      schema: { ...boolean, default: true, description: 'whether what agents buy needs a second person' },
      form: { label: 'What agents buy' },
    },
    external_key: EXTERNAL_KEY,
    archived: { ...ARCHIVED, view: ['archived', 'flag'] },
  },
  about: 'Sites that show ads. Each has its own API key.',
  list: { columns: ['domain'], searched: ['name', 'domain', 'external_key'], sorted: ['id', 'name', 'domain'] },
  sections: [
    {
      title: 'Publisher',
      text: 'A site that shows ads. It gets its own API key, which its pages send with every ad request.',
      fields: [
        'name',
        'domain',
        'logo',
        'origins',
        'time_zone',
        'currency',
        'statement_currency',
        'one_per_advertiser',
        'dynamic_allocation',
        'creative_approval',
        'external_key',
        'archived',
      ],
    },
    {
      title: 'Blocked',
      text: 'Bids with any of these are refused. Direct line items are not affected.',
      fields: ['badv', 'bcat', 'cattax', 'battr', 'acat'],
    },
    blockedAdvertisers('publisher'),
    RATE_CARD_SECTION,
    {
      title: 'A second person',
      text: 'What someone else than who proposes it must approve. Pausing never waits.',
      fields: [
        'approval_price_below',
        'approval_discount_over',
        'approval_budget_above',
        'approval_of_priority_1',
        'approval_of_closing',
        'approval_of_unblocking',
        'approval_of_media_buys',
      ],
    },
    {
      title: 'Privacy',
      text: 'What applies where a request or the law leaves the choice to the publisher.',
      fields: ['consent_when_silent', 'frequency_caps_without_user_id', 'us_opt_out_ends_frequency_caps'],
    },
  ],
  answered: {
    api_key: { ...text, description: 'The whole key. Returned only on creation and by rotate_key; the server stores a hash.' },
    api_key_hint: { ...text, description: 'The last four characters of the key' },
  },
  columns: ['api_key_hash', 'api_key_hint'],
});
export type PublisherRecord = RecordOf<(typeof PUBLISHER)['fields']>;
