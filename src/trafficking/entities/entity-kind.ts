import {
  campaignToRow,
  creativeToRow,
  lineItemToRow,
  placementToRow,
  publisherToRow,
  rowToCampaign,
  rowToCreative,
  rowToLineItem,
  rowToPlacement,
  rowToPublisher,
} from '../../catalog/postgres/catalog-rows.ts';
import type { CatalogRow, CatalogTable } from '../../catalog/model/catalog-reading.ts';
import { checkCampaign, checkCreative, checkLineItem, checkPlacement, checkPublisher } from '../../catalog/checks/check-entities.ts';
import type { Checked } from '../../catalog/checks/check-record.ts';
import type { CreativeFormat } from '../../catalog/model/entities.ts';
import { campaignSchema, creativeSchema, lineItemSchema, placementSchema, publisherSchema } from '../../catalog/checks/schemas.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';

/** A record as the API gives and takes it. */
export type EntityRecord = Readonly<Record<string, unknown>>;

export interface CheckContext {
  readonly dimensions: DimensionSchema;
  readonly placementFormats: readonly CreativeFormat[] | undefined;
}

/** One of the five entities, as the API's routes, store and description need it. */
export interface EntityKind {
  /** Its path under /api as well. */
  readonly table: CatalogTable;
  /** Singular, for the audit trail and for sentences. */
  readonly name: string;
  readonly schema: { readonly properties: object };
  /** What answers hold on top of the schema. Taken back without a word when a client sends a record as it got it. */
  readonly readOnly: Readonly<Record<string, object>>;
  /** Whether the client chooses the id. */
  readonly namedByClient: boolean;
  readonly parents: readonly { readonly field: string; readonly table: CatalogTable }[];
  /** Columns that `q` looks into. */
  readonly search: readonly string[];
  readonly check: (input: unknown, context: CheckContext) => Checked<object>;
  readonly toRow: (record: never) => CatalogRow;
  readonly toRecord: (row: CatalogRow) => EntityRecord;
}

export const ENTITY_KINDS: Readonly<Record<CatalogTable, EntityKind>> = {
  publishers: {
    table: 'publishers',
    name: 'publisher',
    schema: publisherSchema,
    readOnly: {
      api_key: { type: 'string', description: 'In full, and only in the answer to the creation and to rotate_key: it is stored hashed' },
      api_key_hint: { type: 'string', description: 'The last four characters of the key' },
    },
    namedByClient: false,
    parents: [],
    search: ['name', 'domain'],
    check: checkPublisher,
    toRow: publisherToRow,
    toRecord: (row) => ({ ...rowToPublisher(row), api_key_hint: row['api_key_hint'] }),
  },
  placements: {
    table: 'placements',
    name: 'placement',
    schema: placementSchema,
    readOnly: {},
    namedByClient: true,
    parents: [{ field: 'publisher_id', table: 'publishers' }],
    search: ['id'],
    check: checkPlacement,
    toRow: placementToRow,
    toRecord: rowToPlacement,
  },
  campaigns: {
    table: 'campaigns',
    name: 'campaign',
    schema: campaignSchema,
    readOnly: {},
    namedByClient: false,
    parents: [{ field: 'publisher_id', table: 'publishers' }],
    search: ['name'],
    check: checkCampaign,
    toRow: campaignToRow,
    toRecord: rowToCampaign,
  },
  line_items: {
    table: 'line_items',
    name: 'line_item',
    schema: lineItemSchema,
    readOnly: {},
    namedByClient: false,
    parents: [{ field: 'campaign_id', table: 'campaigns' }],
    search: ['name'],
    check: checkLineItem,
    toRow: lineItemToRow,
    toRecord: rowToLineItem,
  },
  creatives: {
    table: 'creatives',
    name: 'creative',
    schema: creativeSchema,
    readOnly: {
      blocked_at: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'Since when it is taken out of delivery; null: it is not',
      },
    },
    namedByClient: false,
    parents: [
      { field: 'placement_id', table: 'placements' },
      { field: 'line_item_id', table: 'line_items' },
    ],
    search: ['advertiser_domain', 'placement_id'],
    check: checkCreative,
    toRow: creativeToRow,
    toRecord: (row) => ({ ...rowToCreative(row), blocked_at: row['blocked_at'] ?? null }),
  },
};

/** The id of a path as the table holds it; undefined: nothing can have this id. */
export const readEntityId = ({ namedByClient }: EntityKind, text: string): string | number | undefined => {
  if (namedByClient) return text;
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id > 0 && id <= 2_147_483_647 ? id : undefined;
};
