import * as s from '../../base/schema.ts';
import { CREATIVE_FORMAT_WORDS, CREATIVE_STATUS_WORDS } from '../model/choices.ts';
import { defineEntity } from './define-entity.ts';
import type { RecordOf } from './field.ts';
import { ARCHIVED, chosen, EXTERNAL_KEY, ID, pixels, url } from './parts.ts';
import { placementIdSchema } from './placement.ts';

export const MAX_PLACEMENTS_OF_CREATIVE = 100;
/**
 * In UTF-16 units. One answer carries the markup of up to 20 impressions, so a creative must be
 * small.
 */
export const MAX_CONTENT_LENGTH = 256 * 1024;

export const CREATIVE = defineEntity({
  one: 'creative',
  many: 'Creatives',
  fields: {
    id: ID,
    name: {
      schema: s.textOf({ maxLength: 256, default: '' }),
      form: { label: 'Name', wide: true, placeholder: 'Boots, 300 × 250, red' },
    },
    placement_id: {
      schema: {
        ...placementIdSchema,
        description: 'the first of placement_ids; on a write, the short form of a list of one',
      },
      absent: 'implied',
      parent: 'placements',
    },
    placement_ids: {
      schema: s.listOf(placementIdSchema, {
        minItems: 1,
        maxItems: MAX_PLACEMENTS_OF_CREATIVE,
        uniqueItems: true,
        description: 'where it may be shown',
      }),
      absent: 'implied',
      parent: 'placements',
      column: null,
      view: ['placementIds', 'repeated'],
      form: {
        label: 'Placements',
        itemLabel: 'Placement',
        required: true,
        wide: true,
        help: 'Where it may be shown. Each has to allow its format, and it is shown where its size fits.',
      },
    },
    follows_line_item: {
      schema: {
        ...s.boolean,
        default: false,
        description:
          'true: its placements are those of its line item that it fits, and change with them. A new creative that names none follows',
      },
      form: {
        label: 'On the placements of its line item',
        when: { follows_line_item: ['true'] },
        keptWhileHidden: true,
        help: 'Off: it keeps the placements below, whatever becomes of those of its line item.',
      },
    },
    line_item_id: {
      schema: s.recordId,
      parent: 'line_items',
      fixed: 'once served',
      view: ['lineItemId', 'owner'],
      form: { label: 'Line item', wide: true },
    },
    format: {
      ...chosen(CREATIVE_FORMAT_WORDS),
      form: { label: 'Format', widget: 'creative-format', wide: true, initial: 'html' },
    },
    content: {
      schema: s.textOf({
        maxLength: MAX_CONTENT_LENGTH,
        description: 'markup or the JSON text of assets, as the format requires; its length is counted in UTF-16 units',
      }),
      form: { label: 'Content', widget: 'creative-content' },
    },
    advertiser_domain: {
      schema: s.orNull(s.textOf({ minLength: 1, maxLength: 253 }), { default: null, description: 'null: that of its advertiser' }),
      view: ['advertiserDomain', 'textOrNull'],
      form: {
        label: 'Advertiser domain',
        placeholder: 'advertiser.example',
        help: 'Shown to pages and in reports. Empty: that of its advertiser.',
      },
    },
    width: {
      schema: s.orNull(pixels, { default: null }),
      view: ['width', 'integerOrNull'],
      form: { label: 'Own width', unit: 'px', placeholder: 'any', help: 'A creative with its own size runs only where it fits.' },
    },
    height: {
      schema: s.orNull(pixels, { default: null }),
      view: ['height', 'integerOrNull'],
      form: { label: 'Own height', unit: 'px', placeholder: 'any' },
    },
    click_url: {
      schema: s.orNull(url, { default: null }),
      view: ['clickUrl', 'textOrNull'],
      form: {
        label: 'Click address',
        placeholder: 'https://…',
        help: 'Where a click leads. Empty: clicks are counted and follow the creative’s own link.',
      },
    },
    status: {
      ...chosen(CREATIVE_STATUS_WORDS, { default: 'approved', description: 'only an approved creative serves' }),
      form: { label: 'Status', wide: true },
    },
    weight: {
      schema: s.integerOf({
        minimum: 1,
        maximum: 1000,
        default: 1,
        description:
          'its share of the impressions of its line item, relative to the weights of the other creatives, where its rotation is weighted',
      }),
      view: ['weight', 'integer'],
      form: {
        label: 'Weight',
        help: 'Creatives of a line item with weighted rotation share its impressions by weight: one of weight 3 is shown three times as often as one of weight 1.',
      },
    },
    step: {
      schema: s.orNull(s.integerOf({ minimum: 1, maximum: 100 }), {
        default: null,
        description: 'its place in the sequence of its line item, where the rotation is sequence; null: after those with a step, by id',
      }),
      view: ['step', 'integerOrNull'],
      form: {
        label: 'Step',
        placeholder: 'by its age',
        help: 'Its place in the sequence of its line item, where the rotation is a sequence. The same step: one of them, in turn.',
      },
    },
    companion_set: {
      schema: s.orNull(s.textOf({ minLength: 1, maxLength: 64 }), {
        default: null,
        description:
          'of a roadblock: the creatives of one set are shown together on a page, each on its placement, or none is; null: it goes with any set',
      }),
      view: ['companionSet', 'textOrNull'],
      form: {
        label: 'Companion set',
        placeholder: 'goes with any',
        help: 'Of a roadblock: a main ad and its companions have the same name here. They are shown together on a page, or not at all.',
      },
    },
    external_key: EXTERNAL_KEY,
    archived: ARCHIVED,
  },
  about: 'The ads that line items show.',
  list: {
    columns: ['format', 'line_item_id', 'status'],
    searched: ['name', 'advertiser_domain', 'placement_id', 'format', 'external_key'],
    sorted: ['id', 'name', 'format', 'status', 'line_item_id'],
    filtered: ['status', 'format'],
  },
  sections: [
    { title: 'Where it runs', fields: ['name', 'line_item_id', 'follows_line_item', 'placement_ids', 'format', 'external_key'] },
    { title: 'Content', fields: ['content'] },
    { title: 'Advertiser', fields: ['click_url', 'advertiser_domain', 'width', 'height', 'archived'] },
    { title: 'Delivery', fields: ['status', 'weight', 'step', 'companion_set'] },
  ],
  answered: {
    blocked_at: s.orNull(s.moment, { description: 'When the creative was blocked; null: it is not blocked' }),
    warnings: s.listOf(s.record({ pointer: s.text, detail: s.text }), {
      description: 'In the answer to a write: what was accepted, and is probably not meant',
    }),
  },
  columns: ['more_placement_ids', 'blocked_at'],
});
export type CreativeRecord = RecordOf<(typeof CREATIVE)['fields']>;
