import { createDayRules, type DayRule, type DayRuleOf } from '../../base/local-day.ts';
import { IDLE_KEY_TTL_MS } from '../../base/utc-day.ts';
import { createZoneOffset, type ZoneOffset } from '../../base/zone-offset.ts';
import { entitiesIn, entityTable, storedBlock, type StoredBlock } from '../columns/entity-table.ts';
import { BIDDERS, CAMPAIGNS, CREATIVES, LINE_ITEMS, PLACEMENTS, PUBLISHERS } from '../columns/entity-types.ts';
import { CATALOG_TABLES, type CatalogTable } from '../model/catalog-reading.ts';
import type { LineItem } from '../model/entities.ts';
import { bookingsOf, candidateIndex, openRanks, type BookingTables, type Ranks } from './candidate-index.ts';
import type { BlockUpdate, CatalogUpdate, SlotParts, SlotUpdate } from './catalog-update.ts';
import { createCompanionSetsOf } from './companion-sets.ts';
import { createPlacementsOf } from './placements-of.ts';
import { createSiblingsOf } from './siblings.ts';
import type { Slot, Snapshot } from './snapshot.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';
import { hoursTraffic } from './hours-traffic.ts';
import { createScheduledCurves } from './scheduled-curve.ts';
import { curveAt } from './traffic-curve.ts';

/** A snapshot with the parts that the next update changes. */
export interface OpenedSnapshot {
  readonly snapshot: Snapshot;
  readonly blocks: Readonly<Record<CatalogTable, ReadonlyMap<number, StoredBlock>>>;
  readonly slots: ReadonlyMap<string, ReadonlyMap<number, StoredSlot>>;
  readonly clocks: Clocks;
}

/** What is known of time zones, which one snapshot learns for the next. */
interface Clocks {
  readonly zoneOffset: ZoneOffset;
  readonly dayRuleOf: DayRuleOf;
}

const createClocks = (): Clocks => {
  const zoneOffset = createZoneOffset();
  return { zoneOffset, dayRuleOf: createDayRules(zoneOffset) };
};

/** A slot of all snapshots until it changes. Its ranks are opened when they are first read. */
interface StoredSlot {
  readonly parts: SlotParts;
  readonly ranks: { direct?: Ranks; programmatic?: Ranks };
}

/**
 * Counters outlive the last flight of their publisher by this much, for late hits, reports and a
 * flight that is extended.
 */
const COUNTERS_MARGIN_MS = IDLE_KEY_TTL_MS;

/**
 * The snapshot after an update: an immutable view of shared memory. Costs what the update changes,
 * and the publishers, placements and bidders, which are few and read as a whole: they are objects.
 */
