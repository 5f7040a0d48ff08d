import type { Knex } from 'knex';
import { metricOf, type MetricName } from './report-fields.ts';
import { idsIn, type ReportQuestion } from './report-question.ts';

const CURRENCIES = `
  select distinct currency from publishers
  where (:publishers::int[] is null or id = any(:publishers::int[])) and (:chosen::text[] is null or currency = any(:chosen::text[])) limit 2`;

/** Of the publishers of a report: one, or two where there are several. */
export const currenciesOf = async (trx: Knex.Transaction, question: ReportQuestion): Promise<readonly string[]> => {
  const chosen = question.filters.find(({ dimension }) => dimension === 'currency')?.values ?? null;
  const bindings = { publishers: idsIn(question, 'publisher'), chosen } as unknown as Record<string, Knex.RawBinding>;
  const { rows } = await trx.raw<{ rows: { currency: string }[] }>(CURRENCIES, bindings);
  return rows.map(({ currency }) => currency);
};

const isAmount = (name: MetricName): boolean => metricOf(name).kind === 'money';

/** Amounts of several currencies have a row for each, and are never added. */
export const byCurrency = (question: ReportQuestion, currencies: readonly string[]): ReportQuestion =>
  currencies.length > 1 && question.metrics.some(isAmount) && !question.groupBy.includes('currency')
    ? { ...question, groupBy: [...question.groupBy, 'currency'] }
    : question;

/** Totals over several currencies. */
export const withoutAmounts = <T>(
  metrics: readonly MetricName[],
  totals: Readonly<Record<string, T>>,
): Readonly<Record<string, T | null>> =>
  Object.fromEntries(
    Object.entries(totals).map(([name, sum]) => [name, metrics.some((one) => one === name && isAmount(one)) ? null : sum]),
  );
