import { LOT_RULE, type LotRule } from '../allowances/lot-rule.ts';
import { defineLibrary } from '../../redis/define-function.ts';
import { loadScript } from '../../redis/load-script.ts';
import type { ScriptOptions } from '../ledger-keys.ts';
import { reserveLua } from './encode-reserve.ts';

interface ReserveLibraryOptions extends Pick<ScriptOptions, 'redis' | 'clock'> {
  /** Default: LOT_RULE. */
  readonly lotRule?: LotRule | undefined;
}

/** The functions of one library: what one of them trusts, the other sells from. */
export const defineReserveLibrary = ({ redis, lotRule = LOT_RULE, clock }: ReserveLibraryOptions) => {
  const lua = loadScript(new URL('./reserve.lua', import.meta.url), { clock, generated: reserveLua(lotRule) });
  const functionOf = defineLibrary(redis, { name: 'ads_reserve', lua }, ['reserve_ads', 'books_trust']);
  return {
    /** reserve.lua. */
    reserve: functionOf<string[]>('reserve_ads'),
    /** trust-books.lua. */
    trust: functionOf<(string | number)[]>('books_trust'),
  };
};
