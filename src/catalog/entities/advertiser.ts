import { boolean, orNull, textOf } from '../../base/schema.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { ARCHIVED, EXTERNAL_KEY, hostOrNull, ID, labels, nameSchema, texts } from './parts.ts';

export const ADVERTISER = defineEntity({
  one: 'advertiser',
  many: 'Advertisers',
  fields: {
    id: ID,
    name: {
      schema: nameSchema,
      view: ['name', 'text'],
      form: { label: 'Name', placeholder: 'Boots of the North' },
    },
    domain: {
      schema: hostOrNull('advertiser_domain of creatives that have none'),
      view: ['domain', 'textOrNull'],
      form: { label: 'Domain', placeholder: 'boots.example', help: 'Its creatives that name no advertiser domain have this one.' },
    },
    paid_by: {
      schema: orNull(textOf({ minLength: 1, maxLength: 100 }), {
        default: null,
        description: 'who pays for its ads, where it does not itself: an agency, for example. Shown where the DSA applies',
      }),
      view: ['paidBy', 'textOrNull'],
      form: {
        label: 'Paid by',
        placeholder: 'the advertiser',
        help: 'Only when another company pays for its ads. Readers are told both where the DSA applies.',
      },
    },
    categories: {
      schema: texts({ minLength: 1, maxLength: 16 }, 50, 'what it sells: ids of the IAB Content Taxonomy 3.x, such as 483 or JLBCU7'),
      view: ['categories', 'json'],
      form: { label: 'Categories', placeholder: '483', help: 'What it sells: ids of the IAB Content Taxonomy 3.x.' },
    },
    labels: {
      schema: labels('free words for staff; publishers and placements can block advertisers by them'),
      form: {
        label: 'Labels',
        placeholder: 'outdoor',
        help: 'Your own words to find it by. Publishers and placements can block advertisers by them.',
      },
    },
    exclusive: {
      schema: { ...boolean, default: false, description: 'true: an answer never has two of its ads' },
      form: { label: 'One ad at a time', wide: true, help: 'A request never shows two ads of this advertiser.' },
    },
    exclusion_labels: {
      schema: labels('what it competes in, such as cars: an answer never has ads of two advertisers that share one. In any letter case'),
      form: {
        label: 'Competes in',
        wide: true,
        placeholder: 'cars',
        help: 'A request never shows ads of two advertisers that share one of these labels.',
      },
    },
    contact: {
      schema: orNull(textOf({ minLength: 1, maxLength: 500 }), { default: null, description: 'for staff; never part of an ad' }),
      form: { label: 'Contact', placeholder: 'Ada Boots, ada@boots.example', help: 'For your staff. It is never part of an ad.' },
    },
    external_key: EXTERNAL_KEY,
    archived: { ...ARCHIVED, view: ['archived', 'flag'] },
  },
  about: 'Who pays for campaigns.',
  list: { columns: ['domain', 'labels'], searched: ['name', 'domain', 'external_key'], sorted: ['id', 'name', 'domain'] },
  sections: [
    {
      title: 'Advertiser',
      text: 'Who pays for campaigns. Its report adds up its campaigns, whichever publisher they run for.',
      fields: ['name', 'domain', 'paid_by', 'categories', 'labels', 'external_key', 'archived', 'contact'],
    },
    {
      title: 'Not together',
      text: 'What one ad request never shows beside its ads. Ads of separate requests are not compared.',
      fields: ['exclusion_labels', 'exclusive'],
    },
  ],
});
export type AdvertiserRecord = RecordOf<(typeof ADVERTISER)['fields']>;
