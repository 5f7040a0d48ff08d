import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import { isCountryCode } from './country-codes.ts';
import { parseStartDate } from '../model/flight-dates.ts';
import type { CampaignRecord, CreativeRecord, LineItemRecord, PlacementRecord, PublisherRecord } from '../model/records.ts';
import { campaignSchema, creativeSchema, lineItemSchema, placementSchema, publisherSchema } from './schemas.ts';

/** What a check comes to: the record with its enumerations spelled properly and its defaults filled in, or everything that is wrong with it. */
export type Checked<T> = { readonly ok: true; readonly record: T } | { readonly ok: false; readonly faults: readonly Fault[] };

export const isHttpUrl = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

const ajv = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  useDefaults: true,
  formats: { 'flight-date': (text) => parseStartDate(text) !== undefined, 'http-url': isHttpUrl, country: isCountryCode },
});

const FORMAT_DETAILS: Readonly<Record<string, string>> = {
  'flight-date': 'must be an RFC 3339 date or date-time',
  'http-url': 'must be an http or https URL',
  country: 'must be an ISO 3166-1 alpha-2 country code',
};

/** A record whose shape was looked at: where there are shape faults, its fields may hold anything. */
export interface ShapedRecord<T> {
  readonly record: { readonly [K in keyof T]?: unknown };
  readonly faults: readonly Fault[];
}

/** Makes a check out of a schema: a copy of the input is brought into canonical spelling, then validated. The input is left as it is. */
const shapedBy = <T>(schema: object, canonical: (input: Readonly<Record<string, unknown>>) => object) => {
  const validate: ValidateFunction = ajv.compile(schema);
  return (input: unknown): ShapedRecord<T> => {
    if (!isObject(input)) return { record: {}, faults: [{ pointer: '', detail: 'must be a JSON object' }] };
    const record = canonical(input);
    return { record, faults: validate(record) ? [] : schemaFaults(validate.errors, FORMAT_DETAILS) };
  };
};

/** The enumerations of the specification, by their lower-case spelling; upper case for countries. */
const CANONICAL = new Map(
  ['html', 'banner', 'native', 'CPM', 'CPC', 'Flat', 'ASAP', 'Even', 'PID', 'direct', 'programmatic', 'mobile', 'desktop', 'tablet'].map(
    (word) => [word.toLowerCase(), word],
  ),
);
const spelled = (value: unknown): unknown => (typeof value === 'string' ? (CANONICAL.get(value.trim().toLowerCase()) ?? value) : value);
const spelledList = (value: unknown): unknown => (Array.isArray(value) ? [...new Set(value.map(spelled))] : value);
const upperList = (value: unknown): unknown =>
  Array.isArray(value) ? [...new Set(value.map((code: unknown) => (typeof code === 'string' ? code.toUpperCase() : code)))] : value;

/** Replaces the fields that are there; an absent one stays absent, so that its default or its fault can speak. */
const respell = (
  record: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, (value: unknown) => unknown>>,
): Record<string, unknown> => {
  const copy: Record<string, unknown> = { ...record };
  for (const [field, spell] of Object.entries(fields)) if (Object.hasOwn(copy, field)) copy[field] = spell(copy[field]);
  return copy;
};

const respellTargeting = (value: unknown): unknown =>
  isObject(value) ? respell(value, { countries: upperList, devices: spelledList }) : value;

export const shapePublisher = shapedBy<PublisherRecord>(publisherSchema, (record) => ({ ...record }));
export const shapePlacement = shapedBy<PlacementRecord>(placementSchema, (record) => respell(record, { formats: spelledList }));
export const shapeCampaign = shapedBy<CampaignRecord>(campaignSchema, (record) => ({ ...record }));
export const shapeLineItem = shapedBy<LineItemRecord>(lineItemSchema, (record) =>
  respell(record, { type: spelled, budget_type: spelled, pacing: spelled, targeting: respellTargeting }),
);
export const shapeCreative = shapedBy<CreativeRecord>(creativeSchema, (record) => respell(record, { format: spelled }));
