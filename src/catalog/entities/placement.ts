import { closedRecord, integerOf, listOf, numberOf, oneOf, optional, orNull, recordId, textOf } from '../../base/schema.ts';
import { CREATIVE_FORMAT_WORDS, CREATIVE_FORMATS } from '../model/choices.ts';
import { SKIP_RULES, VAST_VERSIONS, MAX_POD_ADS, VIDEO_POSITIONS } from '../model/video-rules.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { PAGE_PICTURES } from './page-pictures.ts';
import { amount, ARCHIVED, BLOCKED_ADVERTISERS, blockedAdvertisers, EXTERNAL_KEY, pixels, url } from './parts.ts';

export const placementIdSchema = textOf({ minLength: 1, maxLength: 128 });

const MAX_SECONDS = 3_600;
const SECONDS = integerOf({ minimum: 1, maximum: MAX_SECONDS });
const MAX_BREAKS = 50;
const POD = {
  max_ads: integerOf({ minimum: 1, maximum: MAX_POD_ADS, description: 'ads that play one after the other' }),
  max_duration: integerOf({ minimum: 1, maximum: MAX_SECONDS, description: 'seconds, of all together' }),
};
/** VMAP 1.0.1, timeOffset. */
const BREAK_PATTERN = '^(start|end|\\d{2}:[0-5]\\d:[0-5]\\d(\\.\\d{3})?|(\\d{1,2}|100)%|#[1-9]\\d?)$';
const BREAK_WORDS = 'start, end, a time such as 00:10:00, a part of the film such as 25%, or #2, its second opportunity';

export const PLACEMENT = defineEntity({
  one: 'placement',
  many: 'Placements',
  fields: {
    id: {
      schema: placementIdSchema,
      view: ['id', 'text'],
      fixed: 'at creation',
      form: { label: 'Id', placeholder: 'article-top', help: 'The tags of pages name it. It cannot be changed later.' },
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
      schema: amount(
        'per thousand impressions, in the currency of the publisher that asks: the lowest bid of a bidder; null: any',
        100_000,
      ),
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
          durations: optional(
            listOf(SECONDS, { maxItems: 10, uniqueItems: true, description: 'lengths of which an ad has one; empty: any' }),
          ),
          mimes: optional(listOf(textOf({ minLength: 1, maxLength: 64 }), { maxItems: 20, uniqueItems: true })),
          vast: optional(oneOf(VAST_VERSIONS, { description: 'the version of VAST that the player reads, unless its tag says it' })),
          min_cpm_per_second: optional(
            numberOf({
              minimum: 0,
              maximum: 1_000,
              description:
                'per thousand impressions for each second, in the currency of the publisher that asks: the lowest bid of a bidder',
            }),
          ),
          pod: optional(closedRecord(POD)),
          breaks: optional(
            listOf(closedRecord({ at: textOf({ pattern: BREAK_PATTERN, description: BREAK_WORDS }), ...POD }), {
              minItems: 1,
              maxItems: MAX_BREAKS,
            }),
          ),
        }),
        { default: null, description: 'what the player takes, of video and audio; null: any' },
      ),
      stored: 'json',
      view: ['video', 'json'],
      form: {
        label: 'Player',
        widget: 'player',
        wide: true,
        help: 'Ads that the player does not take are not served there.',
      },
    },
    page_url: {
      schema: {
        ...orNull(url, { default: null }),
        description: 'a page that has its tag: previews show ads on the page itself; null: none is named',
      },
      form: {
        label: 'A page that shows it',
        placeholder: 'https://www.gazette.example/news/an-article',
        help: 'Previews of ads are also shown on this page itself, in the slot of its tag. Nothing is counted there.',
      },
    },
    page_pictures: {
      schema: PAGE_PICTURES,
      stored: 'json',
      form: {
        label: 'Pictures of its page',
        widget: 'page-pictures',
        wide: true,
        help: 'Previews of ads are drawn on them, here and for advertisers. Without one a sketch takes its place.',
      },
    },
    ...BLOCKED_ADVERTISERS,
    revive_zone_id: {
      schema: orNull(recordId, {
        default: null,
        description:
          'the zone of Revive Adserver whose tags, /www/delivery/…?zoneid=12, it answers; no two placements have the same; null: none',
      }),
      view: ['reviveZoneId', 'integerOrNull'],
      form: {
        label: 'Zone in Revive',
        placeholder: 'none',
        help: 'Pages with the tags of this zone of Revive Adserver get the ads of this placement. An import sets it.',
      },
    },
    external_key: EXTERNAL_KEY,
    archived: { ...ARCHIVED, view: ['archived', 'flag'] },
  },
  about: 'Places for ads on pages.',
  list: { columns: ['formats', 'publisher_id'], searched: ['id', 'size', 'external_key'], sorted: ['id', 'size', 'publisher_id'] },
  sections: [
    {
      title: 'Placement',
      text: 'A place for ads on a page. Pages request ads by its id.',
      fields: [
        'id',
        'publisher_id',
        'width',
        'height',
        'formats',
        'video',
        'floor',
        'page_url',
        'page_pictures',
        'revive_zone_id',
        'external_key',
        'archived',
      ],
    },
    blockedAdvertisers('placement'),
  ],
});
export type PlacementRecord = RecordOf<(typeof PLACEMENT)['fields']>;
