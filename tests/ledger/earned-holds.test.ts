import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import type { ServedAd } from '../../src/ledger/hit.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { createLedgerRig, servedAd, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

/** The ads that a client gets for so many requests, and the reasons of the others. */
const ask = async (client: string | undefined, one: RankedCandidate, requests: number) => {
  const answers = await Promise.all(
    Array.from({ length: requests }, (_, i) =>
      rig.ledger.reserve({
        ...{ publisherId: 1, userHash: `${client}-${i}`, client, curve: curveAt(NOON), expiresAtMs: Date.now() + DAY },
        imps: [[one]],
      }),
    ),
  );
  const ads: ServedAd[] = [];
  const refused: NoBidReason[] = [];
  for (const answer of answers) {
    const { winner, refused: reasons } = answer!.imps[0]!;
    if (winner === 0) ads.push({ ...servedAd(answer!, one), servedAtMs: NOON, client });
    else refused.push(...reasons);
  }
  return { ads, refused };
};

const render = (ads: readonly ServedAd[]) => Promise.all(ads.map((ad) => rig.settle(ad)));

const CAPPED = lineItem({ dailyImpressionCap: 10_000 });

describe('a client that renders nothing', () => {
  it('holds at most a twentieth of what a line item has left, and is then refused for that reason', async () => {
    const { ads, refused } = await ask('one', candidate(CAPPED), 2_000);
    // A twentieth of what is left: 476 of the 9,524 that are left then.
    expect(ads).toHaveLength(477);
    expect(new Set(refused)).toEqual(new Set([NoBidReason.HoldsNotEarned]));
  });

  it.each([
    ['a daily cap', lineItem({ dailyImpressionCap: 100 })],
    ['a daily spend cap', lineItem({ dailySpendCapMicros: 100 * 1_333 })],
    ['a budget', lineItem({ budgetMicros: 100 * 1_333 })],
    ['a rate limit', lineItem({ rateLimit: { perSecond: 100, burst: 100 } })],
  ])('holds a page of ads under %s', async (_, item) => {
    expect((await ask('one', candidate(item), 200)).ads).toHaveLength(20);
  });

  it('holds a page of ads of a campaign whose budget is small', async () => {
    const small = campaign({ budgetMicros: 100 * 1_333 });
    expect((await ask('one', candidate(lineItem(), { campaign: small }), 200)).ads).toHaveLength(20);
  });

  it('takes a page of ads from pacing, and the others get the rest', async () => {
    const paced = candidate(lineItem({ dailyImpressionCap: 14_400, pacing: 'Even' }));
    let [taken, left] = [0, 0];
    for (let minute = 0; minute < 29; minute++) {
      await rig.at(NOON + minute * MINUTE);
      taken += (await ask('one', paced, 200)).ads.length;
      left += (await ask('two', paced, 30)).ads.length;
      await render((await ask('three', paced, 1)).ads);
    }
    expect(taken).toBe(20);
    expect(left).toBeGreaterThan(15);
  });

  it('takes at most a thousand places of users', async () => {
    const often = candidate(lineItem({ frequencyCaps: perUser(3, HOUR) }));
    expect((await ask('one', often, 3_000)).ads).toHaveLength(1_000);
    expect(await rig.redis.keys('*places*')).toHaveLength(1_000);
  });

  it('gets every ad of a line item without limits', async () => {
    await ask('one', candidate(lineItem({ id: 2, dailyImpressionCap: 100 })), 200);
    expect((await ask('one', candidate(lineItem()), 2_000)).ads).toHaveLength(2_000);
  });

  it('takes nothing from the others, and gets a part again when its holds have ended', async () => {
    const one = candidate(CAPPED);
    await ask('one', one, 2_000);
    expect((await ask('two', one, 20)).ads).toHaveLength(20);
    await rig.at(NOON + 3 * HOUR);
    await rig.horizon(NOON + 3 * HOUR);
    expect((await ask('one', one, 2_000)).ads.length).toBeGreaterThan(300);
  });
});

describe('a client that renders', () => {
  it('one ad in ten is never refused, however many people are behind it', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 1_000_000, dailySpendCapMicros: null }));
    let refusals = 0;
    for (let round = 0; round < 60; round++) {
      await rig.at(NOON + round * MINUTE);
      const { ads, refused } = await ask('carrier', one, 100);
      await render(ads.filter((_, i) => i % 10 === 0));
      refusals += refused.length;
    }
    expect(refusals).toBe(0);
  });

  it('may hold more by each ad that it rendered, of any line item, and once by an ad', async () => {
    const paced = candidate(lineItem({ id: 2, dailyImpressionCap: 100 }));
    const { ads } = await ask('one', candidate(CAPPED), 10);
    await render(ads);
    await render(ads);
    expect((await ask('one', paced, 200)).ads).toHaveLength(100);
    expect((await ask('two', paced, 200)).ads).toHaveLength(0);
  });
});

