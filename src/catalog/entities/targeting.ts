import { listOf, oneOf, schemaFor, textOf } from '../../base/schema.ts';
import type { TargetedValues } from '../../targeting/targeting-rules.ts';
import {
  BROWSER_WORDS,
  BROWSERS,
  CONNECTION_WORDS,
  CONNECTIONS,
  DEVICE_WORDS,
  DEVICES,
  OPERATING_SYSTEMS,
  OS_WORDS,
} from '../model/choices.ts';
import type { Members } from './field.ts';
import { objectOf } from './parts.ts';

const scalar = { type: ['string', 'number', 'boolean'], maxLength: 256 };
/** An object with `min`, `max` or both, or with `prefix`. What it lacks is said by checks/targeting-faults.ts. */
const wide = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    min: { type: 'number' },
    max: { type: 'number' },
    prefix: { type: 'string', minLength: 1, maxLength: 128 },
  },
  description: 'numbers from min to max, both included, either of them open when it is left out; or the beginning of a text',
};
const value = { anyOf: [scalar, wide] };

/** Values by the name of a dimension or key-value. */
const targetedValues = schemaFor<Record<string, TargetedValues>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { minLength: 1, maxLength: 128 },
  additionalProperties: {
    anyOf: [scalar, wide, { type: 'array', items: value, maxItems: 1000 }],
  },
});

const urls = (what: string) =>
  listOf(textOf({ format: 'url-prefix', minLength: 1, maxLength: 512 }), {
    maxItems: 1_000,
    description: `hosts, with their subdomains, and the first segments of a path: news.example/sport. Compared with ${what}`,
  });

/** One side of the targeting of a line item: each member a rule, which targeting/targeting-rules.ts reads. */
const RULES = {
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
  languages: {
    schema: listOf(textOf({ format: 'language', maxLength: 35 }), {
      maxItems: 100,
      description:
        'BCP 47 tags such as de or pt-BR; de stands for de-AT, too. Compared with device.langb, device.language or Accept-Language',
    }),
    form: { label: 'Languages', placeholder: 'de', help: 'Of the visitor’s browser: de, or pt-BR for one region of a language.' },
  },
  browsers: {
    schema: listOf(oneOf(BROWSERS), { maxItems: 16, description: 'from device.sua, or from the user agent' }),
    choices: BROWSER_WORDS,
    form: { label: 'Browsers', wide: true },
  },
  os: {
    schema: listOf(oneOf(OPERATING_SYSTEMS), { maxItems: 16, description: 'from device.sua, device.os or the user agent' }),
    choices: OS_WORDS,
    form: { label: 'Operating systems', wide: true },
  },
  connection: {
    schema: listOf(oneOf(CONNECTIONS), { maxItems: 16, description: 'device.connectiontype; cellular is every mobile network' }),
    choices: CONNECTION_WORDS,
    form: { label: 'Connection', wide: true, help: 'Apps and servers send it; pages in a browser do not know it.' },
  },
  urls: {
    schema: urls('site.page, or the Referer header'),
    form: {
      label: 'Pages',
      placeholder: 'news.example/sport',
      help: 'A host, with its subdomains, and the beginning of a path, in whole segments: /sport is /sport/football, too, and not /sports.',
    },
  },
  referrers: {
    schema: urls('site.ref'),
    form: { label: 'Referring pages', placeholder: 'search.example', help: 'Where the visitor came from, in the same form.' },
  },
  audiences: {
    schema: listOf(textOf({ minLength: 1, maxLength: 128 }), {
      maxItems: 1_000,
      description: 'ids of first-party segments, compared with user.data[].segment[].id where the visitor consents',
    }),
    form: {
      label: 'Audiences',
      placeholder: 'golfers',
      help: 'Segments that your pages or servers send for the visitor. They count only with consent to personalised ads.',
    },
  },
  dimensions: { schema: targetedValues, form: { label: 'Dimensions', widget: 'dimensions' } },
  key_values: {
    schema: targetedValues,
    form: {
      label: 'Key-values',
      widget: 'key-values',
      wide: true,
      help: 'Names and values that your pages send with their ad requests. 18..34 is every number from 18 to 34, 65.. and more, and sport* every text that begins so. Only those of registered dimensions are checked.',
    },
  },
} as const satisfies Members;

/** The targeting of a line item. */
export const TARGETING = {
  ...RULES,
  exclude: {
    schema: objectOf(RULES, {
      description: 'the same rules: a request that meets one of them is refused. What a request does not say excludes nothing',
    }),
    members: RULES,
    form: { label: 'Excluded', help: 'A visitor who matches one of these rules does not see it. Unknown visitors are not excluded.' },
  },
} as const satisfies Members;
