import { advertiserToRow, rowToAdvertiser } from '../catalog/postgres/advertiser-rows.ts';
import { bidderToRow, rowToBidder } from '../catalog/postgres/bidder-rows.ts';
import {
  campaignToRow,
  placementToRow,
  publisherToRow,
  rowToCampaign,
  rowToPlacement,
  rowToPublisher,
} from '../catalog/postgres/catalog-rows.ts';
import { creativeToRow, rowToCreative } from '../catalog/postgres/creative-rows.ts';
import { lineItemToRow, rowToLineItem } from '../catalog/postgres/line-item-rows.ts';
import { CATALOG_TABLES, type CatalogRow, type CatalogTable } from '../catalog/model/catalog-reading.ts';
import { bidderSchema } from '../catalog/checks/bidder-schema.ts';
import {
  checkAdvertiser,
  checkBidder,
  checkCampaign,
  checkCreative,
  checkLineItem,
  checkPlacement,
  checkPublisher,
  type PlacementFormats,
} from '../catalog/checks/check-entities.ts';
import type { Checked } from '../catalog/checks/check-record.ts';
import { HEADER_PURPOSE } from '../catalog/model/bidder-of.ts';
import { advertiserSchema } from '../catalog/checks/advertiser-schema.ts';
import { creativeSchema } from '../catalog/checks/creative-schema.ts';
import { campaignSchema, lineItemSchema, placementSchema, publisherSchema } from '../catalog/checks/schemas.ts';
import type { DimensionSchema } from '../targeting/dimension-schema.ts';

/** A record as the API accepts and returns it. */
export type EntityRecord = Readonly<Record<string, unknown>>;

export interface CheckContext {
  readonly dimensions: DimensionSchema;
  readonly placements: readonly PlacementFormats[];
}

/** Changes that are not a plain edit of a field: POST /api/<table>/{id}/<action>. */
export const ENTITY_ACTIONS = ['rotate_key', 'block', 'unblock', 'duplicate'] as const;
export type EntityAction = (typeof ENTITY_ACTIONS)[number];

/** A column whose members are sealed before they are stored. */
export interface SealedColumn {
  readonly column: string;
  /** What receives the secrets. When it changes, they have to be entered again, or a change would reveal them. */
  readonly boundTo: (row: CatalogRow) => string;
}

/** A record may refer to several rows of a parent: to the first by the usual field. */
export interface ParentList {
  /** The field that lists all of them. */
  readonly field: string;
  /** The column of all but the first. */
  readonly more: string;
}

/** What differs between the entities. */
interface Definition {
  readonly schema: { readonly properties: object };
  /** Fields that answers add to the schema. They are ignored when a client sends a record back. */
  readonly readOnly?: Readonly<Record<string, object>>;
  /** Tables that a record refers to, each by the id of one row. The last one decides whose it is. */
  readonly parents: readonly CatalogTable[];
  readonly lists?: Readonly<Partial<Record<CatalogTable, ParentList>>>;
  readonly actions?: readonly EntityAction[];
  readonly sealed?: SealedColumn;
  /** SQL for the bytes of a row. Default: a row of short columns. */
  readonly rowBytes?: string;
  readonly check: (input: unknown, context: CheckContext) => Checked<object>;
  readonly toRow: (record: never) => CatalogRow;
  readonly toRecord: (row: CatalogRow) => EntityRecord;
}

/** One of the entities, as the routes, the store and the OpenAPI document need it. */
export interface EntityKind extends Required<Omit<Definition, 'parents' | 'lists' | 'sealed'>> {
  readonly sealed: SealedColumn | undefined;
  /** Also its path under /api. */
  readonly table: CatalogTable;
  /** Singular, as the audit trail stores it: `line_item`. */
  readonly name: string;
  /** The name as words of a message: `line item`. */
  readonly words: string;
  /** The column by which other tables refer to it: `line_item_id`. */
  readonly reference: string;
  /** Whether the client chooses the id, which is then a string. */
  readonly namedByClient: boolean;
  readonly parents: readonly { readonly field: string; readonly table: CatalogTable; readonly list: ParentList | undefined }[];
}

/** A record without its long columns, typically. */
const SHORT_ROW_BYTES = 512;
const BLOCK_LIST_BYTES = 'octet_length(badv::text) + octet_length(bcat::text)';

