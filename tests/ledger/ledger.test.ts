import fc from 'fast-check';
import { NO_TRAITS } from '../../src/catalog/model/advertiser.ts';
import type { BudgetType } from '../../src/catalog/model/choices.ts';
import { readEvent, splitEntry } from '../../src/events/read-event.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { ShownTogether } from '../../src/decision/shown-together.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import { NO_LIMITS } from '../../src/ledger/limits.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { createLedgerRig, momentsOf, servedAd, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

describe('a reservation', () => {
  it('is granted exactly as often as the daily impression cap allows, for any number of concurrent requests', async () => {
    expect(await rig.reserveMany(candidate(lineItem({ dailyImpressionCap: 100 })), 1000)).toBe(100);
  });

  it('never commits more than the daily spend cap, to the micro', async () => {
    // 1.333 USD CPM is 1,333 micros an impression; 7 of them are 9,331 of 10,000.
    expect(await rig.reserveMany(candidate(lineItem({ dailySpendCapMicros: 10_000 })), 50)).toBe(7);
  });

  it('is bounded by the total budget and by the limits that the campaign’s line items share', async () => {
    const shared = campaign({ budgetMicros: 10 * 1333 });
    const first = candidate(lineItem({ id: 1, budgetMicros: 6 * 1333 }), { campaign: shared });
    const second = candidate(lineItem({ id: 2 }), { campaign: shared });
    expect(await rig.reserveMany(first, 50)).toBe(6);
    expect(await rig.reserveMany(second, 50)).toBe(4);
  });

  it('takes the next candidate when the first is over a limit, with the reason for each candidate skipped', async () => {
    const spent = candidate(lineItem({ id: 1, dailyImpressionCap: 0 }));
    const broke = candidate(lineItem({ id: 2, budgetMicros: 1 }));
    const free = candidate(lineItem({ id: 3 }));
    const { imps } = await rig.reserve([[spent, broke, free]]);
    expect(imps[0]).toMatchObject({ winner: 2, refused: [NoBidReason.DailyCap, NoBidReason.BudgetSpent] });
  });

  it('gives two impressions of one request different creatives, and the last place to one of them', async () => {
    const last = candidate(lineItem({ id: 1, dailyImpressionCap: 1 }), { creativeId: 10 });
    const sameItem = candidate(lineItem({ id: 1, dailyImpressionCap: 1 }), { creativeId: 11 });
    const other = candidate(lineItem({ id: 2 }), { creativeId: 20 });
    const { imps } = await rig.reserve([
      [last, other],
      [last, sameItem, other],
      [last, other],
    ]);
    expect(imps.map(({ winner }) => winner)).toEqual([0, 2, -1]);
    expect(imps[1]?.refused).toEqual([NoBidReason.DuplicateInPage, NoBidReason.DailyCap]);
    expect(imps[2]?.refused).toEqual([NoBidReason.DuplicateInPage, NoBidReason.DuplicateInPage]);
  });

  it('gives one answer no two ads that exclude each other, in Redis as in TypeScript', async () => {
    const traits = fc.record({
      labels: fc.constant([]),
      exclusive: fc.boolean(),
      exclusionLabels: fc.subarray(['cars', 'banks', '1'], { maxLength: 2 }),
    });
    const campaigns = fc.array(fc.tuple(fc.option(fc.integer({ min: 1, max: 4 })), traits), { minLength: 2, maxLength: 8 });
    const imps = fc.array(fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 5 });
    const someGoal = { impressions: 1_000, clicks: null, frontload: 0 };
    let excluded = 0;
    await fc.assert(
      fc.asyncProperty(campaigns, imps, async (booked, asked) => {
        const candidates = booked.map(([advertiserId, own], i) =>
          candidate(lineItem({ id: i + 1, ...(i % 2 ? { goals: someGoal } : {}) }), {
            campaign: campaign({ id: i + 1, advertiserId, traits: advertiserId === null ? NO_TRAITS : own }),
          }),
        );
        const request = asked.map((positions) => positions.map((at) => candidates[at % candidates.length]!));
        const shown = new ShownTogether();
        const expected = request.map((offered) => {
          const refused = offered.map((one) => shown.refusalOf(one));
          const winner = refused.indexOf(undefined);
          if (winner >= 0) shown.add(offered[winner]!);
          return { winner, refused: winner < 0 ? refused : refused.slice(0, winner) };
        });
        excluded += expected.flatMap(({ refused }) => refused).filter((reason) => reason === NoBidReason.CompetitorInPage).length;
        expect((await rig.reserve(request)).imps.map(({ winner, refused }) => ({ winner, refused }))).toEqual(expected);
      }),
      { numRuns: 200, seed: 3 },
    );
    expect(excluded).toBeGreaterThan(50);
  });

  it('is released after it expires, once every hit stored in Postgres is known to be folded', async () => {
    const capped = candidate(lineItem({ dailyImpressionCap: 10 }));
    expect(await rig.reserveMany(capped, 20)).toBe(10);
    await rig.at(NOON + 40 * MINUTE);
    expect(await rig.reserveMany(capped, 20)).toBe(0);
    await rig.horizon(NOON + 20 * MINUTE);
    expect(await rig.reserveMany(capped, 20)).toBe(0);
    await rig.horizon(NOON + 40 * MINUTE);
    expect(await rig.reserveMany(capped, 20)).toBe(10);
  });

  it('is released at the price at which it was reserved', async () => {
    const bid = (priceMicros: number) => candidate(lineItem({ dailySpendCapMicros: 3_000, cpmMicros: null }), { priceMicros });
    expect(await rig.reserveMany(bid(1_000), 1)).toBe(1);
    expect(await rig.reserveMany(bid(1_500), 5)).toBe(1);
    await rig.at(NOON + 40 * MINUTE);
    await rig.horizon(NOON + 40 * MINUTE);
    await rig.reserve([[bid(3_001)]]);
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({ heldToday: 0, heldTodayMicros: 0, heldMicros: 0 });
    expect(await rig.reserveMany(bid(3_000), 5)).toBe(1);
  });

  it('counts towards the UTC day of its selection; a new day starts with its whole cap', async () => {
    const capped = candidate(lineItem({ dailyImpressionCap: 5 }));
    await rig.at(NOON + 12 * HOUR - MINUTE);
    const before = await rig.reserve([[capped]]);
    expect(await rig.reserveMany(capped, 10)).toBe(4);
    await rig.at(NOON + 12 * HOUR + MINUTE);
    expect(await rig.reserveMany(capped, 10)).toBe(5);
    expect((await rig.settle(servedAd(before, capped))).foundHold).toBe(true);
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({
      yesterday: { impressions: 1 },
      today: { impressions: 0, serves: 5 },
      heldToday: 5,
    });
  });

  it('forgets a user who did not render an hour after the end of the hold, whatever the frequency window', async () => {
    const capped = candidate(lineItem({ frequencyCaps: perUser(3, 366 * DAY) }));
    await rig.reserve([[capped]], 'user');
    const [key = ''] = await rig.redis.keys('*:places:*');
    expect(await rig.redis.pttl(key)).toBeLessThanOrEqual(31 * MINUTE + HOUR);
    expect(await rig.redis.call('MEMORY', 'USAGE', key)).toBeLessThan(400);
  });

  it('sets a time to live on every key', async () => {
    const capped = candidate(lineItem({ frequencyCaps: perUser(3, DAY) }));
    const reservation = await rig.reserve([[capped]], 'user');
    await rig.settle(servedAd(reservation, capped, 'user'), 'impression', { item: capped.lineItem });
    await rig.redis.del(VIRTUAL_CLOCK_KEY);
    const streams = [rig.keys.events(1)]; // The event writer renews those: an event must outlive any outage of Postgres.
    const keys = (await rig.redis.keys('*')).filter((key) => !streams.includes(key));
    expect(keys.length).toBeGreaterThanOrEqual(4);
    expect((await Promise.all(keys.map((key) => rig.redis.pttl(key)))).every((ttl) => ttl > 0)).toBe(true);
  });
});

