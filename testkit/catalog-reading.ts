import { createHash } from 'node:crypto';
import { IDS_A_BLOCK, type CatalogReading, type CatalogRow, type CatalogTable } from '../src/catalog/model/catalog-reading.ts';
import { sharedCapsOf } from '../src/catalog/postgres/shared-caps.ts';
import { createCatalogBuilder } from '../src/catalog/snapshot/build-catalog.ts';
import { openSnapshot } from '../src/catalog/snapshot/open-snapshot.ts';
import type { Snapshot } from '../src/catalog/snapshot/snapshot.ts';
import type { DimensionSchema } from '../src/targeting/dimension-schema.ts';

export interface Tables extends Partial<
  Pick<CatalogReading, 'version' | 'recentCounts' | 'creativeCounts' | 'sharedCaps' | 'hourlyImpressions'>
> {
  readonly rows: (table: CatalogTable) => readonly CatalogRow[];
}

/** A reading of rows in memory, in the blocks in which Postgres has them. */
export const readingOf = ({
  rows,
  version = 7,
  recentCounts = new Map(),
  creativeCounts = new Map(),
  sharedCaps,
  hourlyImpressions = new Map(),
}: Tables): CatalogReading => {
  const known = new Map<CatalogTable, ReadonlyMap<number, readonly CatalogRow[]>>();
  const blocksOf = (table: CatalogTable): ReadonlyMap<number, readonly CatalogRow[]> => {
    const read = known.get(table);
    if (read) return read;
    const blocks = new Map<number, CatalogRow[]>();
    for (const given of rows(table)) {
      const row: CatalogRow = { ...given, edition: editionOf(given) };
      const block = typeof row['id'] === 'number' ? Math.floor(row['id'] / IDS_A_BLOCK) : 0;
      const of = blocks.get(block);
      if (of) of.push(row);
      else blocks.set(block, [row]);
    }
    known.set(table, blocks);
    return blocks;
  };
  return {
    version,
    userHashKey: Buffer.alloc(32, 1),
    recentCounts,
    creativeCounts,
    sharedCaps: sharedCaps ?? sharedCapsIn(rows),
    hourlyImpressions,
    digests: (table) => new Map([...blocksOf(table)].map(([block, of]) => [block, JSON.stringify(of)])),
    rows: (table, block) => Promise.resolve(blocksOf(table).get(block) ?? []),
  };
};

const sharedCapsIn = (rows: Tables['rows']): CatalogReading['sharedCaps'] => {
  const campaigns = new Map(rows('campaigns').map((campaign) => [campaign['id'], campaign]));
  return sharedCapsOf(
    rows('line_items').flatMap(({ campaign_id, frequency_caps }) => {
      const campaign = campaigns.get(campaign_id);
      return campaign ? [{ campaign_id, frequency_caps, ...campaign, advertiser_id: campaign['advertiser_id'] ?? null } as never] : [];
    }),
  );
};

const editionOf = (row: CatalogRow): number => createHash('sha256').update(JSON.stringify(row)).digest().readUIntBE(0, 6);

/** The snapshot of one reading, built and opened as a replica does. */
export const snapshotOf = async (
  reading: CatalogReading,
  { dimensions = new Map(), nowMs }: { readonly dimensions?: DimensionSchema; readonly nowMs: number },
): Promise<Snapshot> => openSnapshot(await createCatalogBuilder({ dimensions }).build(reading, nowMs)).snapshot;
