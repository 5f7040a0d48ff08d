import { readFile } from 'node:fs/promises';
import { isObject } from '../base/narrow.ts';

/** Units of a currency (ISO 4217, upper case) for one USD; undefined: no rate is known. */
export type RateOf = (currency: string) => number | undefined;

/** Units of `to` for one of `from`; undefined: a rate is missing. One currency needs none. */
export const rateBetween = (rateOf: RateOf, from: string, to: string): number | undefined => {
  if (from === to) return 1;
  const [one, other] = [rateOf(from), rateOf(to)];
  return one === undefined || other === undefined ? undefined : other / one;
};

/** Without a file of rates. */
export const USD_ONLY: RateOf = (currency) => (currency === 'USD' ? 1 : undefined);

/**
 * Reads CURRENCY_RATES, a file in the format of Prebid's currency module: `{"conversions": {"USD":
 * {"EUR": 0.92, …}}}`. Rates of other bases are not used. Rejects with the file's name when it has no
 * rates of USD, or one that is not a number above zero.
 */
export const readCurrencyRates = async (path: string): Promise<RateOf> => {
  const conversions = member(parseJson(path, await readFile(path, 'utf8')), 'conversions');
  const named = member(conversions, 'USD');
  if (!isObject(named)) throw new Error(`the currency rates ${path} have no conversions.USD`);
  const rates = new Map<string, number>();
  for (const [currency, rate] of Object.entries(named)) {
    if (!/^[A-Z]{3}$/.test(currency) || typeof rate !== 'number' || !(rate > 0))
      throw new Error(`the currency rates ${path} have no valid rate for ${currency.slice(0, 20)}`);
    rates.set(currency, rate);
  }
  rates.set('USD', 1);
  return (currency) => rates.get(currency);
};

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

const parseJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`the currency rates ${path} are not JSON`, { cause });
  }
};
