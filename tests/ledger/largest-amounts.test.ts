import { MAX_AMOUNT, microsFromAmount } from '../../src/catalog/model/money.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { candidate, lineItem } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

const MOST = microsFromAmount(MAX_AMOUNT);

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

it('holds and bills the largest budget to the micro: redis, its scripts and the stored events', async () => {
  expect(MOST).toBe(1e15);
  const item = lineItem({ budgetMicros: MOST });
  const at = (priceMicros: number) => ({ ...candidate(item), priceMicros, expectedMicros: priceMicros });
  const third = at((MOST - 1) / 3);
  const billed: number[] = [];
  for (let i = 0; i < 3; i++) {
    const ad = servedAd(await rig.reserve([[third]]), third);
    expect((await rig.accounts.lineItems(1, [item.id]))[0]).toMatchObject({ heldMicros: (MOST - 1) / 3 });
    billed.push((await rig.settle(ad, 'impression', { item })).billedMicros);
  }
  expect(billed).toEqual([333_333_333_333_333, 333_333_333_333_333, 333_333_333_333_333]);
  expect((await rig.accounts.lineItems(1, [item.id]))[0]).toMatchObject({ totalSpendMicros: 999_999_999_999_999, heldMicros: 0 });
  // A micro is left: not two.
  expect((await rig.reserve([[at(2)]])).imps[0]!.refused).toEqual([NoBidReason.BudgetSpent]);
  const last = at(1);
  await rig.settle(servedAd(await rig.reserve([[last]]), last), 'impression', { item });
  expect((await rig.accounts.lineItems(1, [item.id]))[0]).toMatchObject({ totalSpendMicros: MOST });
  expect((await rig.reserve([[last]])).imps[0]!.refused).toEqual([NoBidReason.BudgetSpent]);
});
