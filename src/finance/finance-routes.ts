import type { Knex } from 'knex';
import { groupBy } from '../base/group-by.ts';
import { answer, fileReply, noSuch, refuse, type Handlers } from '../api/route.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { usdFromMicros } from '../catalog/model/money.ts';
import type { ReportColumn } from '../reports/report-fields.ts';
import { writeTable } from '../reports/write-report.ts';
import type { FINANCE_API, FinanceWire } from './finance-api.ts';
import type { Finance, FinanceLine, FinanceStatement } from './finance.ts';

export interface FinanceRoutesOptions {
  readonly knex: Knex;
  readonly finance: Finance;
}

/** The columns of the lines, in CSV and Excel. */
const FINANCE_COLUMNS: readonly ReportColumn[] = [
  { name: 'month', label: 'Month', kind: 'text' },
  { name: 'of_month', label: 'Of month', kind: 'text' },
  { name: 'advertiser_id', label: 'Advertiser id', kind: 'id' },
  { name: 'advertiser', label: 'Advertiser', kind: 'name' },
  { name: 'campaign_id', label: 'Campaign id', kind: 'id' },
  { name: 'campaign', label: 'Campaign', kind: 'name' },
  { name: 'impressions', label: 'Impressions', kind: 'count' },
  { name: 'clicks', label: 'Clicks', kind: 'count' },
  { name: 'revenue', label: 'Revenue, USD', kind: 'usd' },
  { name: 'amount', label: 'Amount', kind: 'usd' },
  { name: 'currency', label: 'Currency', kind: 'text' },
];

/** The statement of a publisher for a month, and the months to close. */
export const financeRoutes = ({ knex, finance }: FinanceRoutesOptions): Handlers<typeof FINANCE_API> => ({
  getStatement: async ({ publisher_id, month, format }) => {
    const found = await finance.statement(publisher_id, month);
    if (!found) return noSuch('publisher');
    const statement = await showStatement(knex, found);
    if (format === 'json') return answer(statement);
    const name = `statement_${publisher_id}_${month}`;
    return fileReply((begin) => writeTable(begin, { name, format, columns: FINANCE_COLUMNS, instead: 'choose CSV' }, [statement.lines]));
  },
  listOpenMonths: async () =>
    answer((await finance.openMonths()).map(({ publisherId, publisher, month }) => ({ publisher_id: publisherId, publisher, month }))),
  closeMonth: async ({ body: { publisher_id: publisherId, month } }, { actor }) => {
    const change = { actor, action: 'close_month', entity: 'publisher', entityId: publisherId, before: null, after: { month } } as const;
    const refusal = await finance.close(publisherId, month, actor, (trx) => recordChange(trx, change));
    if (refusal === 'unknown') return noSuch('publisher');
    if (refusal !== undefined) return refuse('conflict', CLOSE_WORDS[refusal]);
    const found = await finance.statement(publisherId, month);
    return found ? answer(await showStatement(knex, found)) : noSuch('publisher');
  },
});

const CLOSE_WORDS = {
  closed: 'The month is closed already. What has changed since is a correction in the next month that is closed.',
  'not over': 'The month is not over in the time zone of the publisher.',
  'no rate': 'CURRENCY_RATES has no rate for the currency of the publisher.',
} as const;

/** The statement as the API answers it, with the names of what it refers to. */
const showStatement = async (knex: Knex, statement: FinanceStatement): Promise<FinanceWire> => {
  const { publisherId, month, timeZone, currency, rate, closed, lines, closedMonths } = statement;
  const namesOf = async (table: 'campaigns' | 'advertisers', ids: readonly (number | null)[]) => {
    const rows = await knex(table)
      .whereIn('id', [...new Set(ids.filter((id) => id !== null))])
      .select<{ id: number; name: string }[]>('id', 'name');
    return new Map(rows.map(({ id, name }) => [id, name]));
  };
  const campaigns = await namesOf(
    'campaigns',
    lines.map(({ campaignId }) => campaignId),
  );
  const advertisers = await namesOf(
    'advertisers',
    lines.map(({ advertiserId }) => advertiserId),
  );
  const advertiserName = (id: number | null): string | null => (id === null ? null : (advertisers.get(id) ?? null));
  const byAdvertiser = groupBy(lines, ({ advertiserId }) => advertiserId);
  return {
    ...{ publisher_id: publisherId, month, time_zone: timeZone, currency, rate },
    closed_at: closed?.at.toISOString() ?? null,
    closed_by: closed?.by ?? null,
    closed_months: closedMonths,
    advertisers: [...byAdvertiser].map(([id, of]) => ({ advertiser_id: id, advertiser: advertiserName(id), ...totalsOf(of, month) })),
    lines: lines.map((line) => ({
      ...{ month, of_month: line.ofMonth, advertiser_id: line.advertiserId, advertiser: advertiserName(line.advertiserId) },
      ...{ campaign_id: line.campaignId, campaign: campaigns.get(line.campaignId) ?? null },
      ...{ impressions: line.impressions, clicks: line.clicks, revenue: usdFromMicros(line.revenueMicros) },
      ...{ amount: line.amountMicros === null ? null : usdFromMicros(line.amountMicros), currency },
    })),
    totals: totalsOf(lines, month),
  };
};

/** `revenue` has the corrections in it; sums are in micros, so that they are exact. */
const totalsOf = (lines: readonly FinanceLine[], month: string) => {
  const sum = (of: readonly FinanceLine[], name: 'impressions' | 'clicks' | 'revenueMicros' | 'amountMicros'): number =>
    of.reduce((total, line) => total + (line[name] ?? 0), 0);
  const isConverted = lines.every(({ amountMicros }) => amountMicros !== null);
  const corrections = lines.filter(({ ofMonth }) => ofMonth !== month);
  return {
    ...{ impressions: sum(lines, 'impressions'), clicks: sum(lines, 'clicks') },
    corrections: usdFromMicros(sum(corrections, 'revenueMicros')),
    revenue: usdFromMicros(sum(lines, 'revenueMicros')),
    amount: isConverted ? usdFromMicros(sum(lines, 'amountMicros')) : null,
  };
};