export const openSnapshot = (update: CatalogUpdate, current?: OpenedSnapshot): OpenedSnapshot => {
  const previous = update.whole ? undefined : current;
  const blocks = mergeBlocks(update.blocks, previous?.blocks);
  const slots = mergeSlots(update.slots, previous?.slots);
  const publishers =
    previous?.blocks.publishers === blocks.publishers ? previous.snapshot.publishers : entitiesIn(PUBLISHERS, blocks.publishers.values());
  const placements =
    previous?.blocks.placements === blocks.placements ? previous.snapshot.placements : entitiesIn(PLACEMENTS, blocks.placements.values());
  const bidders = previous?.blocks.bidders === blocks.bidders ? previous.snapshot.bidders : entitiesIn(BIDDERS, blocks.bidders.values());
  const creatives = entityTable(CREATIVES, blocks.creatives);
  const lineItems = entityTable(LINE_ITEMS, blocks.line_items);
  const tables: BookingTables = { campaigns: entityTable(CAMPAIGNS, blocks.campaigns), lineItems, creatives };
  const trafficOf = (publisherId: number): HourlyTraffic | undefined => update.traffic.get(publisherId);
  const zoneOf = (publisherId: number): string => publishers.get(publisherId)?.timeZone ?? 'UTC';
  const clocks = current?.clocks ?? createClocks();
  const daysOf = (publisherId: number, atMs: number): DayRule => clocks.dayRuleOf(zoneOf(publisherId), atMs);
  const scheduledAt = createScheduledCurves({ zoneOffset: clocks.zoneOffset, zoneOf, trafficOf, daysOf });
  const opened = new Map<StoredSlot, Slot>();
  const snapshot: Snapshot = Object.freeze({
    version: update.version,
    loadedAtMs: update.loadedAtMs,
    publishers,
    publisherByKeyHash: new Map(Array.from(publishers.values(), (publisher) => [publisher.apiKeyHash, publisher])),
    placements,
    bidders,
    ...tables,
    creativesOf: creatives.childrenOf,
    placementsOf: createPlacementsOf(creatives, placements),
    companionSetsOf: createCompanionSetsOf(creatives, placements),
    slot: (publisherId: number, placementId: string) => {
      const stored = slots.get(placementId)?.get(publisherId);
      if (stored === undefined) return EMPTY_SLOT;
      let slot = opened.get(stored);
      if (slot === undefined) opened.set(stored, (slot = openSlot(stored, tables)));
      return slot;
    },
    daysOf,
    hoursOf: ({ publisherId, sales: { schedule } }: LineItem, atMs: number) =>
      schedule === null ? undefined : hoursTraffic(schedule, clocks.zoneOffset(zoneOf(publisherId), atMs), trafficOf(publisherId)),
    curveAt: (publisherId: number, atMs: number) =>
      curveAt(atMs, trafficOf(publisherId), (lineItem, campaign) => scheduledAt(lineItem, campaign, atMs), daysOf(publisherId, atMs)),
    siblingsOf: createSiblingsOf(update.version, lineItems),
    expiresAtMs: (publisherId: number) => Math.max(update.flightEndsMs.get(publisherId) ?? 0, update.loadedAtMs) + COUNTERS_MARGIN_MS,
    quarantined: update.quarantined,
    quarantinedCount: update.quarantinedCount,
    userHashKey: update.userHashKey,
  });
  return { snapshot, blocks, slots, clocks };
};

const NO_BOOKINGS = bookingsOf({} as BookingTables, new Int32Array(0));
const EMPTY_SLOT: Slot = { direct: undefined, programmatic: undefined, leftOut: NO_BOOKINGS, vacancy: 'NothingBooked' };

/** A table without changes stays the same map. */
const mergeBlocks = (updates: readonly BlockUpdate[], previous: OpenedSnapshot['blocks'] | undefined): OpenedSnapshot['blocks'] => {
  const merged = Object.fromEntries(
    CATALOG_TABLES.map((table) => {
      const before = previous?.[table] ?? new Map<number, StoredBlock>();
      return [table, updates.some((one) => one.table === table) ? new Map(before) : before];
    }),
  ) as Record<CatalogTable, Map<number, StoredBlock>>;
  for (const { table, block, rows, buffer } of updates) {
    if (buffer === undefined) merged[table].delete(block);
    else merged[table].set(block, storedBlock(buffer, rows));
  }
  return merged;
};

const mergeSlots = (updates: readonly SlotUpdate[], previous: OpenedSnapshot['slots'] = new Map()): OpenedSnapshot['slots'] => {
  const merged = new Map(previous);
  const copied = new Map<string, Map<number, StoredSlot>>();
  for (const { placementId, publisherId, parts } of updates) {
    let ofPlacement = copied.get(placementId);
    if (ofPlacement === undefined) {
      ofPlacement = new Map(previous.get(placementId));
      copied.set(placementId, ofPlacement);
      merged.set(placementId, ofPlacement);
    }
    if (parts === undefined) ofPlacement.delete(publisherId);
    else ofPlacement.set(publisherId, { parts, ranks: {} });
  }
  return merged;
};

const openSlot = ({ parts, ranks }: StoredSlot, tables: BookingTables): Slot => {
  const indexOf = (name: 'direct' | 'programmatic') => {
    const buffer = parts[name];
    return buffer && candidateIndex(tables, (ranks[name] ??= openRanks(buffer)));
  };
  return {
    direct: indexOf('direct'),
    programmatic: indexOf('programmatic'),
    leftOut: parts.leftOut ? bookingsOf(tables, new Int32Array(parts.leftOut)) : NO_BOOKINGS,
    vacancy: parts.vacancy,
  };
};
