import { isDeepStrictEqual } from 'node:util';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { CHECKS } from '../checks/check-entities.ts';
import type { Checked } from '../checks/shape-record.ts';
import type { ChildEntities } from '../columns/entities.ts';
import { entitiesIn, entityTable, storedBlock, type StoredBlock } from '../columns/entity-table.ts';
import type { EntityType } from '../columns/entity-type.ts';
import type { View } from '../columns/kinds.ts';
import { ADVERTISERS, BIDDERS, CAMPAIGNS, CREATIVES, LINE_ITEMS, PLACEMENTS, PUBLISHERS, TARGETINGS } from '../columns/entity-types.ts';
import type { NamedTargetingRecord } from '../entities/named-targeting.ts';
import { traitsOf } from '../model/advertiser.ts';
import type { CatalogReading, CatalogRow, CatalogTable } from '../model/catalog-reading.ts';
import type { Bidder, Campaign, Creative, LineItem, NamedTargeting, Placement, Publisher } from '../model/entities.ts';
import { ROWS } from '../postgres/rows.ts';
import { countedForCaps } from './counted-for-caps.ts';
import { joinedSales } from './joined-sales.ts';
import { indexedRules } from './line-item-targeting.ts';
import { editionWith, isEqualList, NOTHING } from './inherited.ts';
import type { Quarantine } from './quarantine.ts';
import {
  toAdvertiser,
  toBidder,
  toCampaign,
  toCreative,
  toLineItem,
  toNamedTargeting,
  toPlacement,
  toPublisher,
  type RowKey,
} from './to-entities.ts';

/** The valid rows as columns. */
export interface AdmittedRows {
  readonly publishers: ReadonlyMap<number, Publisher>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly campaigns: ChildEntities<Campaign>;
  readonly lineItems: ChildEntities<LineItem & View>;
  readonly creatives: ChildEntities<Creative>;
  readonly blocks: AdmittedBlocks;
  /** Line items whose targeting differs from the load before. */
  readonly retargeted: ReadonlySet<number>;
}

export type AdmittedBlocks = ReadonlyMap<CatalogTable, ReadonlyMap<number, AdmittedBlock>>;

export interface AdmittedBlock extends StoredBlock {
  /** The rows in Postgres, all of which were admitted; undefined: some were not. */
  readonly digest: string | undefined;
}

export interface AdmitOptions {
  readonly dimensions: DimensionSchema;
  /** Of the load before, under the same dimensions. A block with the same digest has the same rows. */
  readonly previous: AdmittedBlocks | undefined;
  readonly quarantine: Quarantine;
}

/** How the rows of one table become entities. A string is the reason why a row is set aside. */
interface Admission<R, E extends Entity> {
  readonly table: CatalogTable;
  readonly type: EntityType<E>;
  readonly check: (row: CatalogRow) => Checked<R>;
  readonly toEntity: (record: R, row: CatalogRow) => E | string;
  /**
   * Checks an entity against the parents of this load and returns it as this load has it. A view for
   * which it returns another object is read again from Postgres.
   */
  readonly join: (entity: E) => E | string;
  /** Called for each row that is read, with the row of the load before. */
  readonly compare?: (entity: E, before: E | undefined) => void;
}

interface Entity {
  readonly id: number | string;
}

/**
 * Checks rows with the rules of the trafficking API, parents first. A row that fails is set aside,
 * with all that belongs to it; everything else is admitted. Unchanged blocks are not read if all of
 * their rows are still admitted as they are.
 */
