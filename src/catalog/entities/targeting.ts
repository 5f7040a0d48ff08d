import { listOf, oneOf, schemaFor, textOf } from '../../base/schema.ts';
import type { TargetedValues } from '../../targeting/targeting-rules.ts';
import { DEVICE_WORDS, DEVICES } from '../model/choices.ts';
import type { Members } from './field.ts';

const scalar = { type: ['string', 'number', 'boolean'], maxLength: 256 };

/** Values by the name of a dimension or key-value. */
const targetedValues = schemaFor<Record<string, TargetedValues>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { minLength: 1, maxLength: 128 },
  additionalProperties: {
    anyOf: [scalar, { type: 'array', items: scalar, maxItems: 1000 }],
  },
});

/** The targeting of a line item: each member a rule, which targeting/targeting-rules.ts reads. */
export const TARGETING = {
  /** ISO 3166-1 alpha-2 codes in upper case. */
  countries: {
    schema: listOf(textOf({ format: 'country' }), { maxItems: 300 }),
    form: { label: 'Countries', widget: 'countries', help: 'Visitors whose country is unknown match no country rule.' },
  },
  regions: {
    schema: listOf(textOf({ minLength: 1, maxLength: 64 }), {
      maxItems: 300,
      description: 'ISO 3166-2 codes such as US-CA, as the GEO_DATABASE of the service has them; without one no request has a region',
    }),
    form: {
      label: 'Regions',
      placeholder: 'US-CA',
      help: 'ISO 3166-2 codes. No visitor matches until the ad server has a database of cities: ask its operator.',
    },
  },
  cities: {
    schema: listOf(textOf({ minLength: 1, maxLength: 128 }), {
      maxItems: 300,
      description: 'English names, as the GEO_DATABASE of the service has them; without one no request has a city',
    }),
    form: {
      label: 'Cities',
      placeholder: 'Springfield',
      help: 'English names. They need the same database as regions. Add a region where several cities have the name.',
    },
  },
  devices: {
    schema: listOf(oneOf(DEVICES), { maxItems: 16 }),
    choices: DEVICE_WORDS,
    form: { label: 'Devices' },
  },
  dimensions: { schema: targetedValues, form: { label: 'Dimensions', widget: 'dimensions' } },
  key_values: {
    schema: targetedValues,
    form: {
      label: 'Key-values',
      widget: 'key-values',
      wide: true,
      help: 'Any names and values that your pages send with their ad requests. Only those of registered dimensions are checked.',
    },
  },
} as const satisfies Members;
