import fc from 'fast-check';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { LINK_UP } from '../../testkit/link-up.ts';

const MIDNIGHT = NOON + 12 * HOUR;

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

/** A replica on the same Redis with another life of tokens. */
const ledgerOf = (tokenTtlMs: number) =>
  createLedger({ redis: rig.redis, link: LINK_UP, keys: rig.keys, tokenTtlMs, pid: { kp: 0, ki: 0, kd: 0 }, clock: VIRTUAL_CLOCK_KEY });

/** A request of an auction. */
const AUCTION = {
  ...{ publisherId: 1, userHash: null, expiresAtMs: Date.now() + DAY, maxHoldMs: MINUTE },
  curve: { hourStartMs: 0, shareBefore: 0, shareOfHour: 0 },
};

const accountOf = async (id = 1) => (await rig.accounts.lineItems(1, [id]))[0]!;

/** Everything has ended, and every late hit is folded. */
const afterTheEnd = async (ms: number): Promise<void> => {
  await rig.at(ms);
  await rig.horizon(ms);
};

describe('holds', () => {
  it('return to zero, to the micro, whatever lives, prices, clocks and orders of settling they have', async () => {
    const step = fc.record({
      ttlMs: fc.constantFrom(MINUTE, 20 * MINUTE, 30 * MINUTE, 2 * HOUR),
      priceMicros: fc.constantFrom(1, 1_000, 50_000),
      clockMs: fc.constantFrom(-1_000, -200, 0, 10, 5_000, 61_000, 10 * MINUTE),
      settles: fc.nat({ max: 3 }),
      which: fc.nat(),
    });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        id++;
        const start = MIDNIGHT - 15 * MINUTE + id * DAY;
        let now = start;
        await afterTheEnd(now);
        const item = lineItem({ id, campaignId: id, budgetMicros: 400_000 });
        const open: ServedAd[] = [];
        let billed = 0;
        for (const { ttlMs, priceMicros, clockMs, settles, which } of steps) {
          await rig.at((now += clockMs));
          const one = candidate(item, { campaign: campaign({ id }), priceMicros });
          const answer = await ledgerOf(ttlMs).reserve({
            ...{ publisherId: 1, userHash: null, expiresAtMs: Date.now() + DAY, imps: [[one]] },
            curve: { hourStartMs: 0, shareBefore: 0, shareOfHour: 0 },
          });
          if (answer!.imps[0]!.moments) open.push(servedAd(answer!, one));
          for (let i = 0; i < settles && open.length > 0; i++) {
            const [ad] = open.splice(which % open.length, 1);
            const { outcome, foundHold } = await rig.settle(ad!, 'impression', { item });
            expect([outcome, foundHold]).not.toEqual(['counted', false]);
            if (outcome === 'counted') billed += ad!.priceMicros;
          }
          const account = await accountOf(id);
          expect(account).toMatchObject({ broken: 0, totalSpendMicros: billed });
          expect(billed + account.heldMicros).toBeLessThanOrEqual(400_000);
        }
        await afterTheEnd(now + 6 * HOUR);
        expect(await accountOf(id)).toMatchObject({ broken: 0, heldMicros: 0, heldToday: 0, heldTodayMicros: 0 });
      }),
      { numRuns: 40, seed: 3 },
    );
  });

  it('of tokens with a short life are released on time behind one with a long life', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 10 }));
    const request = { publisherId: 1, userHash: null, expiresAtMs: Date.now() + DAY, imps: [[one]] };
    const curve = { hourStartMs: 0, shareBefore: 0, shareOfHour: 0 };
    await ledgerOf(12 * HOUR).reserve({ ...request, curve });
    for (let i = 0; i < 9; i++) await ledgerOf(MINUTE).reserve({ ...request, curve });
    await afterTheEnd(NOON + 2 * MINUTE);
    expect((await accountOf()).heldToday).toBe(1);
  });

  it('keep an account small when lives alternate', async () => {
    const one = candidate(lineItem());
    const curve = { hourStartMs: 0, shareBefore: 0, shareOfHour: 0 };
    const ledgers = [ledgerOf(30 * MINUTE), ledgerOf(20 * MINUTE)];
    for (let i = 0; i < 600; i++) {
      await afterTheEnd(NOON + i * 10_000);
      await ledgers[i % 2]!.reserve({ publisherId: 1, userHash: null, curve, expiresAtMs: Date.now() + DAY, imps: [[one]] });
    }
    expect(await rig.redis.hstrlen(rig.keys.accounts(1), 'l1')).toBeLessThan(1_500);
  });

  it('are found by hits when the clock of Redis steps back over midnight', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 10 }));
    await rig.at(MIDNIGHT + 100);
    const ads = [servedAd(await rig.reserve([[one]]), one)];
    await rig.at(MIDNIGHT - 900);
    for (let i = 0; i < 3; i++) ads.push(servedAd(await rig.reserve([[one]]), one));
    for (const ad of ads) expect(await rig.settle(ad)).toMatchObject({ outcome: 'counted', foundHold: true });
    expect(await accountOf()).toMatchObject({ today: { impressions: 4 }, yesterday: { impressions: 0 }, heldToday: 0 });
  });

  it('of 1,000 lost auctions leave a cap of 1,000 free after a minute, and no account grows', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 1_000, budgetMicros: 1_333_000 }));
    const auction = () => rig.ledger.reserve({ ...AUCTION, imps: [[one]] });
    const wins = async (count: number): Promise<number> =>
      (await Promise.all(Array.from({ length: count }, auction))).filter((answer) => answer!.imps[0]!.winner === 0).length;
    expect(await wins(1_001)).toBe(1_000);
    await afterTheEnd(NOON + 59_000);
    expect(await wins(1)).toBe(0);
    await afterTheEnd(NOON + 68_000);
    expect(await accountOf()).toMatchObject({ heldToday: 0, heldMicros: 0, broken: 0 });
    expect(await wins(1_000)).toBe(1_000);
    expect(await rig.redis.hstrlen(rig.keys.accounts(1), 'l1')).toBeLessThan(400);
  });

  it('that end before their token refuse a late impression, and keep its clicks and events', async () => {
    const one = candidate(lineItem({ budgetType: 'CPC', cpmMicros: null, cpcMicros: 500_000 }));
    const [seen, late] = [await rig.ledger.reserve({ ...AUCTION, imps: [[one]] }), await rig.ledger.reserve({ ...AUCTION, imps: [[one]] })];
    const [ad, lateAd] = [servedAd(seen!, one), servedAd(late!, one)];
    expect([ad.tokenExpS * 1000 - NOON, ad.holdEndMs - NOON]).toEqual([30 * MINUTE, expect.closeTo(61_000, -4)]);
    await rig.at(NOON + 58_000);
    expect(await rig.settle(ad)).toMatchObject({ outcome: 'counted', foundHold: true });
    await rig.at(ad.holdEndMs);
    expect(await rig.settle(lateAd)).toMatchObject({ outcome: 'expired' });
    await afterTheEnd(NOON + 25 * MINUTE);
    expect(await rig.settle(lateAd)).toMatchObject({ outcome: 'expired' });
    expect(await rig.settle(ad, 'click')).toMatchObject({ outcome: 'counted', billedMicros: 500_000 });
    expect(await rig.settle(ad)).toMatchObject({ outcome: 'expired' });
    await rig.at(ad.tokenExpS * 1000);
    expect(await rig.settle(ad, 'event', { eventType: 'like' })).toMatchObject({ outcome: 'expired' });
  });

  it('occupy a place no longer than its frequency window', async () => {
    const once = candidate(lineItem({ frequencyCaps: perUser(1, 2_000) }));
    expect(await rig.reserveMany(once, 3, 'ann')).toBe(1);
    await afterTheEnd(NOON + 15_000);
    expect(await rig.reserveMany(once, 3, 'ann')).toBe(1);
  });
});

