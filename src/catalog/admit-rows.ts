import type { DimensionSchema } from '../targeting/dimension-schema.ts';
import { rowToCampaign, rowToCreative, rowToLineItem, rowToPlacement, rowToPublisher } from './catalog-rows.ts';
import type { CatalogReading, CatalogRow, CatalogTable } from './catalog-rows.ts';
import { checkCampaign, checkCreative, checkLineItem, checkPlacement, checkPublisher } from './check-entities.ts';
import type { Checked } from './check-record.ts';
import type { Campaign, Creative, LineItem, Placement, Publisher } from './entities.ts';
import { pauseForEventLoop, runInSlices } from './run-in-slices.ts';
import type { Quarantined } from './snapshot.ts';
import { toCampaign, toCreative, toLineItem, toPlacement } from './to-entities.ts';

/** The rows that hold, as entities; the others, listed. */
export interface AdmittedRows {
  readonly publishers: ReadonlyMap<number, Publisher>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly campaigns: ReadonlyMap<number, Campaign>;
  readonly lineItems: ReadonlyMap<number, LineItem>;
  readonly creatives: ReadonlyMap<number, Creative>;
  /** Creatives taken out of delivery, for quality reports for instance. */
  readonly blocked: ReadonlySet<number>;
  readonly quarantined: readonly Quarantined[];
  readonly quarantinedCount: number;
}

const STEP = 64;
const LISTED = 1000;

/**
 * Checks every row with the rules of the trafficking API, parents first. A row that fails is set aside, and with it all that belong to it;
 * everything else is admitted. `pause` is awaited whenever the event loop has been held long enough.
 */
export const admitRows = async (
  reading: CatalogReading,
  dimensions: DimensionSchema,
  pause: () => Promise<void> = pauseForEventLoop,
): Promise<AdmittedRows> => {
  const quarantine = createQuarantine();
  const publishers = new Map<number, Publisher>();
  const placements = new Map<string, Placement>();
  const campaigns = new Map<number, Campaign>();
  const lineItems = new Map<number, LineItem>();
  const creatives = new Map<number, Creative>();
  const blocked = new Set<number>();

  /** Admits the rows of one table; `enter` returns why a checked record cannot be admitted after all. */
  const admit = async <T>(
    table: CatalogTable,
    check: (row: CatalogRow) => Checked<T>,
    enter: (id: number, record: T, row: CatalogRow) => string | undefined,
  ): Promise<void> => {
    function* admitPage(page: readonly CatalogRow[]): Generator<undefined, void> {
      for (const [i, row] of page.entries()) {
        const checked = check(row);
        const reason = checked.ok
          ? enter(row['id'] as number, checked.record, row)
          : checked.faults.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
        if (reason !== undefined) quarantine.add(table, row['id'], reason);
        if (i % STEP === STEP - 1) yield;
      }
    }
    for await (const page of reading.pages(table)) {
      // Parsing the page has held the loop already.
      await pause();
      await runInSlices(admitPage(page), pause);
    }
  };

  await admit(
    'publishers',
    (row) => checkPublisher(rowToPublisher(row)),
    (id, { name, domain }, row) => {
      publishers.set(id, { id, name, domain, apiKeyHash: String(row['api_key_hash']) });
      return undefined;
    },
  );
  await admit(
    'placements',
    (row) => checkPlacement(rowToPlacement(row)),
    (_, record) => {
      const { publisher_id: publisherId } = record;
      if (publisherId !== null && !publishers.has(publisherId)) return quarantine.parentReason('publishers', publisherId);
      placements.set(record.id, toPlacement(record));
      return undefined;
    },
  );
  await admit(
    'campaigns',
    (row) => checkCampaign(rowToCampaign(row)),
    (id, record) => {
      if (!publishers.has(record.publisher_id)) return quarantine.parentReason('publishers', record.publisher_id);
      campaigns.set(id, toCampaign(id, record));
      return undefined;
    },
  );
  await admit(
    'line_items',
    (row) => checkLineItem(rowToLineItem(row), { dimensions }),
    (id, record) => {
      const campaign = campaigns.get(record.campaign_id);
      if (campaign === undefined) return quarantine.parentReason('campaigns', record.campaign_id);
      lineItems.set(id, toLineItem(id, record, campaign));
      return undefined;
    },
  );
  await admit(
    'creatives',
    (row) => checkCreative(rowToCreative(row)),
    (id, record, row) => {
      if (!placements.has(record.placement_id)) return quarantine.parentReason('placements', record.placement_id);
      if (!lineItems.has(record.line_item_id)) return quarantine.parentReason('line_items', record.line_item_id);
      const creative = toCreative(id, record);
      if (creative === undefined) return '/content cannot be read';
      creatives.set(id, creative);
      if (row['blocked_at'] !== null && row['blocked_at'] !== undefined) blocked.add(id);
      return undefined;
    },
  );

  return { publishers, placements, campaigns, lineItems, creatives, blocked, ...quarantine.result() };
};

const createQuarantine = () => {
  const listed: Quarantined[] = [];
  const setAside = new Set<string>();
  let count = 0;
  return {
    add: (table: CatalogTable, id: unknown, reason: string): void => {
      count++;
      setAside.add(`${table} ${String(id)}`);
      if (listed.length < LISTED) listed.push({ table, id: String(id), reason });
    },
    parentReason: (table: CatalogTable, id: number | string): string =>
      setAside.has(`${table} ${id}`) ? `belongs to ${table} ${id}, which is set aside` : `refers to ${table} ${id}, which does not exist`,
    result: () => ({ quarantined: listed, quarantinedCount: count }),
  };
};
