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
        labels: {
          label: 'Labels',
          placeholder: 'outdoor',
          help: 'Your own words to find it by. Publishers and placements can block advertisers by them.',
        },
        archived: ARCHIVED,
        contact: {
          label: 'Contact',
          placeholder: 'Ada Boots, ada@boots.example',
          help: 'For your staff. It is never part of an ad.',
        },
      },
    },
    {
      title: 'Not together',
      text: 'What one ad request never shows beside its ads. Ads of separate requests are not compared.',
      fields: {
        exclusion_labels: {
          label: 'Competes in',
          wide: true,
          placeholder: 'cars',
          help: 'A request never shows ads of two advertisers that share one of these labels.',
        },
        exclusive: { label: 'One ad at a time', wide: true, help: 'A request never shows two ads of this advertiser.' },
      },
    },
  ],
};
