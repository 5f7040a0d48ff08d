import { isDeepStrictEqual } from 'node:util';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { rowToBidder } from '../postgres/bidder-rows.ts';
import { rowToAdvertiser } from '../postgres/advertiser-rows.ts';
import { rowToCampaign, rowToCreative, rowToLineItem, rowToPlacement, rowToPublisher } from '../postgres/catalog-rows.ts';
import type { CatalogReading, CatalogRow, CatalogTable } from '../model/catalog-reading.ts';
import {
  checkAdvertiser,
  checkBidder,
  checkCampaign,
  checkCreative,
  checkLineItem,
  checkPlacement,
  checkPublisher,
} from '../checks/check-entities.ts';
import type { Checked } from '../checks/check-record.ts';
import type { Advertiser, Bidder, Campaign, Creative, LineItem, Placement, Publisher } from '../model/entities.ts';
import { pauseForEventLoop, runInSlices } from './run-in-slices.ts';
import type { Quarantined } from './snapshot.ts';
import { toAdvertiser, toBidder, toCampaign, toCreative, toLineItem, toPlacement, toPublisher } from './to-entities.ts';

/** The valid rows as entities, and the list of the others. */
export interface AdmittedRows {
  readonly publishers: ReadonlyMap<number, Publisher>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly bidders: ReadonlyMap<number, Bidder>;
  readonly campaigns: ReadonlyMap<number, Campaign>;
  readonly lineItems: ReadonlyMap<number, LineItem>;
  readonly creatives: ReadonlyMap<number, Creative>;
  readonly quarantined: readonly Quarantined[];
  readonly quarantinedCount: number;
  /** What the next load can reuse, by table and block. */
  readonly blocks: ReadonlyMap<CatalogTable, ReadonlyMap<number, Block>>;
}

/** A block of rows that were all admitted. */
interface Block {
  readonly digest: string;
  readonly entities: readonly Entity[];
}

interface Entity {
  readonly id: number | string;
}

export interface AdmitOptions {
  readonly dimensions: DimensionSchema;
  /**
   * The load before, under the same dimensions. A block with the same digest has the same entities.
   */
  readonly previous?: AdmittedRows | undefined;
  /** Awaited whenever a slice of time is used up. */
  readonly pause?: () => Promise<void>;
}

/** How the rows of one table become entities. A string is the reason why a row is set aside. */
interface Admission<Record, E extends Entity> {
  readonly table: CatalogTable;
  readonly check: (row: CatalogRow) => Checked<Record>;
  readonly toEntity: (record: Record, row: CatalogRow) => E | string;
  /** Checks an entity against the parents of this load and returns it as this load has it. */
  readonly join: (entity: E) => E | string;
  readonly into: Map<E['id'], E>;
}

const ROWS_PER_STEP = 64;
const MAX_LISTED = 1000;

/**
 * Checks rows with the rules of the trafficking API, parents first. A row that fails is set aside,
 * with all that belongs to it; everything else is admitted. Unchanged blocks are not read: their
 * entities are admitted again if their parents still are.
 */
