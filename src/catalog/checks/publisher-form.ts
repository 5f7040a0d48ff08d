import { BLOCK_FIELDS } from './bidder-form.ts';
import type { CapsWithoutUserId, ConsentWhenSilent } from '../model/entities.ts';
import type { PublisherRecord } from '../model/records.ts';
import { ARCHIVED, blockedAdvertisers, CREATIVE_APPROVALS } from './choice-words.ts';
import type { ChoiceWords, FormDescription } from './form-description.ts';

const CONSENT_WHEN_SILENT = {
  by_country: { label: 'By country', note: 'a refusal in the EEA, the UK and Switzerland' },
  allow: { label: 'Allow', note: 'the pages ask for consent before they request ads' },
  deny: { label: 'Deny', note: 'a refusal everywhere' },
} satisfies Record<ConsentWhenSilent, ChoiceWords>;

const CAPS_WITHOUT_USER_ID = {
  contextual: { label: 'Do not serve them', note: 'only line items without a cap serve' },
  session: { label: 'Count in memory', note: 'approximate, for half an hour, and nothing is stored' },
} satisfies Record<CapsWithoutUserId, ChoiceWords>;

export const publisherForm: FormDescription<keyof PublisherRecord> = {
  sections: [
    {
      title: 'Publisher',
      text: 'A site that shows ads. It gets its own API key, which its pages send with every ad request.',
      fields: {
        name: { label: 'Name', placeholder: 'The Daily Gazette' },
        domain: { label: 'Domain', placeholder: 'gazette.example' },
        origins: {
          label: 'Web origins',
          placeholder: 'https://www.gazette.example',
          help: 'Pages of other origins get no ads with this key. https://*.gazette.example means all subdomains. Empty: pages of any origin. Servers that call without an Origin header are not affected.',
        },
        time_zone: {
          label: 'Time zone',
          placeholder: 'Europe/Berlin',
          help: 'Of the days and hours in reports. A change applies to what is counted from then on. Caps and budgets keep UTC days.',
        },
        currency: {
          label: 'Currency',
          placeholder: 'USD',
          help: 'Of statements. Prices, budgets and reports are in USD; another currency needs CURRENCY_RATES.',
        },
        creative_approval: { label: 'Approval of creatives', wide: true, choices: CREATIVE_APPROVALS },
        archived: ARCHIVED,
      },
    },
    {
      title: 'Blocked',
      text: 'Bids with any of these are refused. Direct line items are not affected.',
      fields: {
        ...BLOCK_FIELDS,
        acat: { label: 'Only these categories', wide: true, placeholder: 'IAB1', help: 'Empty: all. A bid in none of them is refused.' },
      },
    },
    blockedAdvertisers('publisher'),
    {
      title: 'Privacy',
      text: 'What applies where a request or the law leaves the choice to the publisher.',
      fields: {
        consent_when_silent: { label: 'Requests without consent signals', wide: true, choices: CONSENT_WHEN_SILENT },
        frequency_caps_without_user_id: {
          label: 'Frequency-capped line items when the user id may not be used',
          wide: true,
          choices: CAPS_WITHOUT_USER_ID,
        },
        us_opt_out_ends_frequency_caps: {
          label: 'A US opt-out ends frequency capping',
          help: 'An opt-out (US Privacy, GPP, Global Privacy Control) always ends sharing with bidders. On: it also ends frequency capping by user id.',
        },
      },
    },
  ],
};
