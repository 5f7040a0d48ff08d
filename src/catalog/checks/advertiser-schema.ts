import { archived, id, labels, name } from './schema-parts.ts';

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
    labels: { ...labels, description: 'free words for staff; publishers and placements can block advertisers by them' },
    exclusive: { type: 'boolean', default: false, description: 'true: an answer never has two of its ads' },
    exclusion_labels: {
      ...labels,
      description: 'what it competes in, such as cars: an answer never has ads of two advertisers that share one. In any letter case',
    },
    contact: { type: ['string', 'null'], minLength: 1, maxLength: 500, default: null, description: 'for staff; never part of an ad' },
    archived,
  },
};