describe('a settled impression', () => {
  it('is counted and billed once, however often each kind of hit is repeated', async () => {
    const one = candidate(lineItem());
    const ad = servedAd(await rig.reserve([[one]]), one);
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => rig.settle(ad)));
    expect(outcomes.filter(({ outcome }) => outcome === 'counted')).toEqual([{ outcome: 'counted', billedMicros: 1333, foundHold: true }]);
    await rig.at(NOON + 1000);
    expect(await rig.settle(ad, 'click')).toMatchObject({ outcome: 'counted', billedMicros: 0 });
    expect(await rig.settle(ad, 'event', { eventType: 'like' })).toMatchObject({ outcome: 'counted' });
    expect(await rig.settle(ad, 'event', { eventType: 'share' })).toMatchObject({ outcome: 'counted' });
    expect(await rig.settle(ad, 'event', { eventType: 'like' })).toMatchObject({ outcome: 'duplicate' });
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({
      today: { serves: 1, impressions: 1, clicks: 1, spendMicros: 1333 },
      totalSpendMicros: 1333,
      heldToday: 0,
    });
    expect(await rig.redis.xlen(rig.keys.events(1))).toBe(4);
  });

  it('is stored with up to 31 other hits of its turn in one stream entry of the shard', async () => {
    const one = candidate(lineItem());
    const ads = await Promise.all(Array.from({ length: 40 }, async () => servedAd(await rig.reserve([[one]]), one)));
    const hit = { kind: 'impression', eventType: '', invalidReason: '', atMs: NOON, country: null, device: null } as const;
    const elsewhere = { ...hit, ad: { ...ads[0]!, tokenId: 'elsewhere', publisherId: 2, holdEndMs: 0 } };
    const limits = { limits: NO_LIMITS, expiresAtMs: Date.now() + DAY };
    await Promise.all([...ads.map((ad) => rig.settle(ad)), rig.ledger.settle(elsewhere, limits)]);
    const entriesOf = (shard: number) => rig.redis.xrange(rig.keys.events(shard), '-', '+');
    const [entries, ofOther] = await Promise.all([entriesOf(1), entriesOf(2)]);
    const events = entries.map(([, fields]) => splitEntry(fields));
    expect([...events, ...ofOther.map(([, fields]) => splitEntry(fields))].map(({ length }) => length)).toEqual([32, 8, 1]);
    expect(events.flat().map((fields) => readEvent(fields).hit.ad.tokenId)).toEqual(ads.map(({ tokenId }) => tokenId));
  });

  it('is counted also when another hit of its turn fails, and is known when it is sent again', async () => {
    const capped = candidate(lineItem({ frequencyCaps: perUser(3, DAY) }));
    const users = ['ann', 'bob', 'eve'];
    const ads = await Promise.all(users.map(async (user) => servedAd(await rig.reserve([[capped]], user), capped, user)));
    await rig.redis.set(rig.keys.places(1, 'bob'), 'no places');
    const settleAll = () => Promise.allSettled(ads.map((ad) => rig.settle(ad, 'impression', { item: capped.lineItem })));
    expect((await settleAll()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const [entry, ...more] = await rig.redis.xrange(rig.keys.events(1), '-', '+');
    expect([splitEntry(entry![1]).length, more]).toEqual([2, []]);
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({ today: { impressions: 2 }, heldToday: 1 });
    expect(await settleAll()).toMatchObject(ads.map(() => ({ value: { outcome: 'duplicate' } })));
  });

  it("is refused from its token's end by Redis's clock, unless it was accepted before", async () => {
    const one = candidate(lineItem());
    const reservation = await rig.reserve([[one]]);
    await rig.at(momentsOf(reservation).tokenExpS * 1000 - 1);
    expect(await rig.settle(servedAd(reservation, one), 'event', { eventType: 'like' })).toMatchObject({ outcome: 'counted' });
    await rig.at(momentsOf(reservation).tokenExpS * 1000);
    expect(await rig.settle(servedAd(reservation, one))).toMatchObject({ outcome: 'expired' });
    expect(await rig.settle(servedAd(reservation, one), 'impression', { late: true })).toMatchObject({
      outcome: 'counted',
      foundHold: true,
    });
  });

  it('keeps the cap exact over many rounds of reserving, rendering some, and expiring the rest', async () => {
    const capped = candidate(lineItem({ dailyImpressionCap: 50 }));
    let rendered = 0;
    for (let round = 0; round < 6; round++) {
      const reservations = (await Promise.all(Array.from({ length: 60 }, () => rig.reserve([[capped]])))).filter(
        ({ imps }) => imps[0]?.winner === 0,
      );
      expect(reservations).toHaveLength(50 - rendered);
      for (const reservation of reservations.slice(0, 10))
        rendered += (await rig.settle(servedAd(reservation, capped))).outcome === 'counted' ? 1 : 0;
      await rig.at(NOON + (round + 1) * 40 * MINUTE);
      await rig.horizon(NOON + (round + 1) * 40 * MINUTE);
    }
    expect(rendered).toBe(50);
    expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({ today: { impressions: 50 }, heldToday: 0 });
  });
});

