import { maySee } from '../access/scope.ts';
import { groupBy } from '../base/group-by.ts';
import { answer, fileReply, noSuch, refuse, type Handlers } from '../api/route.ts';
import { changedBy, recordChange } from '../bookings/audit-trail.ts';
import { amountFromMicros } from '../catalog/model/money.ts';
import type { ReportColumn } from '../reports/report-fields.ts';
import { writeTable } from '../reports/write-report.ts';
import type { FINANCE_API, FinanceWire } from './finance-api.ts';
import type { FinanceLine } from './finance-line.ts';
import type { Finance, FinanceStatement } from './finance.ts';

/** The columns of the lines, in CSV and Excel. */
const FINANCE_COLUMNS: readonly ReportColumn[] = [
  { name: 'month', label: 'Month', kind: 'text' },
  { name: 'of_month', label: 'Of month', kind: 'text' },
  { name: 'through', label: 'To date, with', kind: 'text' },
  { name: 'publisher_id', label: 'Publisher id', kind: 'id' },
  { name: 'publisher', label: 'Publisher', kind: 'name' },
  { name: 'advertiser_id', label: 'Advertiser id', kind: 'id' },
  { name: 'advertiser', label: 'Advertiser', kind: 'name' },
  { name: 'campaign_id', label: 'Campaign id', kind: 'id' },
  { name: 'campaign', label: 'Campaign', kind: 'name' },
  { name: 'impressions', label: 'Impressions', kind: 'count' },
  { name: 'clicks', label: 'Clicks', kind: 'count' },
  { name: 'revenue', label: 'Revenue to date', kind: 'money' },
  { name: 'fee_to_come', label: 'Fee still to come', kind: 'money' },
  { name: 'amount', label: 'Amount to date', kind: 'money' },
  { name: 'currency', label: 'Currency', kind: 'text' },
  { name: 'revenue_currency', label: 'Currency of the revenue and the fee', kind: 'text' },
];

/** The statement of a publisher for a month, and the months to close. */
export const financeRoutes = (finance: Finance): Handlers<typeof FINANCE_API> => ({
  getStatement: async ({ publisher_id, month, format }, { caller }) => {
    const found = maySee(caller.publishers, publisher_id) ? await finance.statement(publisher_id, month) : undefined;
    if (!found) return noSuch('publisher');
    const statement = showStatement(found);
    if (format === 'json') return answer(statement);
    const name = `statement_${publisher_id}_${month}`;
    return fileReply((begin) =>
      writeTable(begin, { name, format, columns: FINANCE_COLUMNS, currency: null, instead: 'choose CSV' }, [statement.lines]),
    );
  },
  listOpenMonths: async (_asked, { caller }) => answer(await finance.openMonths(caller.publishers)),
  closeMonth: async ({ body: { publisher_id: publisherId, month } }, { actor, caller }) => {
    if (!maySee(caller.publishers, publisherId)) return noSuch('publisher');
    const reasons = await finance.closeFaults(publisherId, caller);
    if (reasons.length > 0) return refuse('approval_required', 'A second person must approve the close of a month.', reasons);
    const change = {
      ...changedBy(caller),
      action: 'close_month',
      entity: 'publisher',
      entityId: publisherId,
      before: null,
      after: { month },
    } as const;
    const refusal = await finance.close(publisherId, month, actor, (trx) => recordChange(trx, change));
    if (refusal === 'unknown') return noSuch('publisher');
    if (refusal !== undefined) return refuse('conflict', CLOSE_WORDS[refusal]);
    const found = await finance.statement(publisherId, month);
    return found ? answer(showStatement(found)) : noSuch('publisher');
  },
});

const CLOSE_WORDS = {
  closed: 'The month is closed already. What has changed since is a correction in the next month that is closed.',
  'not over': 'The month is not over in the time zone of the publisher.',
  'no rate': 'CURRENCY_RATES has no rate between the currency of the publisher and that of its statements.',
} as const;

/** The statement as the API answers it. */
const showStatement = (statement: FinanceStatement): FinanceWire => {
  const { publisherId, publisher, month, through, timeZone, revenueCurrency, currency, rate, closed, lines, closedMonths, payerChanges } =
    statement;
  const byAdvertiser = groupBy(lines, ({ advertiserId }) => advertiserId);
  return {
    ...{ publisher_id: publisherId, publisher, month, through, time_zone: timeZone, revenue_currency: revenueCurrency, currency, rate },
    closed_at: closed?.at.toISOString() ?? null,
    closed_by: closed?.by ?? null,
    closed_months: closedMonths,
    advertisers: [...byAdvertiser].map(([id, of]) => ({
      ...{ advertiser_id: id, advertiser: of[0]?.advertiser ?? null, ...totalsOf(of, statement) },
    })),
    lines: lines.map((line) => ({
      ...{ month, of_month: line.ofMonth, through, publisher_id: publisherId, publisher },
      ...{ advertiser_id: line.advertiserId, advertiser: line.advertiser, campaign_id: line.campaignId, campaign: line.campaign },
      ...{ impressions: line.impressions, clicks: line.clicks },
      ...{ revenue: amountFromMicros(line.revenueMicros), fee_to_come: amountFromMicros(line.feeToComeMicros) },
      ...{ amount: line.amountMicros === null ? null : amountFromMicros(line.amountMicros), currency: line.currency },
      revenue_currency: revenueCurrency,
    })),
    totals: totalsOf(lines, statement),
    payer_changes: payerChanges,
  };
};

type Sum = 'impressions' | 'clicks' | 'revenueMicros' | 'feeToComeMicros' | 'amountMicros';

/** `revenue` has the corrections in it; sums are in micros, so that they are exact. */
const totalsOf = (lines: readonly FinanceLine[], { month, currency }: Pick<FinanceStatement, 'month' | 'currency'>) => {
  const sum = (of: readonly FinanceLine[], name: Sum): number => of.reduce((total, line) => total + (line[name] ?? 0), 0);
  const own = lines.filter((line) => line.currency === currency);
  const others = groupBy(
    lines.filter((line) => line.currency !== currency),
    (line) => line.currency,
  );
  const corrections = lines.filter(({ ofMonth }) => ofMonth !== month);
  return {
    ...{ impressions: sum(lines, 'impressions'), clicks: sum(lines, 'clicks') },
    corrections: amountFromMicros(sum(corrections, 'revenueMicros')),
    revenue: amountFromMicros(sum(lines, 'revenueMicros')),
    fee_to_come: amountFromMicros(sum(lines, 'feeToComeMicros')),
    amount: own.every(({ amountMicros }) => amountMicros !== null) ? amountFromMicros(sum(own, 'amountMicros')) : null,
    other_amounts: [...others].map(([other, of]) => ({ currency: other, amount: amountFromMicros(sum(of, 'amountMicros')) })),
  };
};
