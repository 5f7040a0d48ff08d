import { LOT_RULE, type LotRule } from '../allowances/lot-rule.ts';
import { defineLibrary, type CallFunction } from '../../redis/define-function.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { RedisClient } from '../../redis/redis-client.ts';
import { reserveLua } from './encode-reserve.ts';

export interface ReserveLibraryOptions {
  readonly redis: RedisClient;
  /** Default: LOT_RULE. */
  readonly lotRule?: LotRule | undefined;
  /** Of loadScript. */
  readonly clock?: string | undefined;
}

export interface ReserveLibrary {
  /** reserve.lua. */
  readonly reserve: CallFunction<string[]>;
  /** trust-books.lua. */
  readonly trust: CallFunction<(string | number)[]>;
}

/** The functions of one library: what one of them trusts, the other sells from. */
export const defineReserveLibrary = ({ redis, lotRule = LOT_RULE, clock }: ReserveLibraryOptions): ReserveLibrary => {
  const lua = loadScript(new URL('./reserve.lua', import.meta.url), { clock, generated: reserveLua(lotRule) });
  const functionOf = defineLibrary(redis, { name: 'ads_reserve', lua }, ['reserve_ads', 'books_trust']);
  return { reserve: functionOf('reserve_ads'), trust: functionOf('books_trust') };
};
