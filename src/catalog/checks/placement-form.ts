import type { PlacementRecord } from '../model/records.ts';
import { ARCHIVED, blockedAdvertisers, FORMATS } from './choice-words.ts';
import type { FormDescription } from './form-description.ts';

export const placementForm: FormDescription<keyof PlacementRecord> = {
  sections: [
    {
      title: 'Placement',
      text: 'A place for ads on a page. Pages request ads by its id.',
      fields: {
        id: {
          label: 'Id',
          placeholder: 'article-top',
          createOnly: true,
          help: 'Pages send it as imp.tagid. It cannot be changed later.',
        },
        publisher_id: { label: 'Publisher', parent: 'publishers', placeholder: 'Open to all publishers' },
        width: { label: 'Width', unit: 'px', placeholder: '300' },
        height: { label: 'Height', unit: 'px', placeholder: '250' },
        formats: { label: 'Formats', wide: true, choices: FORMATS, initial: ['html', 'banner'] },
        floor: {
          label: 'Floor',
          widget: 'money',
          placeholder: 'none',
          help: 'The lowest CPM that a bidder may bid. Direct line items are not affected.',
        },
        archived: ARCHIVED,
      },
    },
    blockedAdvertisers('placement'),
  ],
};