describe('clients that have rendered nothing', () => {
  /** So many networks take an ad each and render nothing, many of the same wide network or each of another. */
  const crowd = async (networks: number, layout: 'neighbours' | 'scattered', one: RankedCandidate): Promise<number> => {
    const wideOf = (n: number): number => (layout === 'neighbours' ? n >> 8 : n);
    const taken = await Promise.all(Array.from({ length: networks }, (_, n) => ask(`bot${n}~b${wideOf(n)}`, one, 1)));
    return taken.reduce((sum, { ads }) => sum + ads.length, 0);
  };
  /** Visitors of 21 wide networks, some a second, of which 7 in 10 render; resolves to the part that was filled. */
  const visit = async (visitors: number, perSecond: number, one: RankedCandidate, fromMs = NOON): Promise<number> => {
    let filled = 0;
    for (let i = 0; i < visitors; i++) {
      await rig.at(fromMs + (i * 1_000) / perSecond);
      const { ads } = await ask(`visitor${i}~v${i % 21}`, one, 1);
      filled += ads.length;
      if (i % 10 < 7) await render(ads);
    }
    return filled / visitors;
  };
  const BOOKED = candidate(lineItem({ dailyImpressionCap: 3_000 }));

  it('together hold part of what a line item has left; those that have rendered are served', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 2_000 }));
    await render((await ask('reader', one, 1)).ads);
    let held = 0;
    for (let i = 0; i < 200; i++) held += (await ask(`bot-${i}~${i}`, one, 20)).ads.length;
    // Above 209 ads, half of what is left, of which half is for wide networks that hold few.
    expect(held).toBeGreaterThan(209 + 448);
    expect(held).toBeLessThan(209 + 600);
    expect((await ask('reader', one, 20)).ads).toHaveLength(20);
    expect(await rig.redis.keys('*:clients:*')).toHaveLength(1);
  });

  it.each([1_500, 10_000])(
    'leave room to those from elsewhere, at once, when %d networks of a few wide networks hold ads',
    async (networks) => {
      expect(await crowd(networks, 'neighbours', BOOKED)).toBeLessThan(1_500);
      expect(await visit(200, 200, BOOKED)).toBe(1);
    },
  );

  it('are served again within a minute after 10,000 networks from everywhere took what there was', async () => {
    expect(await crowd(10_000, 'scattered', BOOKED)).toBeLessThan(1_500);
    expect(await visit(300, 5, BOOKED)).toBeGreaterThan(0.95);
    await rig.horizon(NOON + 2 * MINUTE);
    expect(await visit(100, 20, BOOKED, NOON + 2 * MINUTE)).toBe(1);
  });

  it('take at most half of what is left for good, however many others have rendered', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 4_000 }));
    expect(await visit(400, 200, one)).toBe(1);
    expect(await crowd(5_000, 'scattered', one)).toBeLessThan(2_400);
    expect(await visit(300, 200, one, NOON + 2_000)).toBe(1);
  });

  it('have short holds while they hold many, and those of a wide network in which another has rendered whole ones', async () => {
    const lifeMs = async (client: string): Promise<number> => (await ask(client, BOOKED, 1)).ads[0]!.holdEndMs - NOON;
    expect(await lifeMs('first~w1')).toBeGreaterThan(30 * MINUTE - 1);
    await crowd(1_500, 'neighbours', BOOKED);
    expect(await lifeMs('second~w2')).toBeLessThan(63_000);
    await render((await ask('third~w3', BOOKED, 1)).ads);
    expect(await lifeMs('fourth~w3')).toBeGreaterThan(30 * MINUTE - 1);
  });

  it('of one wide network hold as little together as one client does', async () => {
    await crowd(500, 'scattered', BOOKED);
    const before = (await rig.accounts.lineItems(1, [1]))[0]!.heldToday;
    let held = 0;
    for (let n = 0; n < 250; n++) held += (await ask(`one-of-many${n}~same`, BOOKED, 4)).ads.length;
    expect(held).toBeLessThan((3_000 - before) / 20 + 1);
  });

  it('are served as before where some of them render', async () => {
    const one = candidate(lineItem({ dailyImpressionCap: 100_000 }));
    let refusals = 0;
    for (let i = 0; i < 1_000; i++) {
      const { ads, refused } = await ask(`visitor-${i}`, one, 3);
      if (i % 3 === 0) await render(ads.slice(0, 1));
      refusals += refused.length;
    }
    expect(refusals).toBe(0);
  });
});

it('a hold of a minute weighs a fifth, because most bids of an auction lose', async () => {
  rig.close();
  rig = await createLedgerRig(await testRedisUrl(), { tokenTtlMs: MINUTE });
  const { length } = (await ask('one', candidate(lineItem({ dailyImpressionCap: 200 })), 200)).ads;
  // The hold lives until the end of its bucket, 60.9 s.
  expect(length).toBe(99);
});

it('a client whose holds need not be earned is bounded by the limits alone, and leaves nothing in Redis', async () => {
  const { ads } = await ask(undefined, candidate(lineItem({ dailyImpressionCap: 100 })), 200);
  await render(ads);
  expect(ads).toHaveLength(100);
  expect(await rig.redis.keys('*clients*')).toEqual([]);
});
