import { CREATIVE_FORMATS, CREATIVE_STATUSES } from '../model/entities.ts';
import { MAX_CONTENT_LENGTH } from './parse-content.ts';
import { archived, id, orNull, pixels, url } from './schema-parts.ts';

const placementId = { type: 'string', minLength: 1, maxLength: 128 };
export const MAX_PLACEMENTS_OF_CREATIVE = 100;

export const creativeSchema = {
  type: 'object',
  required: ['line_item_id', 'format', 'content'],
  additionalProperties: false,
  properties: {
    id,
    name: { type: 'string', maxLength: 256, default: '' },
    placement_id: { ...placementId, description: 'the first of placement_ids; on a write, the short form of a list of one' },
    placement_ids: {
      type: 'array',
      items: placementId,
      minItems: 1,
      maxItems: MAX_PLACEMENTS_OF_CREATIVE,
      uniqueItems: true,
      description: 'where it may be shown',
    },
    line_item_id: id,
    format: { type: 'string', enum: CREATIVE_FORMATS },
    content: {
      type: 'string',
      maxLength: MAX_CONTENT_LENGTH,
      description: 'markup or the JSON text of assets, as the format requires; its length is counted in UTF-16 units',
    },
    advertiser_domain: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 253,
      default: null,
      description: 'null: that of its advertiser',
    },
    width: { ...orNull(pixels), default: null },
    height: { ...orNull(pixels), default: null },
    click_url: { ...orNull(url), default: null },
    status: { type: 'string', enum: CREATIVE_STATUSES, default: 'approved', description: 'only an approved creative serves' },
    weight: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      default: 1,
      description:
        'its share of the impressions of its line item, relative to the weights of the other creatives, where its rotation is weighted',
    },
    archived,
  },
};