describe('a bid', () => {
  const bid = (budgetType: BudgetType) =>
    candidate(lineItem({ type: 'programmatic', budgetType, cpmMicros: null, cpcMicros: 500_000, budgetMicros: 20_000 }), {
      priceMicros: 7_000,
    });

  it.each(['CPM', 'CPC', 'Flat'] as const)(
    'is held, billed and bounded by the budget as a CPM when its row says %s',
    async (budgetType) => {
      const one = bid(budgetType);
      const first = await rig.reserve([[one]]);
      const second = await rig.reserve([[one]]);
      expect((await rig.reserve([[one]])).imps[0]).toEqual({ winner: -1, refused: [NoBidReason.BudgetSpent] });
      for (const reservation of [first, second])
        expect(await rig.settle(servedAd(reservation, one), 'impression', { item: one.lineItem })).toMatchObject({
          billedMicros: 7_000,
          foundHold: true,
        });
      expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({ totalSpendMicros: 14_000, heldMicros: 0 });
    },
  );
});

test('an impression that was served without counters, on a replica that is in the next day already, counts in that day', async () => {
  const one = candidate(lineItem());
  await rig.at(NOON + 12 * HOUR - 500);
  const ad = servedAd(await rig.reserve([[one]]), one);
  await rig.settle({ ...ad, tokenId: 'uncounted', holdEndMs: 0, day: ad.day + 1 });
  expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({ day: ad.day + 1, today: { impressions: 1 }, totalImpressions: 1 });
  expect(await rig.settle(ad)).toMatchObject({ outcome: 'counted', foundHold: true });
  expect((await rig.accounts.lineItems(1, [1]))[0]).toMatchObject({
    yesterday: { impressions: 1 },
    heldToday: 0,
    heldMicros: 0,
    broken: 0,
  });
});

