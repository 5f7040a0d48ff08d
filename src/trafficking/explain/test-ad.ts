import type { Bidders } from '../../bidders/bidder-port.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { AdRequest } from '../../serving/ad-request.ts';
import { createComposeBid } from '../../serving/compose-bid.ts';
import { createJudgeWinners, type JudgeWinnersOptions } from '../../serving/judge-winners.ts';
import { createServeAd, type AdAnswer } from '../../serving/serve-ad.ts';

export interface TestAdOptions extends JudgeWinnersOptions {
  readonly bidders: Bidders;
}

export type TestAd = (snapshot: Snapshot, request: AdRequest) => Promise<AdAnswer>;

/**
 * The road of an ad request without its traces in the world: bidders are asked, as they would be, and hear nothing afterwards; the ledger is read and not
 * written; the tokens are empty. Always traced.
 */
export const createTestAd = ({ bidders, ...judging }: TestAdOptions): TestAd => {
  const reserveWinners = createJudgeWinners(judging);
  const composeBid = createComposeBid({ signToken: () => '', publicUrl: '' });
  const silent: Bidders = { ...bidders, notifyWin: () => undefined, notifyLoss: () => undefined };
  return (snapshot, request) =>
    createServeAd({
      currentSnapshot: () => snapshot,
      bidders: silent,
      billingNotices: { keep: () => undefined, take: async () => undefined },
      reserveWinners,
      composeBid,
      random: Math.random,
      clock: () => performance.now(),
    })({ ...request, traced: true });
};