describe('a place under a frequency cap', () => {
  it('waits for the hits that were stored in Postgres', async () => {
    const once = candidate(lineItem({ frequencyCaps: perUser(1, HOUR) }));
    const ad = servedAd(await rig.reserve([[once]], 'ann'), once, 'ann');
    await rig.at(NOON + 40 * MINUTE);
    expect(await rig.reserveMany(once, 3, 'ann')).toBe(0);
    expect(await rig.settle(ad, 'impression', { item: once.lineItem, late: true })).toMatchObject({ outcome: 'counted' });
    await rig.horizon(NOON + 40 * MINUTE);
    expect(await rig.reserveMany(once, 3, 'ann')).toBe(0);
  });
});

describe('a place under a frequency cap whose line item is gone', () => {
  it('is still taken by the impression, for the window of the selection', async () => {
    const twice = candidate(lineItem({ frequencyCaps: perUser(1, HOUR) }));
    const ad = servedAd(await rig.reserve([[twice]], 'ann'), twice, 'ann');
    await rig.settle(ad, 'impression');
    await afterTheEnd(NOON + 40 * MINUTE);
    expect(await rig.reserveMany(twice, 3, 'ann')).toBe(0);
    await afterTheEnd(NOON + 61 * MINUTE);
    expect(await rig.reserveMany(twice, 3, 'ann')).toBe(1);
  });
});

describe('an account whose records are wrong', () => {
  const broken = {
    'a held sum is negative': (bytes: Buffer) => bytes.writeDoubleLE(-1, 12 * 8),
    'the held sums differ from the holds': (bytes: Buffer) => bytes.writeDoubleLE(123, 14 * 8),
    'a count is not a number': (bytes: Buffer) => bytes.writeDoubleLE(NaN, 2 * 8),
    'its last record is cut': (bytes: Buffer) => bytes.subarray(0, bytes.length - 3),
    'the records are not in order': (bytes: Buffer) => {
      const [from, middle, end] = [bytes.length - 46, bytes.length - 26, bytes.length - 6];
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(middle, end), bytes.subarray(from, middle), bytes.subarray(end)]);
    },
  };

  it.each(Object.entries(broken))('is set aside alone: %s', async (_, damage) => {
    const one = candidate(lineItem({ id: 1, dailyImpressionCap: 100 }));
    const other = candidate(lineItem({ id: 2, dailyImpressionCap: 100 }), { creativeId: 2, campaign: campaign({ id: 2 }) });
    const ads = [];
    for (let minute = 0; minute < 8; minute += 2) {
      await rig.at(NOON + minute * MINUTE);
      ads.push(servedAd(await rig.reserve([[one]]), one));
    }
    const key = rig.keys.accounts(1);
    const packed = (await rig.redis.hgetBuffer(key, 'l1'))!;
    const damaged = damage(packed);
    await rig.redis.hset(key, 'l1', damaged instanceof Buffer ? damaged : packed);

    expect((await accountOf()).broken).toBeGreaterThan(0);
    await rig.settle(ads[0]!);
    const { imps } = await rig.reserve([[one, other]]);
    expect(imps[0]).toMatchObject({ winner: 1, refused: [NoBidReason.AccountSetAside] });
    expect(await rig.redis.hkeys(rig.keys.broken(1))).toEqual([`${key} l1`]);
    expect(await rig.settle(ads[1]!)).toMatchObject({ outcome: 'counted', billedMicros: 1333 });
    expect((await rig.reserve([[one]])).imps[0]).toMatchObject({ refused: [NoBidReason.AccountSetAside] });
  });
});
