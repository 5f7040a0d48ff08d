import type { SchemaOptions } from '@sinclair/typebox';
import * as s from '../../base/schema.ts';
import { valuesOf, type Choices } from '../model/choices.ts';
import { MAX_AMOUNT } from '../model/money.ts';
import { field, type Members } from './field.ts';

/*
 * Schemas and fields of several entities. `flight-date`, `http-url`, `host`, `origin`, `country`,
 * `currency`, `header-name`, `header-value`, `ads-txt-record`, `time-zone`, `url-prefix`, `half-hour` and `language` are
 * formats of our own, given to ajv in checks/formats.ts.
 */

export const nameSchema = s.textOf({ minLength: 1, maxLength: 256 });
export const pixels = s.integerOf({ minimum: 1, maximum: 32_767 });
export const url = s.textOf({ format: 'http-url', maxLength: 2048 });
export const hostOrNull = (description: string) => s.orNull(s.textOf({ format: 'host', maxLength: 253 }), { default: null, description });

/** A decimal amount in the currency of the publisher, or null. */
export const amount = (description: string, maximum = MAX_AMOUNT) =>
  s.orNull(s.numberOf({ minimum: 0, maximum }), { default: null, description });
/** A number of events over the flight. */
export const goal = (description: string) =>
  s.orNull(s.integerOf({ minimum: 1, maximum: 100_000_000_000 }), { default: null, description });

/** A list of different texts, empty by default. */
export const texts = (
  item: SchemaOptions & { readonly minLength?: number; readonly maxLength: number },
  maxItems: number,
  description: string,
) => s.listOf(s.textOf(item), { maxItems, uniqueItems: true, default: [], description });
export const labels = (description: string) => texts({ minLength: 1, maxLength: 64 }, 50, description);
export const hosts = (maxItems: number, description: string) => texts({ format: 'host', maxLength: 253 }, maxItems, description);

/** The schema of an enumeration, and the words of its values. */
export const chosen = <C extends Choices>(choices: C, more: SchemaOptions = {}) => ({ schema: s.oneOf(valuesOf(choices), more), choices });

/** The schema of an object that may have each of these members, and no others. */
export const objectOf = <M extends Members>(members: M, more: SchemaOptions = {}) =>
  s.schemaFor<{ [K in keyof M]?: M[K]['schema']['static'] }>({
    type: 'object',
    additionalProperties: false,
    ...more,
    properties: Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])),
  });

export const ID = field({ schema: s.recordId, absent: 'generated', view: ['id', 'id'] });
/** The name of a record in files and in other systems. Those of one publisher differ (bookings/external-key.ts). */
export const EXTERNAL_KEY = field({
  schema: s.orNull(s.textOf({ minLength: 1, maxLength: 128, pattern: '^[^\\s](.*[^\\s])?$' }), {
    default: null,
    description: 'your own name of the record, in files and in other systems; two records of a publisher never share one',
  }),
  form: {
    label: 'External key',
    placeholder: 'none',
    help: 'Your own name for it, in files of bookings and in other systems. No two of a kind share one within a publisher.',
  },
});
/** Only an archived record shows it: the page archives with a button. */
export const ARCHIVED = field({
  schema: { ...s.boolean, default: false, description: 'true: kept for reports, neither served nor listed' },
  form: {
    label: 'Archived',
    help: 'Neither served nor listed. Off: it is listed again, and serves if nothing else stops it.',
    when: { archived: ['true'] },
    keptWhileHidden: true,
  },
});

const flightDate = s.textOf({ format: 'flight-date', description: 'RFC 3339 date or date-time; a bare end date includes that UTC day' });
export const START_DATE = field({
  schema: flightDate,
  stored: 'start',
  column: 'start_at',
  form: { label: 'Start', help: 'Without a time: from the beginning of that UTC day.' },
});
export const END_DATE = field({
  schema: flightDate,
  stored: 'end',
  column: 'end_at',
  form: { label: 'End', help: 'Without a time: through the end of that UTC day.' },
});

/** OpenRTB's block lists. */
export const BLOCK_LISTS = {
  badv: field({
    schema: hosts(1_000, 'blocked advertisers: domains, with their subdomains'),
    stored: 'json',
    form: { label: 'Advertiser domains', wide: true, placeholder: 'casino.example', help: 'Subdomains are blocked, too.' },
  }),
  bcat: field({
    schema: texts({ minLength: 1, maxLength: 32 }, 500, 'blocked categories, in the taxonomy cattax'),
    stored: 'json',
    form: { label: 'Categories', wide: true, placeholder: 'IAB25', help: 'Ids of the taxonomy below.' },
  }),
  cattax: field({
    schema: s.integerOf({
      minimum: 1,
      maximum: 999,
      default: 1,
      description: 'the taxonomy of the categories, in OpenRTB’s list: 1 is IAB Content Category 1.0, 7 is IAB Content Taxonomy 3.0',
    }),
    form: { label: 'Category taxonomy', help: 'The number in OpenRTB’s list: 1 is IAB 1.0, 7 is IAB 3.0.' },
  }),
  battr: field({
    schema: s.listOf(s.integerOf({ minimum: 1, maximum: 999 }), {
      maxItems: 100,
      uniqueItems: true,
      default: [],
      description: 'blocked creative attributes, in OpenRTB’s list',
    }),
    stored: 'json',
    form: {
      label: 'Creative attributes',
      wide: true,
      placeholder: '1',
      help: 'Numbers of OpenRTB’s list: 1 plays audio by itself, 6 plays video by itself.',
    },
  }),
};

export const MAX_BLOCKED_ADVERTISERS = 1_000;
/** Advertisers that a publisher or a placement does not show. */
export const BLOCKED_ADVERTISERS = {
  blocked_advertiser_ids: field({
    schema: s.listOf(s.recordId, {
      maxItems: MAX_BLOCKED_ADVERTISERS,
      uniqueItems: true,
      default: [],
      description: 'advertisers whose line items, direct and programmatic, never serve here',
    }),
    parent: 'advertisers',
    form: { label: 'Advertisers', wide: true, itemLabel: 'Advertiser' },
  }),
  blocked_advertiser_labels: field({
    schema: labels('the same for advertisers with one of these labels, in any letter case'),
    form: { label: 'Advertisers with a label', wide: true, placeholder: 'gambling', help: 'One of these labels is enough.' },
  }),
};
export const blockedAdvertisers = (place: string) =>
  ({
    title: 'Blocked advertisers',
    text: `Line items of these advertisers, direct and programmatic, never serve on this ${place}.`,
    fields: ['blocked_advertiser_ids', 'blocked_advertiser_labels'],
  }) as const;
