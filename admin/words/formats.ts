import { SECONDS_PER_DAY, SECONDS_PER_HOUR } from '../../src/base/utc-day.ts';
import { locale } from './language.ts';

/** Numbers and money are written as the reader's browser writes them where it is in the language of the page. */
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const wholeShare = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const fineShare = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Of an amount in a currency: in cents, or what it has in their place; and with all decimals of an agreed price. */
const formatsOf = (currency: string) => ({
  whole: new Intl.NumberFormat(locale, { style: 'currency', currency }),
  fine: new Intl.NumberFormat(locale, { style: 'currency', currency, maximumFractionDigits: 6 }),
});
const made: Record<string, ReturnType<typeof formatsOf>> = {};
const inCurrency = (currency: string): ReturnType<typeof formatsOf> => (made[currency] ??= formatsOf(currency));

/** In cents, as far as the currency has them; what is less than a cent keeps the decimals that matter. */
export const money = (amount: number, currency: string): string => {
  const { whole, fine } = inCurrency(currency);
  return (amount !== 0 && Math.abs(amount) < 0.01 ? fine : whole).format(amount);
};

/** Amounts of several currencies, which are not added: `$1,200.00, €300.00`. */
export const amounts = (of: readonly { readonly currency: string; readonly amount: number }[]): string =>
  of.map(({ currency, amount }) => money(amount, currency)).join(', ') || '–';

/** With all decimals of an agreed price. */
export const price = (amount: number, currency: string): string => inCurrency(currency).fine.format(amount);

/** As it is written beside an amount: `$`, `€`, `CHF`. */
export const currencySign = (currency: string): string =>
  inCurrency(currency)
    .whole.formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency;

/** To the micro, for what is invoiced: `$45.07`, `5001`, and what the reader's locale writes after it. */
export const exactMoney = (
  amount: number,
  currency: string,
): { readonly cents: string; readonly micros: string; readonly rest: string } => {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: 6, maximumFractionDigits: 6 });
  const parts = format.formatToParts(amount);
  const at = parts.findIndex(({ type }) => type === 'fraction');
  const text = (from: number, to?: number): string =>
    parts
      .slice(from, to)
      .map(({ value }) => value)
      .join('');
  const fraction = parts[at]?.value ?? '';
  return { cents: `${text(0, at)}${fraction.slice(0, 2)}`, micros: fraction.slice(2), rest: text(at + 1) };
};

const cents = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 6 });

/** An amount whose currency is not known here: in cents, or with all decimals of an agreed price. */
export const plainAmount = (amount: number): string => cents.format(amount);

export const count = (value: number): string => whole.format(value);

/** In whole percent where it is that, and else with two decimals: `50%`, `0.30%`. */
export const percent = (value: number): string => {
  const hundredths = Math.round(value * 10_000);
  return (hundredths % 100 === 0 ? wholeShare : fineShare).format(hundredths / 10_000);
};

/** With their seconds, the longest first. */
export const UNITS_OF_TIME = [
  ['day', SECONDS_PER_DAY],
  ['hour', SECONDS_PER_HOUR],
  ['minute', 60],
  ['second', 1],
] as const;

type UnitOfTime = (typeof UNITS_OF_TIME)[number][0];
const inUnits = (unit: UnitOfTime): Intl.NumberFormat =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 });

/** 86400 is `1 day`, 5400 is `90 minutes`. */
export const duration = (seconds: number): string => {
  const [unit, length] = UNITS_OF_TIME.find(([, each]) => seconds >= each && seconds % each === 0) ?? (['second', 1] as const);
  return inUnits(unit).format(seconds / length);
};

/** `days`, as a choice beside an amount. */
export const unitWord = (unit: UnitOfTime): string =>
  inUnits(unit)
    .formatToParts(2)
    .find(({ type }) => type === 'unit')?.value ?? unit;