describe('a click', () => {
  it('bills its price, and the last click only the remaining budget', async () => {
    const item = lineItem({ budgetType: 'CPC', cpmMicros: null, cpcMicros: 400_000, budgetMicros: 1_000_000 });
    const one = candidate(item);
    const ads = [];
    for (let i = 0; i < 4; i++) ads.push(servedAd(await rig.reserve([[one]]), one));
    for (const ad of ads) await rig.settle(ad, 'impression', { item });
    await rig.at(NOON + 1000);
    const billed = [];
    for (const ad of ads) billed.push((await rig.settle(ad, 'click', { item })).billedMicros);
    expect(billed).toEqual([400_000, 400_000, 200_000, 0]);
    expect((await rig.reserve([[one]])).imps[0]).toMatchObject({ winner: -1, refused: [NoBidReason.BudgetSpent] });
  });
});

describe('a frequency cap', () => {
  const twice = candidate(lineItem({ frequencyCaps: perUser(2, HOUR) }));

  it('gives a user exactly as many concurrent places as the cap allows, independently of other users', async () => {
    expect(await rig.reserveMany(twice, 200, 'ann')).toBe(2);
    expect(await rig.reserveMany(twice, 200, 'ben')).toBe(2);
  });

  it('frees the place of a selection that is not rendered, once late hits are folded, and starts the window at the impression of one that is', async () => {
    const seen = await rig.reserve([[twice]], 'ann');
    await rig.reserve([[twice]], 'ann');
    await rig.at(NOON + 20 * MINUTE);
    await rig.settle(servedAd(seen, twice, 'ann'), 'impression', { item: twice.lineItem });
    await rig.at(NOON + 35 * MINUTE);
    expect(await rig.reserveMany(twice, 5, 'ann')).toBe(0);
    await rig.horizon(NOON + 35 * MINUTE);
    expect(await rig.reserveMany(twice, 5, 'ann')).toBe(1);
    await rig.at(NOON + 81 * MINUTE);
    await rig.horizon(NOON + 81 * MINUTE);
    expect(await rig.reserveMany(twice, 5, 'ann')).toBe(2);
  });

  it('does not serve without consent to remember the user, because the cap cannot be enforced', async () => {
    expect((await rig.reserve([[twice]])).imps[0]).toMatchObject({ winner: -1, refused: [NoBidReason.Consent] });
  });
});

