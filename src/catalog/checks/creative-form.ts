import type { CreativeRecord } from '../model/records.ts';
import { ARCHIVED, CREATIVE_STATUSES, FORMATS } from './choice-words.ts';
import type { FormDescription } from './form-description.ts';

export const creativeForm: FormDescription<keyof CreativeRecord> = {
  sections: [
    {
      title: 'Where it runs',
      fields: {
        name: { label: 'Name', wide: true, placeholder: 'Boots, 300 × 250, red' },
        line_item_id: { label: 'Line item', wide: true, parent: 'line_items' },
        placement_ids: {
          label: 'Placements',
          itemLabel: 'Placement',
          parent: 'placements',
          required: true,
          wide: true,
          help: 'Where it may be shown. Each has to allow its format, and it is shown where its size fits.',
        },
        format: { label: 'Format', widget: 'creative-format', wide: true, choices: FORMATS, initial: 'html' },
      },
    },
    { title: 'Content', fields: { content: { label: 'Content', widget: 'creative-content' } } },
    {
      title: 'Advertiser',
      fields: {
        click_url: {
          label: 'Click address',
          placeholder: 'https://…',
          help: 'Where a click leads. Empty: clicks are counted and follow the creative’s own link.',
        },
        advertiser_domain: {
          label: 'Advertiser domain',
          placeholder: 'advertiser.example',
          help: 'Shown to pages and in reports. Empty: that of its advertiser.',
        },
        width: { label: 'Own width', unit: 'px', placeholder: 'any', help: 'A creative with its own size runs only where it fits.' },
        height: { label: 'Own height', unit: 'px', placeholder: 'any' },
        archived: ARCHIVED,
      },
    },
    {
      title: 'Delivery',
      fields: {
        status: { label: 'Status', wide: true, choices: CREATIVE_STATUSES },
        weight: {
          label: 'Weight',
          help: 'Creatives of a line item with weighted rotation share its impressions by weight: one of weight 3 is shown three times as often as one of weight 1.',
        },
      },
    },
  ],
};
