import type { Campaign, LineItem } from '../../src/catalog/model/entities.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { createReplayLedger } from '../../src/forecast/replay/replay-ledger.ts';
import { createChance, type Chance } from '../../testkit/chance.ts';
import { dailyCurve } from '../../testkit/simulation/traffic.ts';
import { campaign, candidate, DAY, HOUR, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { createLedgerRig, servedAd } from '../ledger/ledger-rig.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const PID = { kp: 0.3, ki: 0.05, kd: 0.1 };
const CURVE = dailyCurve();
const STEPS = 150;

const one = <T>(chance: Chance, of: readonly T[]): T => of[Math.floor(chance() * of.length)]!;

const flight = { startMs: NOON - DAY, endMs: NOON + 5 * DAY };

const drawItem = (chance: Chance, id: number): Partial<LineItem> => ({
  id,
  flight,
  pacing: one(chance, ['ASAP', 'Even', 'PID']),
  ...(chance() < 0.4 && { dailyImpressionCap: 5 + Math.floor(40 * chance()) }),
  ...(chance() < 0.3 && { dailySpendCapMicros: 5_000 + Math.floor(40_000 * chance()) }),
  ...(chance() < 0.3 && { budgetMicros: 10_000 + Math.floor(80_000 * chance()) }),
  ...(chance() < 0.3 && { goals: { impressions: 10 + Math.floor(100 * chance()), clicks: null, frontload: one(chance, [0, 0.3]) } }),
  ...(chance() < 0.4 && {
    frequencyCaps: [
      { scope: 'line_item', of: 'impressions', max: 1 + Math.floor(3 * chance()), windowMs: one(chance, [HOUR, DAY]) } as never,
    ],
  }),
  ...(chance() < 0.2 && { rateLimit: { perSecond: 0.01, burst: 2 } }),
});

const drawCampaign = (chance: Chance, id: number): Partial<Campaign> => ({
  id,
  flight,
  budgetMicros: chance() < 0.4 ? 100_000 : null,
  dailyBudgetMicros: chance() < 0.3 ? 40_000 : null,
  advertiserId: id,
  traits: { ...campaign().traits, exclusionLabels: ['cars'] },
});

it.each([1, 2, 3])('decides every reservation of a random day as the Lua in Redis does (seed %i)', async (seed) => {
  const chance = createChance(seed);
  const campaigns = [1, 2].map((id) => campaign(drawCampaign(chance, id)));
  const items = Array.from({ length: 6 }, (_, i) => {
    const of = campaigns[i % 2]!;
    const booked = candidate(lineItem({ ...drawItem(chance, i + 1), campaignId: of.id }));
    return { ...booked, campaign: of, creative: { ...booked.creative, id: i + 1, lineItemId: i + 1 } };
  });
  const siblingsOf = (id: number) => ({
    asOf: 1,
    paced: items.filter(({ lineItem: { campaignId, pacing } }) => campaignId === id && pacing !== 'ASAP').length,
    asap: items.filter(({ lineItem: { campaignId, pacing } }) => campaignId === id && pacing === 'ASAP').length,
  });
  const rig = await createLedgerRig(await testRedisUrl(), { tokenTtlMs: 6 * HOUR });
  const replay = createReplayLedger({
    ...{ pid: PID, tokenTtlMs: 6 * HOUR, scale: 1, started: [], random: () => 0.5, onImpression: () => undefined },
    rates: { renderRate: () => 1, clickRate: () => 0, viewableRate: () => 0, isViewKnown: false },
  });
  const refused = new Map<NoBidReason, number>();
  let served = 0;
  let nowMs = NOON;
  for (let step = 0; step < STEPS; step++) {
    nowMs += Math.floor(6 * MINUTE * chance());
    await rig.at(nowMs);
    await rig.horizon(nowMs);
    // A page asks for one ad or for several, which may not be alike nor of competitors.
    const imps = Array.from({ length: one(chance, [1, 1, 2, 3]) }, () => {
      const first = Math.floor(chance() * items.length);
      return [...items.slice(first), ...items.slice(0, first)];
    });
    const userHash = `user-${Math.floor(8 * chance())}`;
    const request = { publisherId: 1, userHash, curve: curveAt(nowMs, CURVE), expiresAtMs: Date.now() + DAY, siblingsOf, imps };
    const real = await rig.ledger.reserve(request);
    replay.advance(nowMs);
    const same = await replay.reserve({ ...request, isShared: true });
    expect({ step, imps: same.imps.map(({ winner, refused: why }) => ({ winner, why })) }).toEqual({
      step,
      imps: real!.imps.map(({ winner, refused: why }) => ({ winner, why })),
    });
    for (const [i, imp] of real!.imps.entries()) {
      for (const reason of imp.refused) refused.set(reason, (refused.get(reason) ?? 0) + 1);
      const won = imps[i]![imp.winner];
      if (!won) continue;
      served++;
      await rig.settle(servedAd({ imps: [imp] }, won, userHash));
    }
  }
  expect(served).toBeGreaterThan(20);
  expect([...refused.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(20);
  expect([refused.has(NoBidReason.DuplicateInPage), refused.has(NoBidReason.CompetitorInPage)]).toEqual([true, true]);
  rig.close();
});
