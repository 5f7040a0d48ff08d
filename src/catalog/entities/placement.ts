import { listOf, oneOf, orNull, recordId, textOf } from '../../base/schema.ts';
import { CREATIVE_FORMAT_WORDS, CREATIVE_FORMATS } from '../model/choices.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { amount, ARCHIVED, BLOCKED_ADVERTISERS, blockedAdvertisers, EXTERNAL_KEY, pixels } from './parts.ts';

export const placementIdSchema = textOf({ minLength: 1, maxLength: 128 });

export const PLACEMENT = defineEntity({
  one: 'placement',
  many: 'Placements',
  fields: {
    id: {
      schema: placementIdSchema,
      view: ['id', 'text'],
      fixed: 'at creation',
      form: { label: 'Id', placeholder: 'article-top', help: 'Pages send it as imp.tagid. It cannot be changed later.' },
    },
    publisher_id: {
      schema: orNull(recordId, { default: null, description: 'null: open to every publisher' }),
      parent: 'publishers',
      view: ['publisherId', 'integerOrNull'],
      form: { label: 'Publisher', placeholder: 'Open to all publishers' },
    },
    width: { schema: pixels, view: ['width', 'integer'], form: { label: 'Width', unit: 'px', placeholder: '300' } },
    height: { schema: pixels, view: ['height', 'integer'], form: { label: 'Height', unit: 'px', placeholder: '250' } },
    formats: {
      schema: listOf(oneOf(CREATIVE_FORMATS), { minItems: 1, uniqueItems: true }),
      choices: CREATIVE_FORMAT_WORDS,
      view: ['formats', 'json'],
      form: { label: 'Formats', wide: true, initial: ['html', 'banner'] },
    },
    floor: {
      schema: amount('USD per thousand impressions: the lowest bid of a bidder; null: any', 1_000),
      stored: 'micros',
      view: ['floorMicros', 'integer', 0],
      form: {
        label: 'Floor',
        placeholder: 'none',
        help: 'The lowest CPM that a bidder may bid. Direct line items are not affected.',
      },
    },
    ...BLOCKED_ADVERTISERS,
    external_key: EXTERNAL_KEY,
    archived: { ...ARCHIVED, view: ['archived', 'flag'] },
  },
  about: 'Places for ads on pages.',
  list: { columns: ['formats', 'publisher_id'], searched: ['id', 'size', 'external_key'], sorted: ['id', 'size', 'publisher_id'] },
  sections: [
    {
      title: 'Placement',
      text: 'A place for ads on a page. Pages request ads by its id.',
      fields: ['id', 'publisher_id', 'width', 'height', 'formats', 'floor', 'external_key', 'archived'],
    },
    blockedAdvertisers('placement'),
  ],
});
export type PlacementRecord = RecordOf<(typeof PLACEMENT)['fields']>;
