import { createRounds } from '../base/rounds.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';
import type { ExpiredHits } from '../ledger/settle/expire-clicks.ts';
import type { JudgedClicks } from '../ledger/settle/judge-clicks.ts';
import type { RedisLink } from '../redis/redis-link.ts';

export interface JudgeLaterOptions {
  readonly link: Pick<RedisLink, 'upOf'>;
  readonly shards: number;
  /** Of ledger/settle/expire-clicks.ts. */
  readonly expireClicks: (shard: number) => Promise<ExpiredHits>;
  /** Of ledger/settle/judge-clicks.ts. */
  readonly judgeClicks: (shard: number) => Promise<JudgedClicks>;
  /** Of recover-provisional.ts. */
  readonly recoverProvisional: () => Promise<number>;
  readonly everyMs?: number;
  /** Called when any were filtered. */
  readonly onExpired: (hits: ExpiredHits) => void;
  /** Called when any were judged. */
  readonly onJudged: (clicks: JudgedClicks) => void;
  /** Called when the ledger had lost clicks under judgement. */
  readonly onRecovered: (clicks: number) => void;
  readonly onFailure: (fault: Error) => void;
}

/** What it judges has waited for minutes, and every replica looks. */
const EVERY_MS = 5_000;
const RECOVER_EVERY_MS = 10 * MS_PER_MINUTE;

/** Decides, all the time, what waits for more than its own request: hits whose impression has not come in time, and provisional clicks. */
export const createJudgeLater = (options: JudgeLaterOptions) => {
  const {
    link,
    shards,
    expireClicks,
    judgeClicks,
    recoverProvisional,
    everyMs = EVERY_MS,
    onExpired,
    onJudged,
    onRecovered,
    onFailure,
  } = options;
  let recoveredMs = performance.now();

  const recover = async (): Promise<void> => {
    if (performance.now() - recoveredMs < RECOVER_EVERY_MS) return;
    recoveredMs = performance.now();
    try {
      const clicks = await recoverProvisional();
      if (clicks > 0) onRecovered(clicks);
    } catch (fault) {
      onFailure(fault as Error);
    }
  };

  const passShard = async (shard: number): Promise<void> => {
    if (!link.upOf(shard)) return;
    try {
      const hits = await expireClicks(shard);
      if (hits.clicks + hits.viewable > 0) onExpired(hits);
      const judged = await judgeClicks(shard);
      if (judged.billed + judged.filtered > 0) onJudged(judged);
    } catch (fault) {
      onFailure(fault as Error);
    }
  };

  /** All shards together: mostly there is nothing to do, and what costs is the way to Redis. */
  const round = async (): Promise<void> => {
    await Promise.all(Array.from({ length: shards }, (_, shard) => passShard(shard)));
    await recover();
  };

  return createRounds({ round, pauseMs: everyMs, onFailure });
};