export const admitRows = async (reading: CatalogReading, { dimensions, previous, quarantine }: AdmitOptions): Promise<AdmittedRows> => {
  const blocks = new Map<CatalogTable, ReadonlyMap<number, AdmittedBlock>>();
  const retargeted = new Set<number>();

  const admit = async <R, E extends Entity>(admission: Admission<R, E>): Promise<ReadonlyMap<number, AdmittedBlock>> => {
    const { table, type, join } = admission;
    const admitted = new Map<number, AdmittedBlock>();
    for (const [block, digest] of reading.digests(table)) {
      const kept = previous?.get(table)?.get(block);
      const isSame = kept?.digest === digest && entitiesOf(type, kept).every((entity) => join(entity) === entity);
      admitted.set(block, isSame ? kept : readBlock(admission, await reading.rows(table, block), digest, kept));
    }
    blocks.set(table, admitted);
    return admitted;
  };

  const readBlock = <R, E extends Entity>(
    { table, type, check, toEntity, join, compare }: Admission<R, E>,
    rows: readonly CatalogRow[],
    digest: string,
    kept: AdmittedBlock | undefined,
  ): AdmittedBlock => {
    const before = new Map(kept && compare && entitiesOf(type, kept).map((entity) => [entity.id, entity]));
    const entities: E[] = [];
    for (const row of rows) {
      const checked = check(row);
      const read = checked.ok
        ? toEntity(checked.record, row)
        : checked.faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
      const joined = typeof read === 'string' ? read : join(read);
      if (typeof joined === 'string') quarantine.add(table, row['id'], joined);
      else {
        compare?.(joined, before.get(joined.id));
        entities.push(joined);
      }
    }
    const stored = storedBlock(type.write(entities), entities.length);
    return Object.assign(stored, { digest: entities.length === rows.length ? digest : undefined });
  };

  const publisherBlocks = await admit<unknown, Publisher>({
    table: 'publishers',
    type: PUBLISHERS,
    check: (row) => CHECKS.publishers(ROWS.publishers.toRecord(row), LOAD),
    toEntity: (record, row) => toPublisher(row['id'] as number, record as never, String(row['api_key_hash'])),
    join: (publisher) => publisher,
  });
  const publishers = entitiesIn(PUBLISHERS, publisherBlocks.values());
  const placementBlocks = await admit({
    table: 'placements',
    type: PLACEMENTS,
    check: (row) => CHECKS.placements(ROWS.placements.toRecord(row)),
    toEntity: toPlacement,
    join: (placement: Placement) => {
      const { publisherId } = placement;
      return publisherId === null || publishers.has(publisherId) ? placement : quarantine.parentReason('publishers', publisherId);
    },
  });
  const placements = entitiesIn(PLACEMENTS, placementBlocks.values());
  const advertiserBlocks = await admit({
    table: 'advertisers',
    type: ADVERTISERS,
    check: (row) => CHECKS.advertisers(ROWS.advertisers.toRecord(row), LOAD),
    toEntity: (record, row) => toAdvertiser(row['id'] as number, record),
    join: (advertiser) => advertiser,
  });
  const advertisers = entitiesIn(ADVERTISERS, advertiserBlocks.values());
  const bidderBlocks = await admit({
    table: 'bidders',
    type: BIDDERS,
    check: (row) => CHECKS.bidders(ROWS.bidders.toRecord(row), LOAD),
    toEntity: (record, row) => toBidder(row['id'] as number, record, row['headers'] as Bidder['headers']),
    join: (bidder: Bidder) => bidder,
  });
  const bidders = entityTable(BIDDERS, bidderBlocks);
  const targetingBlocks = await admit<NamedTargetingRecord, NamedTargeting>({
    table: 'targetings',
    type: TARGETINGS,
    check: (row) => CHECKS.targetings(ROWS.targetings.toRecord(row), { dimensions, ...LOAD }),
    toEntity: (record, row) => toNamedTargeting(row['id'] as number, record),
    join: (targeting) => (publishers.has(targeting.publisherId) ? targeting : quarantine.parentReason('publishers', targeting.publisherId)),
  });
  const targetings = entityTable(TARGETINGS, targetingBlocks);
  const withCounted = countedForCaps(reading.sharedCaps);
  const campaignBlocks = await admit({
    table: 'campaigns',
    type: CAMPAIGNS,
    check: (row) => CHECKS.campaigns(ROWS.campaigns.toRecord(row)),
    toEntity: (record, row) => toCampaign(keyOf(row), record),
    join: (campaign) => {
      const { publisherId, advertiserId } = campaign;
      const publisher = publishers.get(publisherId);
      if (!publisher) return quarantine.parentReason('publishers', publisherId);
      const advertiser = advertiserId === null ? undefined : advertisers.get(advertiserId);
      if (advertiserId !== null && !advertiser) return quarantine.parentReason('advertisers', advertiserId);
      const stop = publisher.archived ? 'publisherArchived' : advertiser?.archived ? 'advertiserArchived' : campaign.ownStop;
      const traits = traitsOf(advertiser, publisher);
      const counted = withCounted(campaign);
      const { currency } = publisher;
      const isSame = counted.stop === stop && counted.currency === currency && isDeepStrictEqual(counted.traits, traits);
      return isSame ? counted : { ...counted, stop, currency, traits };
    },
  });
  const campaigns = entityTable(CAMPAIGNS, campaignBlocks);
  const lineItemBlocks = await admit<Parameters<typeof toLineItem>[1], LineItem>({
    table: 'line_items',
    type: LINE_ITEMS,
    check: (row) => CHECKS.line_items(ROWS.line_items.toRecord(row), { dimensions, ...LOAD }),
    toEntity: (record, row) => toLineItem(keyOf(row), record, campaigns.get(record.campaign_id)?.publisherId ?? 0),
    join: (lineItem) => {
      const campaign = campaigns.get(lineItem.campaignId);
      if (campaign === undefined) return quarantine.parentReason('campaigns', lineItem.campaignId);
      const bidder = lineItem.bidderId === null ? undefined : bidders.get(lineItem.bidderId);
      if (lineItem.bidderId !== null && !bidder) return quarantine.parentReason('bidders', lineItem.bidderId);
      const { publisherId } = campaign;
      const named = lineItem.targetingId === 0 ? undefined : targetings.get(lineItem.targetingId);
      // Without its rules it would serve everywhere.
      if (lineItem.targetingId !== 0 && !named) return quarantine.parentReason('targetings', lineItem.targetingId);
      const stop = bidder?.archived ? 'bidderArchived' : lineItem.ownStop;
      const sales = joinedSales(lineItem, { named, publisher: publishers.get(publisherId) });
      const isSame = lineItem.publisherId === publisherId && lineItem.stop === stop && lineItem.sales === sales;
      return isSame ? lineItem : { ...lineItem, publisherId, stop, sales };
    },
    compare: (lineItem, before) => {
      if (before !== undefined && !isDeepStrictEqual(indexedRules(lineItem), indexedRules(before))) retargeted.add(lineItem.id);
    },
  });
  const lineItems = entityTable(LINE_ITEMS, lineItemBlocks);
  const creativeBlocks = await admit({
    table: 'creatives',
    type: CREATIVES,
    check: (row) => CHECKS.creatives(ROWS.creatives.toRecord(row)),
    toEntity: (record, row): Creative | string => {
      const blocked = row['blocked_at'] !== null && row['blocked_at'] !== undefined;
      return toCreative(keyOf(row), record, blocked) ?? '/content cannot be read';
    },
    join: (creative) => {
      const { placementIds } = creative;
      if (!placementIds.some((id) => placements.has(id))) return quarantine.parentReason('placements', placementIds.join(', '));
      const lineItem = lineItems.get(creative.lineItemId);
      if (!lineItem) return quarantine.parentReason('line_items', creative.lineItemId);
      const advertiserId = campaigns.get(lineItem.campaignId)?.advertiserId ?? null;
      const advertiser = advertiserId === null ? undefined : advertisers.get(advertiserId);
      const { categories = NOTHING } = advertiser ?? {};
      const disclosure = advertiser ? [advertiser.name, advertiser.paidBy ?? advertiser.name] : NOTHING;
      const advertiserDomain = creative.hasOwnDomain ? creative.advertiserDomain : (advertiser?.domain ?? null);
      const isSame = creative.advertiserDomain === advertiserDomain && isEqualList(creative.categories, categories);
      if (isSame && isEqualList(creative.disclosure, disclosure)) return creative;
      const inherited = { advertiserDomain, categories, disclosure };
      return { ...creative, ...inherited, edition: editionWith(creative.edition, inherited) };
    },
  });
  return { publishers, placements, campaigns, lineItems, creatives: entityTable(CREATIVES, creativeBlocks), blocks, retargeted };
};

const LOAD = { isLoad: true };

const keyOf = (row: CatalogRow): RowKey => ({ id: row['id'] as number, edition: row['edition'] as number });

const entitiesOf = <E>({ view }: EntityType<E>, { segment }: StoredBlock): E[] =>
  Array.from({ length: segment.rows }, (_, row) => view(segment, row));
