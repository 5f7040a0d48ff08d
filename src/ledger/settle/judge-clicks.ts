import { defineFunction } from '../../redis/define-function.ts';
import { loadScript } from '../../redis/load-script.ts';
import { scopeOfShard, type RedisClient } from '../../redis/redis-client.ts';
import type { LedgerBooks } from '../books/ledger-books.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import type { ActivityRule } from './activity-rule.ts';
import { settleLua } from './encode-settle.ts';

export interface JudgeClicksOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  /** As of createLedger. */
  readonly books?: LedgerBooks | undefined;
  /** As of createLedger. */
  readonly activityRule?: ActivityRule;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

/** Provisional clicks that were judged. */
export interface JudgedClicks {
  readonly billed: number;
  readonly filtered: number;
}

/** Which of these tokens have a click under judgement. Rejects when Redis is unavailable. */
export const createUnderJudgement =
  ({ redis, keys }: Pick<JudgeClicksOptions, 'redis' | 'keys'>) =>
  async (shard: number, tokens: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = tokens.length === 0 ? [] : await redis.hmget(keys.provisional(shard), ...tokens);
    return new Set(tokens.filter((_, i) => found[i] != null));
  };

/** Clicks of one call: 20 µs each. */
const MAX_CLICKS = 100;

/** Judges the provisional clicks of a shard that are due. Rejects when Redis is unavailable. */
export const createJudgeClicks = ({
  redis,
  keys,
  books,
  activityRule,
  clock,
}: JudgeClicksOptions): ((shard: number) => Promise<JudgedClicks>) => {
  const judge = defineFunction<[looked: number, billed: number, filtered: number]>(redis, {
    name: 'ads_judge_clicks',
    lua: loadScript(new URL('./judge-clicks.lua', import.meta.url), { clock, generated: settleLua(activityRule) }),
    entry: 'judge_clicks',
  });
  return async (shard) => {
    const scope = scopeOfShard(redis, shard);
    let judged: JudgedClicks = { billed: 0, filtered: 0 };
    for (;;) {
      const [looked, billed, filtered] = await judge(
        2,
        keys.events(shard),
        keys.epochs(scope),
        `1 ${books?.epochOf(scope) ?? ''}`.trimEnd(),
        String(MAX_CLICKS),
      );
      judged = { billed: judged.billed + billed, filtered: judged.filtered + filtered };
      // Clicks of accounts that are not rebuilt stay due.
      if (looked < MAX_CLICKS || billed + filtered < MAX_CLICKS) return judged;
    }
  };
};
