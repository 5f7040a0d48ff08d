import type { LineItem } from '../../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { winnerOf } from '../../src/ledger/reservation.ts';
import { campaign, candidate, DAY, lineItem, MINUTE, NOON, perUser } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

const FILLER = candidate(lineItem({ id: 9 }), { creativeId: 900 });
const CREATIVES = [10, 11, 12];

/** A roadblock of as many ads as there are places, of which the first is in the impression that offers it. A text is a later placement. */
const roadblock = (item: Partial<LineItem>, places: readonly (number | string)[], changes = {}): RankedCandidate => {
  const line = lineItem({ id: 1, ...item });
  const [first, ...others] = CREATIVES.slice(0, places.length + 1).map((creativeId) => candidate(line, { creativeId, ...changes }));
  return {
    ...first!,
    block: {
      bound: places.flatMap((imp, i) => (typeof imp === 'number' ? [{ imp, candidate: others[i]! }] : [])),
      kept: places.flatMap((placementId, i) => (typeof placementId === 'string' ? [{ placementId, candidate: others[i]! }] : [])),
    },
  };
};

const ask = async (
  imps: readonly RankedCandidate[][],
  changes: { pageView?: string; placementIds?: string[]; userHash?: string; atMs?: number } = {},
) => {
  const { pageView, placementIds, userHash = null, atMs = NOON } = changes;
  const request = { publisherId: 1, userHash, curve: curveAt(atMs), expiresAtMs: Date.now() + DAY, imps, pageView, placementIds };
  const answer = await rig.ledger.reserve(request);
  return answer!.imps.map(
    (reserved, i) => reserved.kept?.creativeId ?? winnerOf(imps[i]!, reserved)?.creative.id ?? `none ${reserved.refused.join(' ')}`,
  );
};
const heldToday = async () => (await rig.accounts.lineItems(1, [1]))[0]!.heldToday;
test('a roadblock takes all its impressions, and its place among the candidates is that of its first', async () => {
  expect(await ask([[roadblock({}, [2])], [FILLER], [FILLER]])).toEqual([10, 900, 11]);
  expect(await ask([[FILLER, roadblock({}, [1])], []])).toEqual([900, 'none ']);
});

test.each([
  ['daily cap', { dailyImpressionCap: 5 }, NoBidReason.DailyCap],
  ['daily spend', { dailySpendCapMicros: 5 * 1_333 }, NoBidReason.DailyCap],
  ['budget', { budgetMicros: 5 * 1_333 }, NoBidReason.BudgetSpent],
  ['goal', { goals: { impressions: 5, clicks: null, frontload: 0 } }, NoBidReason.GoalReached],
  ['frequency cap', { frequencyCaps: perUser(5, MINUTE) }, NoBidReason.FrequencyCapped],
  ['rate limit', { rateLimit: { perSecond: 0.001, burst: 5 } }, NoBidReason.RateLimit],
])('a %s of five ads lets one roadblock of three through, and the impressions of the next get other ads', async (_, limits, reason) => {
  const page = (): RankedCandidate[][] => [[roadblock(limits, [1, 2])], [FILLER], []];
  expect(await ask(page(), { userHash: 'ann' })).toEqual([10, 11, 12]);
  expect(await ask(page(), { userHash: 'ann' })).toEqual([`none ${reason}`, 900, 'none ']);
});

test('a frequency cap or a burst below the roadblock lets it through once', async () => {
  const page = [[roadblock({ frequencyCaps: perUser(1, MINUTE) }, [1, 2])], [], []];
  expect(await ask(page, { userHash: 'ann' })).toEqual([10, 11, 12]);
  expect(await ask(page, { userHash: 'ann' })).toEqual([`none ${NoBidReason.FrequencyCapped}`, 'none ', 'none ']);
  const slow = [[roadblock({ rateLimit: { perSecond: 1, burst: 1 } }, [1, 2])], [], []];
  expect(await ask(slow)).toEqual([10, 11, 12]);
  expect(await ask(slow)).toEqual([`none ${NoBidReason.RateLimit}`, 'none ', 'none ']);
  await rig.at(NOON + 1_100);
  expect(await ask(slow)).toEqual([10, 11, 12]);
});

