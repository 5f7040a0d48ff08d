import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { schemaCompiler } from '../../base/schema-compiler.ts';
import { schemaFaults } from '../../base/schema-faults.ts';
import type {
  AdvertiserRecord,
  BidderRecord,
  CampaignRecord,
  CreativeRecord,
  LineItemRecord,
  PlacementRecord,
  PublisherRecord,
} from '../model/records.ts';
import { bidderSchema } from './bidder-schema.ts';
import { canonicalSpelling } from './canonical-spelling.ts';
import { FORMAT_DETAILS, FORMAT_TESTS } from './formats.ts';
import { advertiserSchema } from './advertiser-schema.ts';
import { creativeSchema } from './creative-schema.ts';
import { campaignSchema, lineItemSchema, placementSchema, publisherSchema } from './schemas.ts';

/**
 * The result of a check: the record in canonical spelling with its defaults filled in, or every
 * fault.
 */
export type Checked<T> = { readonly ok: true; readonly record: T } | { readonly ok: false; readonly faults: readonly Fault[] };

const ajv = schemaCompiler({
  allErrors: true,
  allowUnionTypes: true,
  useDefaults: true,
  formats: FORMAT_TESTS,
});

/** A record and the faults of its shape. While there are any, its fields may hold anything. */
export interface ShapedRecord<T> {
  readonly record: { readonly [K in keyof T]?: unknown };
  readonly faults: readonly Fault[];
}

/**
 * Makes a check from a schema. It validates a copy of the input in canonical spelling and leaves
 * the input unchanged.
 */
const shapedBy = <T>(schema: object) => {
  const validate = ajv.compile(schema);
  const spelling = canonicalSpelling(schema);
  return (input: unknown): ShapedRecord<T> => {
    if (!isObject(input)) return { record: {}, faults: [{ pointer: '', detail: 'must be a JSON object' }] };
    const record = spelling ? (spelling(input) as object) : { ...input };
    return { record, faults: validate(record) ? [] : schemaFaults(validate.errors, FORMAT_DETAILS) };
  };
};

export const shapePublisher = shapedBy<PublisherRecord>(publisherSchema);
export const shapePlacement = shapedBy<PlacementRecord>(placementSchema);
export const shapeAdvertiser = shapedBy<AdvertiserRecord>(advertiserSchema);
export const shapeBidder = shapedBy<BidderRecord>(bidderSchema);
export const shapeCampaign = shapedBy<CampaignRecord>(campaignSchema);
export const shapeLineItem = shapedBy<LineItemRecord>(lineItemSchema);
export const shapeCreative = shapedBy<CreativeRecord>(creativeSchema);
