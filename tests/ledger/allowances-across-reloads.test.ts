import type { CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import { createCatalogBuilder } from '../../src/catalog/snapshot/build-catalog.ts';
import { openSnapshot, type OpenedSnapshot } from '../../src/catalog/snapshot/open-snapshot.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { rankDirect } from '../../src/decision/rank-candidates.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import { readingOf } from '../../testkit/catalog-reading.ts';
import { DAY, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
let nowMs: number;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
  nowMs = NOON;
  await rig.at(nowMs);
});
afterEach(() => rig.close());

const FLIGHT = { start_at: new Date(NOON - DAY), end_at: new Date(NOON + 100 * DAY) };
const LINE_ITEM: CatalogRow = {
  ...FLIGHT,
  campaign_id: 1,
  type: 'direct',
  active: true,
  budget_type: 'CPM',
  cpm_micros: '1000000',
  pacing: 'ASAP',
  daily_impression_cap: 100_000,
  targeting: {},
  notice_hosts: [],
};
const ROWS: Readonly<Record<CatalogTable, readonly CatalogRow[]>> = {
  publishers: [{ id: 1, name: 'p', domain: 'p.example', api_key_hash: 'hash' }],
  placements: [{ id: 'top', publisher_id: 1, width: 300, height: 250, formats: ['html'] }],
  advertisers: [{ id: 1, name: 'a', domain: 'a.example' }],
  bidders: [],
  targetings: [],
  campaigns: [1, 2].map((id) => ({ ...FLIGHT, id, publisher_id: 1, advertiser_id: 1, name: `c${id}` })),
  line_items: [1, 2].map((id) => ({ ...LINE_ITEM, id, name: `l${id}` })),
  // Line item 1 has two creatives, 1 and 3.
  creatives: [1, 2, 3].map((id) => ({ id, placement_id: 'top', line_item_id: ((id - 1) % 2) + 1, format: 'html', content: `ad ${id}` })),
};

/** A replica, with a catalog that is loaded again after each change of a row. */
const replica = async () => {
  const builder = createCatalogBuilder({ dimensions: new Map() });
  let rows = ROWS;
  let opened: OpenedSnapshot | undefined;
  const load = async (): Promise<void> => {
    opened = openSnapshot(await builder.build(readingOf({ rows: (table) => rows[table] }), NOON), opened);
  };
  const edit = (table: CatalogTable, id: number, change: CatalogRow): Promise<void> => {
    rows = { ...rows, [table]: rows[table].map((row) => (row['id'] === id ? { ...row, ...change } : row)) };
    return load();
  };
  await load();

  let calls = 0;
  const allowances = createAllowances({
    ledger: {
      ...rig.ledger,
      reserve: (request) => {
        calls++;
        return rig.ledger.reserve(request);
      },
    },
    tokenTtlMs: 30 * MINUTE,
    enabled: true,
    reserveMs: 0,
    isUp: () => true,
    now: () => nowMs,
    clock: () => nowMs,
  });
  /** The number of calls that some requests for a creative took, 5 ms apart. */
  const callsFor = async (creativeId: number, requests: number): Promise<number> => {
    calls = 0;
    for (let n = 0; n < requests; n++) {
      const { direct } = (opened as { readonly snapshot: Snapshot }).snapshot.slot(1, 'top');
      const imps = [[rankDirect(direct!.find(creativeId)!, 0)]];
      const expiresAtMs = Date.now() + DAY;
      const { imps: reserved } = await allowances.reserve({
        publisherId: 1,
        userHash: null,
        curve: curveAt(nowMs),
        expiresAtMs,
        imps,
        isShared: true,
      });
      expect(reserved[0]!.winner).toBe(0);
      await rig.at((nowMs += 5));
    }
    return calls;
  };
  return { allowances, edit, load, callsFor };
};

test('lots are for all creatives of a line item, and stay through reloads that do not change it', async () => {
  const { allowances, edit, load, callsFor } = await replica();
  await callsFor(1, 1_000);
  const { outstanding } = allowances;
  expect(outstanding).toBeGreaterThan(20);
  expect(await callsFor(3, 5)).toBe(0);
  await load();
  expect(await callsFor(1, 5)).toBe(0);
  await edit('line_items', 2, { name: 'another name' });
  expect(await callsFor(1, 5)).toBe(0);
  await edit('campaigns', 2, { budget_micros: '5000000' });
  expect(await callsFor(3, 5)).toBe(0);
  await edit('advertisers', 1, { domain: 'other.example' });
  expect(await callsFor(1, 5)).toBe(0);
  await edit('creatives', 1, { weight: 3 });
  expect(await callsFor(1, 5)).toBe(0);
  expect(allowances.outstanding).toBe(outstanding - 30);
});

test.each([
  ['its cap', 'line_items', { daily_impression_cap: 50_000 }],
  ['its price', 'line_items', { cpm_micros: '2000000' }],
  ['the budget of its campaign', 'campaigns', { budget_micros: '5000000' }],
] as const)('a line item gives up its lots when a reload changes %s', async (_, table, change) => {
  const { allowances, edit, callsFor } = await replica();
  await callsFor(1, 1_000);
  const { outstanding } = allowances;
  expect(outstanding).toBeGreaterThan(0);
  await edit(table, 1, change);
  expect(await callsFor(1, 1)).toBe(1);
  const [account] = await rig.accounts.lineItems(1, [1]);
  await allowances.stop();
  const [stopped] = await rig.accounts.lineItems(1, [1]);
  expect(account!.heldToday).toBe(1_001 + outstanding);
  expect(stopped!.heldToday).toBe(1_001);
});
