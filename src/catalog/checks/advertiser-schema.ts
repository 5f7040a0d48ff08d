import { archived, id, name } from './schema-parts.ts';

export const advertiserSchema = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    id,
    name,
    domain: {
      type: ['string', 'null'],
      format: 'host',
      maxLength: 253,
      default: null,
      description: 'advertiser_domain of creatives that have none',
    },
    paid_by: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 100,
      default: null,
      description: 'who pays for its ads, where it does not itself: an agency, for example. Shown where the DSA applies',
    },
    categories: {
      type: 'array',
      items: { type: 'string', format: 'iab-category', maxLength: 16 },
      maxItems: 50,
      uniqueItems: true,
      default: [],
      description: 'what it sells: ids of the IAB Content Taxonomy 3.x, such as 483',
    },
    labels: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 64 },
      maxItems: 50,
      uniqueItems: true,
      default: [],
      description: 'free words for staff',
    },
    contact: { type: ['string', 'null'], minLength: 1, maxLength: 500, default: null, description: 'for staff; never part of an ad' },
    archived,
  },
};