export const admitRows = async (
  reading: CatalogReading,
  { dimensions, previous, pause = pauseForEventLoop }: AdmitOptions,
): Promise<AdmittedRows> => {
  const quarantine = createQuarantine();
  const publishers = new Map<number, Publisher>();
  const placements = new Map<string, Placement>();
  const advertisers = new Map<number, Advertiser>();
  const bidders = new Map<number, Bidder>();
  const campaigns = new Map<number, Campaign>();
  const lineItems = new Map<number, LineItem>();
  const creatives = new Map<number, Creative>();
  const blocks = new Map<CatalogTable, Map<number, Block>>();

  const admit = async <R, E extends Entity>({ table, check, toEntity, join, into }: Admission<R, E>): Promise<void> => {
    const keep = (id: E['id'], given: E | string, entities: E[], old?: E): void => {
      const joined = typeof given === 'string' ? given : join(given);
      if (typeof joined === 'string') return quarantine.add(table, id, joined);
      // The same object means "unchanged" to everything that is built from it.
      const entity = isDeepStrictEqual(old, joined) ? (old as E) : joined;
      into.set(entity.id, entity);
      entities.push(entity);
    };
    const read = (row: CatalogRow): E | string => {
      const checked = check(row);
      return checked.ok ? toEntity(checked.record, row) : checked.faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
    };
    function* admitPage(page: readonly CatalogRow[], entities: E[], old: ReadonlyMap<E['id'], E>): Generator<undefined, void> {
      for (const [i, row] of page.entries()) {
        const id = row['id'] as E['id'];
        keep(id, read(row), entities, old.get(id));
        if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
      }
    }
    function* admitAgain(kept: readonly E[], entities: E[]): Generator<undefined, void> {
      for (const entity of kept) keep(entity.id, entity, entities);
      yield;
    }

    const known = new Map<number, Block>();
    blocks.set(table, known);
    for (const [block, digest] of await reading.digests(table)) {
      const before = quarantine.count();
      const entities: E[] = [];
      const kept = previous?.blocks.get(table)?.get(block);
      if (kept?.digest === digest) await runInSlices(admitAgain(kept.entities as readonly E[], entities), pause);
      else {
        const old = new Map(kept?.entities.map((entity) => [entity.id, entity as E]));
        for await (const page of reading.rows(table, block)) {
          // Parsing the page has used the event loop already.
          await pause();
          await runInSlices(admitPage(page, entities, old), pause);
        }
      }
      if (quarantine.count() === before) known.set(block, { digest, entities });
    }
  };

  await admit({
    table: 'publishers',
    check: (row) => checkPublisher(rowToPublisher(row)),
    toEntity: (record, row) => toPublisher(row['id'] as number, record, String(row['api_key_hash'])),
    join: (publisher) => publisher,
    into: publishers,
  });
  await admit({
    table: 'placements',
    check: (row) => checkPlacement(rowToPlacement(row)),
    toEntity: toPlacement,
    join: (placement) =>
      placement.publisherId === null || publishers.has(placement.publisherId)
        ? placement
        : quarantine.parentReason('publishers', placement.publisherId),
    into: placements,
  });
  await admit({
    table: 'advertisers',
    check: (row) => checkAdvertiser(rowToAdvertiser(row)),
    toEntity: (record, row) => toAdvertiser(row['id'] as number, record),
    join: (advertiser) => advertiser,
    into: advertisers,
  });
  await admit({
    table: 'bidders',
    check: (row) => checkBidder(rowToBidder(row)),
    toEntity: (record, row) => toBidder(row['id'] as number, record, row['headers'] as Bidder['headers']),
    join: (bidder) => bidder,
    into: bidders,
  });
  await admit({
    table: 'campaigns',
    check: (row) => checkCampaign(rowToCampaign(row)),
    toEntity: (record, row) => toCampaign(row['id'] as number, record),
    join: (campaign) => {
      const { publisherId, advertiserId } = campaign;
      const publisher = publishers.get(publisherId);
      if (!publisher) return quarantine.parentReason('publishers', publisherId);
      const advertiser = advertiserId === null ? undefined : advertisers.get(advertiserId);
      if (advertiserId !== null && !advertiser) return quarantine.parentReason('advertisers', advertiserId);
      const stop = publisher.archived ? 'publisherArchived' : advertiser?.archived ? 'advertiserArchived' : campaign.ownStop;
      return campaign.stop === stop ? campaign : { ...campaign, stop };
    },
    into: campaigns,
  });
  await admit({
    table: 'line_items',
    check: (row) => checkLineItem(rowToLineItem(row), { dimensions }),
    toEntity: (record, row) => toLineItem(row['id'] as number, record, campaigns.get(record.campaign_id)?.publisherId ?? 0),
    join: (lineItem) => {
      const campaign = campaigns.get(lineItem.campaignId);
      if (campaign === undefined) return quarantine.parentReason('campaigns', lineItem.campaignId);
      const bidder = lineItem.bidderId === null ? undefined : bidders.get(lineItem.bidderId);
      if (lineItem.bidderId !== null && !bidder) return quarantine.parentReason('bidders', lineItem.bidderId);
      const { publisherId } = campaign;
      const stop = bidder?.archived ? 'bidderArchived' : lineItem.ownStop;
      return lineItem.publisherId === publisherId && lineItem.stop === stop ? lineItem : { ...lineItem, publisherId, stop };
    },
    into: lineItems,
  });
  await admit({
    table: 'creatives',
    check: (row) => checkCreative(rowToCreative(row)),
    toEntity: (record, row) => {
      const blocked = row['blocked_at'] !== null && row['blocked_at'] !== undefined;
      return toCreative(row['id'] as number, record, blocked) ?? '/content cannot be read';
    },
    join: (creative) => {
      if (!placements.has(creative.placementId)) return quarantine.parentReason('placements', creative.placementId);
      const lineItem = lineItems.get(creative.lineItemId);
      if (!lineItem) return quarantine.parentReason('line_items', creative.lineItemId);
      const advertiserId = campaigns.get(lineItem.campaignId)?.advertiserId ?? null;
      const advertiserDomain = creative.ownDomain ?? (advertiserId === null ? null : (advertisers.get(advertiserId)?.domain ?? null));
      return creative.advertiserDomain === advertiserDomain ? creative : { ...creative, advertiserDomain };
    },
    into: creatives,
  });

  return { publishers, placements, bidders, campaigns, lineItems, creatives, blocks, ...quarantine.result() };
};

const createQuarantine = () => {
  const listed: Quarantined[] = [];
  const setAside = new Set<string>();
  let count = 0;
  return {
    add: (table: CatalogTable, id: unknown, reason: string): void => {
      count++;
      setAside.add(`${table} ${String(id)}`);
      if (listed.length < MAX_LISTED) listed.push({ table, id: String(id), reason });
    },
    count: () => count,
    parentReason: (table: CatalogTable, id: number | string): string =>
      setAside.has(`${table} ${id}`) ? `belongs to ${table} ${id}, which is set aside` : `refers to ${table} ${id}, which does not exist`,
    result: () => ({ quarantined: listed, quarantinedCount: count }),
  };
};
