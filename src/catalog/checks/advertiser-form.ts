import type { AdvertiserRecord } from '../model/records.ts';
import { ARCHIVED } from './choice-words.ts';
import type { FormDescription } from './form-description.ts';

export const advertiserForm: FormDescription<keyof AdvertiserRecord> = {
  sections: [
    {
      title: 'Advertiser',
      text: 'Who pays for campaigns. Its report adds up its campaigns, whichever publisher they run for.',
      fields: {
        name: { label: 'Name', placeholder: 'Boots of the North' },
        domain: {
          label: 'Domain',
          placeholder: 'boots.example',
          help: 'Its creatives that name no advertiser domain have this one.',
        },
        paid_by: {
          label: 'Paid by',
          placeholder: 'the advertiser',
          help: 'Only when another company pays for its ads. Readers are told both where the DSA applies.',
        },
        categories: {
          label: 'Categories',
          placeholder: '483',
          help: 'What it sells: ids of the IAB Content Taxonomy 3.x.',
        },
        labels: { label: 'Labels', placeholder: 'outdoor', help: 'Words of your own to find it by.' },
        archived: ARCHIVED,
        contact: {
          label: 'Contact',
          wide: true,
          placeholder: 'Ada Boots, ada@boots.example',
          help: 'For your staff. It is never part of an ad.',
        },
      },
    },
  ],
};
