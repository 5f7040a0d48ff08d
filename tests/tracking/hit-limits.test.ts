import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import type { Hit } from '../../src/ledger/hit.ts';
import { hitLimits } from '../../src/tracking/hit-limits.ts';

test('accounts outlive a hit by a month, also when the publisher is gone from a snapshot that is a year old', () => {
  const atMs = Date.UTC(2026, 5, 15);
  const old: Pick<Snapshot, 'lineItems' | 'campaigns' | 'expiresAtMs'> = {
    lineItems: new Map(),
    campaigns: new Map(),
    expiresAtMs: () => atMs - 365 * MS_PER_DAY + 35 * MS_PER_DAY,
  };
  const hit = { ad: { publisherId: 1, lineItemId: 2, campaignId: 3, billsOn: 'impression' }, atMs } as Hit;
  expect(hitLimits(old as Snapshot, hit).expiresAtMs).toBe(atMs + 35 * MS_PER_DAY);
});
