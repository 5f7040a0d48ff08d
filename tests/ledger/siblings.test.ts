import type { CatalogRow, CatalogTable } from '../../src/catalog/model/catalog-reading.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { rankDirect } from '../../src/decision/rank-candidates.ts';
import { readingOf, snapshotOf } from '../../testkit/catalog-reading.ts';
import { DAY, HOUR, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
let nowMs: number;
beforeEach(async () => {
  // Tokens outlive the test, so nothing is released and every serve stays committed.
  rig = await createLedgerRig(await testRedisUrl(), { tokenTtlMs: 3 * DAY });
  await goTo(NOON);
});
afterEach(() => rig.close());

const goTo = async (ms: number): Promise<void> => {
  nowMs = ms;
  await rig.at(ms);
};

const FLIGHT = { start_at: new Date(NOON - DAY), end_at: new Date(NOON + 100 * DAY) };
/** 1,000 ads at 1 USD CPM, over a hundred days. */
const BUDGET = 1_000;
const EVEN = { pacing: 'Even' };
const ASAP = { pacing: 'ASAP' };

/** The catalog in a version: line items 1, 2, … of one campaign; undefined: deleted. */
const catalog = (version: number, items: readonly (CatalogRow | undefined)[]): Promise<Snapshot> => {
  const lineItems = items.flatMap((changes, i): CatalogRow[] =>
    changes
      ? [
          {
            ...FLIGHT,
            ...{ campaign_id: 1, type: 'direct', active: true, budget_type: 'CPM', cpm_micros: '1000000', targeting: {}, notice_hosts: [] },
            ...{ id: i + 1, name: `l${i + 1}`, ...changes },
          },
        ]
      : [],
  );
  const rows: Readonly<Record<CatalogTable, readonly CatalogRow[]>> = {
    publishers: [{ id: 1, name: 'p', domain: 'p.example', api_key_hash: 'hash' }],
    placements: [{ id: 'top', publisher_id: 1, width: 300, height: 250, formats: ['html'] }],
    advertisers: [{ id: 1, name: 'a', domain: 'a.example' }],
    bidders: [],
    targetings: [],
    campaigns: [{ ...FLIGHT, id: 1, publisher_id: 1, advertiser_id: 1, name: 'c', budget_micros: String(BUDGET * 1_000) }],
    line_items: lineItems,
    creatives: lineItems.map(({ id }) => ({ id, placement_id: 'top', line_item_id: id, format: 'html', content: 'ad' })),
  };
  return snapshotOf(readingOf({ rows: (table) => rows[table], version }), { nowMs: NOON });
};

/** Requests at a replica that has this catalog; resolves to how many were filled and why the others were not. */
const ask = async (snapshot: Snapshot, lineItemId: number, requests: number) => {
  const imps = [[rankDirect(snapshot.slot(1, 'top').direct!.find(lineItemId)!, 0)]];
  const request = { publisherId: 1, userHash: null, curve: snapshot.curveAt(1, nowMs), expiresAtMs: Date.now() + DAY, imps };
  const siblingsOf = (campaignId: number) => snapshot.siblingsOf(campaignId, nowMs);
  const answers = await Promise.all(Array.from({ length: requests }, () => rig.ledger.reserve({ ...request, siblingsOf })));
  const decided = answers.flatMap((answer) => answer!.imps);
  return {
    filled: decided.filter(({ winner }) => winner === 0).length,
    reasons: [...new Set(decided.flatMap(({ refused }) => refused))],
  };
};

describe('what is set aside of a campaign’s budget for its paced line items', () => {
  it.each<readonly [string, readonly (CatalogRow | undefined)[]]>([
    ['were set to ASAP', [ASAP, ASAP]],
    ['were paused', [{ ...EVEN, active: false }, ASAP]],
    ['were archived', [{ ...EVEN, archived: true }, ASAP]],
    ['were deleted', [undefined, ASAP]],
    ['were ended', [{ ...EVEN, end_at: new Date(NOON) }, ASAP]],
    ['were given a fixed fee', [{ ...EVEN, budget_type: 'Flat', budget_micros: '1000' }, ASAP]],
  ])('is free at once when these %s', async (_, changed) => {
    const before = await catalog(1, [EVEN, ASAP]);
    await ask(before, 1, 1);
    const half = await ask(before, 2, 2 * BUDGET);
    expect(half.filled).toBeGreaterThan(0.48 * BUDGET);
    expect(half.filled).toBeLessThan(0.52 * BUDGET);
    expect(half.reasons).toEqual([NoBidReason.Pacing]);
    const rest = await ask(await catalog(2, changed), 2, 2 * BUDGET);
    expect(half.filled + rest.filled).toBe(BUDGET - 1);
    expect(rest.reasons).toEqual([NoBidReason.BudgetSpent]);
  });

  it('is free when their flight ends, without an edit', async () => {
    const snapshot = await catalog(1, [{ ...EVEN, end_at: new Date(NOON + MINUTE) }, ASAP]);
    await ask(snapshot, 1, 1);
    const half = await ask(snapshot, 2, 2 * BUDGET);
    expect(half.filled).toBeLessThan(0.52 * BUDGET);
    await goTo(NOON + MINUTE);
    expect(half.filled + (await ask(snapshot, 2, 2 * BUDGET)).filled).toBe(BUDGET - 1);
  });

  it('is divided anew when one of several is paused', async () => {
    const before = await catalog(1, [EVEN, EVEN, ASAP]);
    for (const id of [1, 2]) await ask(before, id, 1);
    const third = (await ask(before, 3, 2 * BUDGET)).filled;
    expect(third).toBeGreaterThan(0.31 * BUDGET);
    expect(third).toBeLessThan(0.35 * BUDGET);
    const after = await catalog(2, [EVEN, { ...EVEN, active: false }, ASAP]);
    const half = third + (await ask(after, 3, 2 * BUDGET)).filled;
    expect(half).toBeGreaterThan(0.48 * BUDGET);
    expect(half).toBeLessThan(0.52 * BUDGET);
  });

  it('is not for one that never had a request', async () => {
    const snapshot = await catalog(1, [EVEN, ASAP]);
    expect((await ask(snapshot, 2, 2 * BUDGET)).filled).toBe(BUDGET);
  });

  it('is kept for one that a replica with an older catalog does not know as paced', async () => {
    const [older, newer] = [await catalog(1, [ASAP, ASAP]), await catalog(2, [EVEN, ASAP])];
    await ask(older, 1, 1);
    await ask(newer, 1, 1);
    let ofAsap = 0;
    for (let hour = 0; hour < 6; hour++) {
      await goTo(NOON + hour * HOUR);
      ofAsap += (await ask(older, 2, BUDGET)).filled;
      await ask(newer, 1, 1);
      ofAsap += (await ask(newer, 2, BUDGET)).filled;
    }
    expect(ofAsap).toBeLessThan(0.53 * BUDGET);
  });

  it('is not taken again for one that only a replica with an older catalog knows as paced', async () => {
    const [older, newer] = [await catalog(1, [EVEN, ASAP]), await catalog(2, [ASAP, ASAP])];
    let filled = (await ask(older, 1, 1)).filled + (await ask(older, 2, 2 * BUDGET)).filled;
    filled += (await ask(newer, 2, 100)).filled;
    for (let i = 0; i < 20; i++) filled += (await ask(older, 1, 1)).filled + (await ask(older, 2, 2 * BUDGET)).filled;
    expect(filled).toBe(BUDGET);
  });

  it('stays when the clocks of replicas pass the end of a flight one after the other', async () => {
    const end = { end_at: new Date(NOON + MINUTE) };
    const snapshot = await catalog(1, [EVEN, { ...EVEN, ...end }, ASAP]);
    for (const id of [1, 2]) await ask(snapshot, id, 1);
    let ofAsap = (await ask(snapshot, 3, 2 * BUDGET)).filled;
    // One replica is two seconds ahead.
    for (let i = 0; i < 10; i++) {
      nowMs = NOON + MINUTE + (i % 2 === 0 ? 500 : -1_500);
      ofAsap += (await ask(snapshot, 3, BUDGET)).filled;
    }
    expect(ofAsap).toBeLessThan(0.52 * BUDGET);
  });
});