test('even pacing lets whole roadblocks through, as many ads as it would let through one by one', async () => {
  let ads = 0;
  for (let minute = 0; minute < 12 * 60; minute++) {
    const atMs = NOON + minute * MINUTE;
    await rig.at(atMs);
    const shown = await ask([[roadblock({ pacing: 'Even', dailyImpressionCap: 300 }, [1, 2])], [], []], { atMs });
    ads += shown.filter((one) => typeof one === 'number').length;
  }
  expect(ads % 3).toBe(0);
  expect(ads).toBe(300);
});

test('its ads exclude others and not each other', async () => {
  const advertised = campaign({ advertiserId: 7, traits: { labels: [], exclusive: true, exclusionLabels: ['cars'] } });
  const rival = candidate(lineItem({ id: 3 }), {
    creativeId: 30,
    campaign: campaign({ id: 2, advertiserId: 8, traits: { labels: [], exclusive: false, exclusionLabels: ['cars'] } }),
  });
  expect(await ask([[roadblock({}, [2], { campaign: advertised })], [rival], []])).toEqual([
    10,
    `none ${NoBidReason.CompetitorInPage}`,
    11,
  ]);
  expect(await ask([[rival], [roadblock({}, [2], { campaign: advertised })], [FILLER]])).toEqual([
    30,
    `none ${NoBidReason.CompetitorInPage}`,
    900,
  ]);
});

describe('a page that asks in several requests', () => {
  const asks = (placement: string, ...candidates: RankedCandidate[]) =>
    ask([candidates], { pageView: 'v', placementIds: [placement] }).then(([one]) => one);

  test('gets the others when it asks for them, each once', async () => {
    expect(await asks('top', roadblock({ dailyImpressionCap: 2 }, ['side']))).toBe(10);
    expect(await asks('side', FILLER)).toBe(11);
    expect(await asks('side', FILLER)).toBe(900);
    expect(await asks('foot', roadblock({ dailyImpressionCap: 2 }, []))).toBe(`none ${NoBidReason.DuplicateInPage}`);
  });

  test('gets none where another ad was shown, or where the page was asked for already', async () => {
    expect(await asks('side', FILLER)).toBe(900);
    expect(await asks('top', roadblock({}, ['side']))).toBe(`none ${NoBidReason.RoadblockIncomplete}`);
    expect(await asks('foot')).toBe('none ');
    expect(await asks('top', roadblock({ id: 2 }, ['foot']))).toBe(`none ${NoBidReason.RoadblockIncomplete}`);
  });

  test('keeps what it keeps for the first of two roadblocks', async () => {
    expect(await asks('top', roadblock({}, ['side']))).toBe(10);
    const other = { ...roadblock({ id: 2 }, [1]), creative: { ...FILLER.creative, id: 77 } };
    expect(await ask([[other], []], { pageView: 'v', placementIds: ['foot', 'side'] })).toEqual([
      `none ${NoBidReason.RoadblockIncomplete}`,
      11,
    ]);
  });

  test('has them as long as they are held', async () => {
    expect(await asks('top', roadblock({ dailyImpressionCap: 2 }, ['side']))).toBe(10);
    await rig.at(NOON + 40 * MINUTE);
    expect(await asks('side', FILLER)).toBe(900);
  });

  test('gets one roadblock however its requests come together', async () => {
    const placements = ['top', 'side', 'foot'];
    for (let i = 0; i < 60; i++) {
      const answers = await Promise.all(
        placements.map((placement) => {
          const others = placements.filter((one) => one !== placement);
          return ask([[roadblock({ id: 1 + (i % 2) }, others), FILLER]], { pageView: `page ${i}`, placementIds: [placement] });
        }),
      );
      expect(answers.flat().toSorted()).toEqual([10, 11, 12]);
    }
  });
});

test('all ads of a roadblock are held', async () => {
  await ask([[roadblock({}, [1, 'side'])], []], { pageView: 'v', placementIds: ['top', 'foot'] });
  expect(await heldToday()).toBe(3);
});