describe('a rate limit', () => {
  it('allows the burst, then the rate, and takes a token from the winner only', async () => {
    const limited = candidate(lineItem({ id: 1, rateLimit: { perSecond: 2, burst: 5 } }));
    const better = candidate(lineItem({ id: 2, dailyImpressionCap: 3 }));
    for (let i = 0; i < 3; i++) await rig.reserve([[better, limited]]);
    expect(await rig.reserveMany(limited, 20)).toBe(5);
    await rig.at(NOON + 1000);
    expect(await rig.reserveMany(limited, 20)).toBe(2);
  });

  it('does not refill when the clock steps back', async () => {
    const limited = candidate(lineItem({ rateLimit: { perSecond: 1, burst: 1 } }));
    expect(await rig.reserveMany(limited, 3)).toBe(1);
    await rig.at(NOON - HOUR);
    expect(await rig.reserveMany(limited, 3)).toBe(0);
  });
});

test('a call that changes thousands of accounts writes them all', async () => {
  const due = Array.from({ length: 4_500 }, (_, i) => candidate(lineItem({ id: i + 1, pacing: 'PID', dailyImpressionCap: 24 })));
  const others = candidate(lineItem({ id: 9_999 }));
  expect((await rig.reserve(due.map((one) => [one]))).imps.filter(({ winner }) => winner === 0)).toHaveLength(due.length);
  // Each is due for a sample of its controller, and has no permit before the hour has passed.
  await rig.at(NOON + 5 * MINUTE);
  const [reservation, other] = await Promise.all([rig.reserve([due]), rig.reserve([[others]])]);
  expect(reservation.imps[0]?.refused).toEqual(due.map(() => NoBidReason.Pacing));
  expect(other.imps[0]?.winner).toBe(0);
  expect(await rig.redis.hlen(rig.keys.accounts(1))).toBeGreaterThan(4_500);
});

describe('the keys of the ledger', () => {
  it('expire one by one, except the stream, which the event writer renews', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 10, frequencyCaps: perUser(2, HOUR) }));
    const reserved = servedAd(await rig.reserve([[one]], 'ann'), one, 'ann');
    // Served while Redis was away: nothing was reserved.
    const uncounted = { ...servedAd(await rig.reserve([[one]], 'ben'), one), holdEndMs: 0 };
    for (const ad of [reserved, uncounted]) {
      await rig.settle(ad, 'impression', { item: one.lineItem });
      await rig.settle(ad, 'click');
      await rig.settle(ad, 'event', { eventType: 'like' });
    }
    // It waits for its impression.
    await rig.settle(servedAd(await rig.reserve([[one]], 'cid'), one), 'click');
    const keys = (await rig.redis.keys('*')).filter((key) => key !== VIRTUAL_CLOCK_KEY && key !== rig.keys.events(1));
    expect(keys.length).toBeGreaterThan(5);
    const lasting = await Promise.all(keys.map(async (key) => ((await rig.redis.pttl(key)) === -1 ? key : undefined)));
    expect(lasting.filter((key) => key !== undefined)).toEqual([]);
  });
});
