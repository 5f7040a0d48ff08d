import { defineFunction } from '../../redis/define-function.ts';
import { loadScript } from '../../redis/load-script.ts';
import { scopeOfShard } from '../../redis/redis-client.ts';
import type { LedgerBooks } from '../books/ledger-books.ts';
import type { ScriptOptions } from '../ledger-keys.ts';
import type { ActivityRule } from './activity-rule.ts';
import { settleLua } from './encode-settle.ts';

export interface JudgeClicksOptions extends ScriptOptions {
  /** As of createLedger. With them, Redis may lose data. */
  readonly books?: LedgerBooks | undefined;
  /** Of clicks, the tokens of those whose rows are provisional. Rejects when Postgres is unavailable. */
  readonly provisionalRows: (clicks: readonly JudgedClick[]) => Promise<ReadonlySet<string>>;
  /** As of createLedger. */
  readonly activityRule?: ActivityRule;
}

/** A click under judgement. */
export interface JudgedClick {
  readonly tokenId: string;
  readonly day: number;
}

/** Provisional clicks that were judged. */
export interface JudgedClicks {
  readonly billed: number;
  readonly filtered: number;
}

/** Which of these tokens have a click under judgement. Rejects when Redis is unavailable. */
export const createUnderJudgement =
  ({ redis, keys }: ScriptOptions) =>
  async (shard: number, tokens: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = tokens.length === 0 ? [] : await redis.hmget(keys.provisional(shard), ...tokens);
    return new Set(tokens.filter((_, i) => found[i] != null));
  };

/** Clicks of one call: 20 µs each. */
const MAX_CLICKS = 100;

type Reply = [looked: number, billed: number, filtered: number, dropped: number, ...tokensAndDays: (string | number)[]];

/** Judges the provisional clicks of a shard that are due. Rejects when Redis is unavailable, or Postgres after Redis has lost data. */
export const createJudgeClicks = ({
  redis,
  keys,
  books,
  provisionalRows,
  activityRule,
  clock,
}: JudgeClicksOptions): ((shard: number) => Promise<JudgedClicks>) => {
  const judge = defineFunction<Reply>(redis, {
    name: 'ads_judge_clicks',
    lua: loadScript(new URL('./judge-clicks.lua', import.meta.url), { clock, generated: settleLua(activityRule) }),
    entry: 'judge_clicks',
  });
  return async (shard) => {
    const scope = scopeOfShard(redis, shard);
    const call = (rows: readonly string[]): Promise<Reply> =>
      judge(...[2, keys.events(shard), keys.epochs(scope), `1 ${books?.epochOf(scope) ?? ''}`.trimEnd(), String(MAX_CLICKS)], ...rows);
    let judged: JudgedClicks = { billed: 0, filtered: 0 };
    let rows: readonly string[] = [];
    for (;;) {
      const [looked, billed, filtered, dropped, ...tokensAndDays] = await call(rows);
      judged = { billed: judged.billed + billed, filtered: judged.filtered + filtered };
      const earlier = clicksOf(tokensAndDays);
      if (earlier.length > 0) {
        const provisional = await provisionalRows(earlier);
        rows = earlier.flatMap(({ tokenId }) => [tokenId, provisional.has(tokenId) ? '1' : '']);
        continue;
      }
      rows = [];
      // Clicks of accounts that are not rebuilt stay due.
      if (looked < MAX_CLICKS || billed + filtered + dropped < MAX_CLICKS) return judged;
    }
  };
};

const clicksOf = (tokensAndDays: readonly (string | number)[]): readonly JudgedClick[] =>
  Array.from({ length: tokensAndDays.length / 2 }, (_, i) => ({
    tokenId: String(tokensAndDays[2 * i]),
    day: Number(tokensAndDays[2 * i + 1]),
  }));