const DEFINITIONS: Readonly<Record<CatalogTable, Definition>> = {
  publishers: {
    schema: publisherSchema,
    readOnly: {
      api_key: {
        type: 'string',
        description: 'The whole key. Returned only on creation and by rotate_key; the server stores a hash.',
      },
      api_key_hint: { type: 'string', description: 'The last four characters of the key' },
    },
    parents: [],
    actions: ['rotate_key'],
    rowBytes: `${SHORT_ROW_BYTES} + ${BLOCK_LIST_BYTES} + octet_length(acat::text)`,
    check: checkPublisher,
    toRow: publisherToRow,
    toRecord: (row) => ({ ...rowToPublisher(row), api_key_hint: row['api_key_hint'] }),
  },
  placements: {
    schema: placementSchema,
    parents: ['publishers'],
    check: checkPlacement,
    toRow: placementToRow,
    toRecord: rowToPlacement,
  },
  advertisers: {
    schema: advertiserSchema,
    parents: [],
    check: checkAdvertiser,
    toRow: advertiserToRow,
    toRecord: rowToAdvertiser,
  },
  bidders: {
    schema: bidderSchema,
    parents: [],
    sealed: { column: HEADER_PURPOSE, boundTo: ({ endpoint }) => new URL(String(endpoint)).origin },
    rowBytes: `${SHORT_ROW_BYTES} + octet_length(params::text) + octet_length(ads_txt::text) + ${BLOCK_LIST_BYTES}`,
    check: checkBidder,
    toRow: bidderToRow,
    toRecord: rowToBidder,
  },
  campaigns: {
    schema: campaignSchema,
    parents: ['advertisers', 'publishers'],
    actions: ['duplicate'],
    check: checkCampaign,
    toRow: campaignToRow,
    toRecord: rowToCampaign,
  },
  line_items: {
    schema: lineItemSchema,
    parents: ['bidders', 'campaigns'],
    rowBytes: `${SHORT_ROW_BYTES} + octet_length(targeting::text)`,
    check: checkLineItem,
    toRow: lineItemToRow,
    toRecord: rowToLineItem,
  },
  creatives: {
    schema: creativeSchema,
    readOnly: {
      blocked_at: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When the creative was blocked; null: it is not blocked',
      },
    },
    parents: ['placements', 'line_items'],
    lists: { placements: { field: 'placement_ids', more: 'more_placement_ids' } },
    actions: ['block', 'unblock'],
    rowBytes: `${SHORT_ROW_BYTES} + octet_length(content)`,
    check: checkCreative,
    toRow: creativeToRow,
    toRecord: (row) => ({ ...rowToCreative(row), blocked_at: row['blocked_at'] ?? null }),
  },
};

const nameOf = (table: CatalogTable): string => table.slice(0, -1);

const referenceTo = (table: CatalogTable): string => `${nameOf(table)}_id`;

const kindOf = (table: CatalogTable): EntityKind => {
  const {
    parents,
    lists = {},
    readOnly = {},
    actions = [],
    sealed,
    rowBytes = String(SHORT_ROW_BYTES),
    ...definition
  } = DEFINITIONS[table];
  const { id } = definition.schema.properties as { readonly id?: { readonly type: string } };
  return {
    ...definition,
    table,
    name: nameOf(table),
    words: nameOf(table).replace('_', ' '),
    reference: referenceTo(table),
    readOnly,
    actions,
    sealed,
    rowBytes,
    namedByClient: id?.type === 'string',
    parents: parents.map((parent) => ({ field: referenceTo(parent), table: parent, list: lists[parent] })),
  };
};

export const ENTITY_KINDS = Object.fromEntries(CATALOG_TABLES.map((table) => [table, kindOf(table)])) as Readonly<
  Record<CatalogTable, EntityKind>
>;

/** Postgres's integer. */
export const MAX_ENTITY_ID = 2_147_483_647;

/** The id of a path as the table stores it; undefined: no record can have this id. */
export const readEntityId = ({ namedByClient }: EntityKind, text: string): string | number | undefined => {
  if (namedByClient) return text;
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id > 0 && id <= MAX_ENTITY_ID ? id : undefined;
};

/**
 * SQL conditions, one per parent, under which a row of `table` belongs to the row `:id` of `ancestor`,
 * directly or through its parents. `only`: it is deleted with it. Empty when it cannot belong to it.
 */
export const belongsTo = (table: CatalogTable, ancestor: CatalogTable, only = false): readonly string[] =>
  ENTITY_KINDS[table].parents.flatMap(({ field, table: parent, list }) => {
    const alone = only && list ? ` and ${list.more} = '{}'` : '';
    if (parent === ancestor) return [list && !only ? `(${field} = :id or :id = any(${list.more}))` : `(${field} = :id${alone})`];
    const through = belongsTo(parent, ancestor, only);
    return through.length === 0 ? [] : [`(${field} in (select id from ${parent} where ${through.join(' or ')})${alone})`];
  });

/**
 * The SQL condition under which a row of `table` is archived: itself, or with what it belongs to. A
 * creative belongs to its line item; a placement of it may be archived without it.
 */
export const isArchived = (table: CatalogTable): string => {
  const owners = table === 'creatives' ? ENTITY_KINDS.creatives.parents.slice(-1) : ENTITY_KINDS[table].parents;
  const through = owners.map(
    ({ field, table: parent }) => `coalesce(${field} in (select id from ${parent} where ${isArchived(parent)}), false)`,
  );
  return ['archived', ...through].join(' or ');
};

/** The entities that a list can be filtered by: its parents and their parents. */
export const ancestorsOf = ({ table }: EntityKind): readonly EntityKind[] =>
  Object.values(ENTITY_KINDS).filter((other) => belongsTo(table, other.table).length > 0);
