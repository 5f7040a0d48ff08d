import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import type { Hit } from '../../src/ledger/hit.ts';
import { hitLimits } from '../../src/tracking/hit-limits.ts';
import { campaign, lineItem } from '../decision/candidates.ts';

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

test('an impression that was sold at a price and is restored stays within the budgets of a line item that has a fee now', () => {
  const fee = lineItem({ budgetType: 'Flat', cpmMicros: null, budgetMicros: 9_000_000 });
  const snapshot: Pick<Snapshot, 'lineItems' | 'campaigns' | 'expiresAtMs'> = {
    lineItems: new Map([[fee.id, fee]]),
    campaigns: new Map([[fee.campaignId, campaign({ id: fee.campaignId, budgetMicros: 5_000 })]]),
    expiresAtMs: () => 0,
  };
  const ad = { publisherId: 1, lineItemId: fee.id, campaignId: fee.campaignId, billsOn: 'impression', priceMicros: 1_000 };
  const limitsOf = (hit: object) => hitLimits(snapshot as Snapshot, { ad, atMs: 0, ...hit } as Hit).limits;
  const restored = { reason: 'data_center', atMs: 0 };
  expect(limitsOf({ restored })).toMatchObject({ budgetMicros: 9_000_000, campaignBudgetMicros: 5_000 });
  expect(limitsOf({ restored, ad: { ...ad, priceMicros: 0 } })).toMatchObject({ budgetMicros: null, campaignBudgetMicros: null });
  expect(limitsOf({})).toMatchObject({ budgetMicros: null, campaignBudgetMicros: null });
});
