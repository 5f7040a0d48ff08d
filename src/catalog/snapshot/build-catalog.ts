import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { CATALOG_TABLES, type CatalogReading } from '../model/catalog-reading.ts';
import { admitRows, type AdmittedBlocks } from './admit-rows.ts';
import { bookSlots, type BookedSlots } from './book-slots.ts';
import type { BlockUpdate, CatalogUpdate, SlotUpdate } from './catalog-update.ts';
import { hourlyTraffic, type HourlyTraffic } from './hourly-traffic.ts';
import { createLineItemTargeting } from './line-item-targeting.ts';
import { createQuarantine } from './quarantine.ts';

/** Pairs that are numbered before they are numbered anew, about 100 MB of text. */
const MAX_PAIRS = 1_000_000;

/**
 * Turns readings of the catalog into updates of one snapshot. The builder remembers what it has built, as columns. The rows of unchanged blocks are not read
 * again, and indexes of unchanged slots are not built again.
 */
export const createCatalogBuilder = ({ dimensions }: { readonly dimensions: DimensionSchema }) => {
  let blocks: AdmittedBlocks | undefined;
  let slots: BookedSlots | undefined;
  let targeting = createLineItemTargeting();
  return {
    /**
     * What has changed since the last reading that was built, all of it at first. Invalid rows are set
     * aside, never thrown. Rejects when the reading fails; the next update then includes its changes.
     *
     * @param nowMs epoch milliseconds at which flights are judged
     */
    build: async (reading: CatalogReading, nowMs: number): Promise<CatalogUpdate> => {
      const quarantine = createQuarantine();
      const admitted = await admitRows(reading, { dimensions, previous: blocks, quarantine });
      // Of changed line items it keeps the values that are not targeted any more.
      if (targeting.pairs.size > MAX_PAIRS) targeting = createLineItemTargeting();
      const booked = bookSlots(admitted, reading, { nowMs, targeting, previous: slots });
      const update: CatalogUpdate = {
        whole: blocks === undefined,
        version: reading.version,
        loadedAtMs: nowMs,
        userHashKey: Buffer.from(reading.userHashKey).toString('hex'),
        blocks: changedBlocks(admitted.blocks, blocks),
        slots: changedSlots(booked, slots),
        traffic: trafficOf(reading.hourlyImpressions),
        flightEndsMs: lastFlightEnds(admitted.campaigns.values()),
        ...quarantine.result(),
      };
      blocks = admitted.blocks;
      slots = booked;
      return update;
    },
  };
};

const changedBlocks = (blocks: AdmittedBlocks, previous: AdmittedBlocks | undefined): readonly BlockUpdate[] =>
  CATALOG_TABLES.flatMap((table): BlockUpdate[] => {
    const now = blocks.get(table)!;
    const before = previous?.get(table) ?? new Map<number, never>();
    const changed = [...now].filter(([block, { buffer }]) => before.get(block)?.buffer !== buffer);
    const gone = [...before.keys()].filter((block) => !now.has(block));
    return [
      ...changed.map(([block, { rows, buffer }]) => ({ table, block, rows, buffer })),
      ...gone.map((block) => ({ table, block, rows: 0, buffer: undefined })),
    ];
  });

const changedSlots = (slots: BookedSlots, previous: BookedSlots = new Map()): readonly SlotUpdate[] => [
  ...[...slots].filter(([key, slot]) => previous.get(key) !== slot).map(([, slot]) => slotUpdate(slot, slot.parts)),
  ...[...previous].filter(([key]) => !slots.has(key)).map(([, slot]) => slotUpdate(slot, undefined)),
];

const slotUpdate = ({ placementId, publisherId }: SlotUpdate, parts: SlotUpdate['parts']): SlotUpdate => ({
  placementId,
  publisherId,
  parts,
});

const trafficOf = (hourlyImpressions: CatalogReading['hourlyImpressions']): ReadonlyMap<number, HourlyTraffic> => {
  const traffic = new Map<number, HourlyTraffic>();
  for (const [publisherId, counts] of hourlyImpressions) {
    const learned = hourlyTraffic(counts);
    if (learned) traffic.set(publisherId, learned);
  }
  return traffic;
};

const lastFlightEnds = (
  campaigns: Iterable<{ readonly publisherId: number; readonly flight: { readonly endMs: number } }>,
): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>();
  for (const { publisherId, flight } of campaigns) ends.set(publisherId, Math.max(ends.get(publisherId) ?? 0, flight.endMs));
  return ends;
};
