import type { Campaign } from '../../src/catalog/model/entities.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { NoBidReason } from '../../src/decision/no-bid-reason.ts';
import { curveAt } from '../../src/catalog/snapshot/traffic-curve.ts';
import { campaign, candidate, DAY, lineItem, MINUTE, NOON } from '../decision/candidates.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { createLedgerRig, type LedgerRig } from './ledger-rig.ts';

let rig: LedgerRig;
beforeEach(async () => {
  rig = await createLedgerRig(await testRedisUrl());
});
afterEach(() => rig.close());

const ofAdvertiser = (id: number, advertiserId: number | null, traits: Partial<Campaign['traits']> = {}): RankedCandidate =>
  candidate(lineItem({ id }), {
    campaign: campaign({ advertiserId, traits: { labels: [], exclusive: false, exclusionLabels: [], ...traits } }),
  });
const ask = async (pageView: string | undefined, ...imps: readonly RankedCandidate[][]) => {
  const answer = await rig.ledger.reserve({
    publisherId: 1,
    userHash: null,
    curve: curveAt(NOON),
    expiresAtMs: Date.now() + DAY,
    imps,
    pageView,
  });
  return answer!.imps.map(({ winner, refused }) => (winner < 0 ? refused.at(-1) : winner));
};

test('requests of one page view are compared as one request is, and those of others are not', async () => {
  const [fords, vws, fiats] = [1, 2, 3].map((id) => ofAdvertiser(id, id, { exclusionLabels: ['cars'] }));
  const shop = ofAdvertiser(4, 4, { exclusive: true });
  const again = { ...ofAdvertiser(5, 4, { exclusive: true }), creative: { ...shop.creative, id: 50 } };
  expect(await ask('v', [fords!], [shop])).toEqual([0, 0]);
  expect(await ask('v', [fords!])).toEqual([NoBidReason.DuplicateInPage]);
  expect(await ask('v', [vws!, fiats!], [again])).toEqual([NoBidReason.CompetitorInPage, NoBidReason.CompetitorInPage]);
  expect(await ask('w', [vws!], [again])).toEqual([0, 0]);
  expect(await ask(undefined, [vws!], [again])).toEqual([0, 0]);
});

test('of requests that come together, one shows what the others exclude', async () => {
  const labelled = Array.from({ length: 60 }, (_, i) => ofAdvertiser(i + 1, i + 1, { exclusionLabels: ['cars'] }));
  const answers = (await Promise.all(labelled.map((one) => ask('v', [one])))).flat();
  expect(answers.filter((winner) => winner === 0)).toHaveLength(1);
});

test('a page view is forgotten ten minutes after its last ad, and is bounded', async () => {
  await ask('v', [ofAdvertiser(1, null)]);
  const [key = ''] = await rig.redis.keys('*:page:*');
  expect(key).not.toContain(':v');
  expect(await rig.redis.pttl(key)).toBeGreaterThan(9 * MINUTE);
  expect(await rig.redis.pttl(key)).toBeLessThanOrEqual(10 * MINUTE);
  for (let i = 2; i < 300; i++) await ask('v', [ofAdvertiser(i, i, { exclusive: true })]);
  expect(await rig.redis.call('MEMORY', 'USAGE', key)).toBeLessThan(8_000);
});
