import { closedRecord, integerOf, listOf, oneOf, optional, orNull, recordId, textOf } from '../../base/schema.ts';
import { CREATIVE_FORMAT_WORDS, CREATIVE_FORMATS } from '../model/choices.ts';
import { SKIP_RULES, VIDEO_POSITIONS } from '../model/video-rules.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { amount, ARCHIVED, BLOCKED_ADVERTISERS, blockedAdvertisers, EXTERNAL_KEY, pixels } from './parts.ts';

export const placementIdSchema = textOf({ minLength: 1, maxLength: 128 });

const MAX_SECONDS = 3_600;

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
      schema: amount('per thousand impressions, in the currency of the publisher that asks: the lowest bid of a bidder; null: any', 100_000),
      stored: 'micros',
      view: ['floorMicros', 'integer', 0],
      form: {
        label: 'Floor',
        placeholder: 'none',
        help: 'The lowest CPM that a bidder may bid. Direct line items are not affected.',
      },
    },
    video: {
      schema: orNull(
        closedRecord({
          position: optional(oneOf(VIDEO_POSITIONS)),
          min_duration: optional(integerOf({ minimum: 0, maximum: MAX_SECONDS, description: 'seconds' })),
          max_duration: optional(integerOf({ minimum: 1, maximum: MAX_SECONDS, description: 'seconds' })),
          skip: optional(oneOf(SKIP_RULES, { description: 'whether an ad has to be skippable' })),
          mimes: optional(listOf(textOf({ minLength: 1, maxLength: 64 }), { maxItems: 20, uniqueItems: true })),
        }),
        { default: null, description: 'what the player takes, of video and audio; null: any' },
      ),
      stored: 'json',
      view: ['video', 'json'],
      form: {
        label: 'Player',
        widget: 'json',
        wide: true,
        placeholder: '{"position": "pre", "max_duration": 30, "skip": "allowed", "mimes": ["video/mp4"]}',
        help: 'Of a placement for video or audio: which ads its player takes. Ads that it does not take are not served there.',
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
      fields: ['id', 'publisher_id', 'width', 'height', 'formats', 'video', 'floor', 'external_key', 'archived'],
    },
    blockedAdvertisers('placement'),
  ],
});
export type PlacementRecord = RecordOf<(typeof PLACEMENT)['fields']>;
