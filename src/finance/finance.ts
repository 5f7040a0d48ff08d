import type { Knex } from 'knex';
import type { RateOf } from '../bidders/currency-rates.ts';
import { HAS_FEE } from '../reports/fee-sql.ts';
import type { ReportQuestion } from '../reports/report-question.ts';
import { exportStatement } from '../reports/report-sql.ts';
import { ROLL_UPS } from '../events/postgres/roll-ups.ts';

/** What one campaign earned in a month. Money in micros of USD. */
export interface FinanceLine {
  /** YYYY-MM: the month whose figures these are; before the month of the statement: a correction. */
  readonly ofMonth: string;
  readonly campaignId: number;
  /** Who paid, when the line was written; null: not known. */
  readonly advertiserId: number | null;
  readonly impressions: number;
  readonly clicks: number;
  readonly revenueMicros: number;
  /** The revenue in micros of the publisher's currency; null: its rate is not known. */
  readonly amountMicros: number | null;
}

/** The statement of a publisher for a month. */
export interface FinanceStatement {
  readonly publisherId: number;
  /** YYYY-MM. */
  readonly month: string;
  readonly timeZone: string;
  /** ISO 4217, with its units for one USD; null: CURRENCY_RATES does not have it. */
  readonly currency: string;
  readonly rate: number | null;
  /** null: the month is open, and the lines are what closing it now would book. */
  readonly closed: { readonly at: Date; readonly by: string } | null;
  readonly lines: readonly FinanceLine[];
  /** YYYY-MM, the latest first: the months of the publisher that are closed. */
  readonly closedMonths: readonly string[];
}

/** A month in which a publisher earned something, that is over and not closed. */
export interface OpenMonth {
  readonly publisherId: number;
  readonly publisher: string;
  /** YYYY-MM. */
  readonly month: string;
}

export type CloseRefusal = 'unknown' | 'closed' | 'not over' | 'no rate';

/** Statements of publishers by month. Each method rejects when Postgres is unavailable. */
export interface Finance {
  /** undefined: there is no such publisher. */
  statement(publisherId: number, month: string): Promise<FinanceStatement | undefined>;
  /** Of all publishers, the earliest first; at most MAX_OPEN_MONTHS. */
  openMonths(): Promise<readonly OpenMonth[]>;
  /** Books the lines of a month that is over. What changes afterwards is a correction in the next one. */
  close(
    publisherId: number,
    month: string,
    person: string,
    audit: (trx: Knex.Transaction) => Promise<void>,
  ): Promise<CloseRefusal | undefined>;
}

type Figures = Omit<FinanceLine, 'ofMonth' | 'amountMicros'>;
interface StoredLine {
  readonly of_month: string;
  readonly campaign_id: number;
  readonly advertiser_id: number | null;
  readonly impressions: string;
  readonly clicks: string;
  readonly revenue_micros: string;
  readonly amount_micros: string;
}

/** One closing of a publisher at a time: two in parallel would book the same correction twice. */
const CLOSE_LOCK = 7_240_118;
const FIRST_DAY = '-01';
export const MAX_OPEN_MONTHS = 1_000;

const OPEN_MONTHS = `
  with earned as (
    select distinct publisher_id, date_trunc('month', day) as month from report_days where reason = ''
    union
    select ca.publisher_id, months.month
    from line_items l join campaigns ca on ca.id = l.campaign_id join publishers p on p.id = ca.publisher_id,
         generate_series(date_trunc('month', l.start_at at time zone p.time_zone), least(l.end_at, now()) at time zone p.time_zone,
                         interval '1 month') as months (month)
    where ${HAS_FEE}
  )
  select p.id as "publisherId", p.name as publisher, to_char(earned.month, 'YYYY-MM') as month
  from earned join publishers p on p.id = earned.publisher_id
  where earned.month + interval '1 month' <= now() at time zone p.time_zone
    and not exists (select from finance_months f where f.publisher_id = p.id and f.month = earned.month)
  order by earned.month, p.name, p.id limit ${MAX_OPEN_MONTHS}`;

export interface FinanceOptions {
  /** The connections of reports. */
  readonly knex: Knex;
  readonly rateOf: RateOf;
}

export const createFinance = ({ knex, rateOf }: FinanceOptions): Finance => ({
  statement: (publisherId, month) =>
    knex.transaction(
      async (trx) => {
        const publisher = await publisherOf(trx, publisherId, month);
        if (!publisher) return undefined;
        const [closed, closedMonths] = [await closedOf(trx, publisherId, month), await closedMonthsOf(trx, publisherId)];
        if (closed) {
          const { at, by, currency, rate } = closed;
          const lines = await storedLines(trx, publisherId, { month });
          return { publisherId, month, timeZone: publisher.zone, currency, rate, closed: { at, by }, lines, closedMonths };
        }
        const rate = rateOf(publisher.currency) ?? null;
        const lines = await dueLines(trx, publisherId, { month, rate, closedMonths });
        return { publisherId, month, timeZone: publisher.zone, currency: publisher.currency, rate, closed: null, lines, closedMonths };
      },
      { readOnly: true, isolationLevel: 'repeatable read' },
    ),

  openMonths: async () => (await knex.raw<{ rows: OpenMonth[] }>(OPEN_MONTHS)).rows,

  close: (publisherId, month, person, audit) =>
    knex.transaction(async (trx) => {
      await trx.raw('select pg_advisory_xact_lock(?, ?)', [CLOSE_LOCK, publisherId]);
      const publisher = await publisherOf(trx, publisherId, month);
      if (!publisher) return 'unknown';
      if (!publisher.isOver) return 'not over';
      if (await closedOf(trx, publisherId, month)) return 'closed';
      const rate = rateOf(publisher.currency);
      if (rate === undefined) return 'no rate';
      const lines = await dueLines(trx, publisherId, { month, rate, closedMonths: await closedMonthsOf(trx, publisherId) });
      const of = { publisher_id: publisherId, month: month + FIRST_DAY };
      await trx('finance_months').insert({ ...of, closed_by: person, currency: publisher.currency, rate });
      for (let i = 0; i < lines.length; i += 1_000)
        await trx('finance_lines').insert(lines.slice(i, i + 1_000).map((line) => ({ ...of, ...rowOf(line) })));
      await audit(trx);
      return undefined;
    }),
});

const rowOf = ({ ofMonth, campaignId, advertiserId, impressions, clicks, revenueMicros, amountMicros }: FinanceLine) => ({
  ...{ of_month: ofMonth + FIRST_DAY, campaign_id: campaignId, advertiser_id: advertiserId },
  ...{ impressions, clicks, revenue_micros: revenueMicros, amount_micros: amountMicros },
});

const publisherOf = async (trx: Knex.Transaction, id: number, month: string) => {
  const { rows } = await trx.raw<{ rows: { zone: string; currency: string; isOver: boolean }[] }>(
    `select time_zone as zone, currency, now() at time zone time_zone >= :first::date + interval '1 month' as "isOver" from publishers where id = :id`,
    { id, first: month + FIRST_DAY },
  );
  return rows[0];
};

const closedOf = async (trx: Knex.Transaction, publisherId: number, month: string) =>
  trx('finance_months')
    .where({ publisher_id: publisherId, month: month + FIRST_DAY })
    .first<{ at: Date; by: string; currency: string; rate: number } | undefined>({
      ...{ at: 'closed_at', by: 'closed_by', currency: 'currency', rate: 'rate' },
    });

const closedMonthsOf = async (trx: Knex.Transaction, publisherId: number): Promise<readonly string[]> => {
  const { rows } = await trx.raw<{ rows: { month: string }[] }>(
    `select to_char(month, 'YYYY-MM') as month from finance_months where publisher_id = ? order by 1 desc`,
    [publisherId],
  );
  return rows.map(({ month }) => month);
};

const storedLines = async (
  trx: Knex.Transaction,
  publisherId: number,
  { month, ofMonth }: { readonly month?: string; readonly ofMonth?: string },
) => {
  const { rows } = await trx.raw<{ rows: StoredLine[] }>(
    `select to_char(of_month, 'YYYY-MM') as of_month, campaign_id, max(advertiser_id) as advertiser_id, sum(impressions) as impressions,
            sum(clicks) as clicks, sum(revenue_micros) as revenue_micros, sum(amount_micros) as amount_micros
     from finance_lines where publisher_id = :publisherId and ${month === undefined ? 'of_month' : 'month'} = :first::date
     group by 1, 2 order by 1 desc, 2`,
    { publisherId, first: `${month ?? ofMonth}${FIRST_DAY}` },
  );
  return rows.map((row): FinanceLine => ({
    ...{ ofMonth: row.of_month, campaignId: row.campaign_id, advertiserId: row.advertiser_id },
    ...{ impressions: Number(row.impressions), clicks: Number(row.clicks), revenueMicros: Number(row.revenue_micros) },
    amountMicros: Number(row.amount_micros),
  }));
};

/**
 * What closing a month would book: its figures, and of each closed month what has changed since, for the
 * advertiser that the month was booked for. All at one rate.
 */
const dueLines = async (
  trx: Knex.Transaction,
  publisherId: number,
  { month, rate, closedMonths }: Pick<FinanceStatement, 'month' | 'rate' | 'closedMonths'>,
): Promise<readonly FinanceLine[]> => {
  const inCurrency = (micros: number) => ({ amountMicros: rate === null ? null : Math.round(micros * rate) });
  const lines = (await liveFigures(trx, publisherId, month)).map((figures): FinanceLine => ({
    ...{ ofMonth: month, ...figures },
    ...inCurrency(figures.revenueMicros),
  }));
  for (const ofMonth of closedMonths) {
    const booked = new Map((await storedLines(trx, publisherId, { ofMonth })).map((line) => [line.campaignId, line]));
    const live = new Map((await liveFigures(trx, publisherId, ofMonth)).map((line) => [line.campaignId, line]));
    for (const campaignId of new Set([...live.keys(), ...booked.keys()])) {
      const [is, was] = [live.get(campaignId), booked.get(campaignId)];
      const difference = (name: 'impressions' | 'clicks' | 'revenueMicros'): number => (is?.[name] ?? 0) - (was?.[name] ?? 0);
      const [impressions, clicks, revenueMicros] = [difference('impressions'), difference('clicks'), difference('revenueMicros')];
      if (impressions === 0 && clicks === 0 && revenueMicros === 0) continue;
      const advertiserId = was?.advertiserId ?? is?.advertiserId ?? null;
      lines.push({ ofMonth, campaignId, advertiserId, impressions, clicks, revenueMicros, ...inCurrency(revenueMicros) });
    }
  }
  return lines;
};

/** The figures of a month as reports have them now: net, in the publisher's days, with fees. */
const liveFigures = async (trx: Knex.Transaction, publisherId: number, month: string): Promise<readonly Figures[]> => {
  const days = ROLL_UPS.filter(({ table }) => table === 'report_days');
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);
  const question: ReportQuestion = {
    ...{ groupBy: ['campaign'], metrics: ['impressions', 'clicks', 'revenue'], sort: undefined, rollUps: days },
    ...{ filters: [{ dimension: 'publisher', values: [String(publisherId)] }], from: month + FIRST_DAY, to: last },
  };
  const { sql, bindings } = exportStatement(question);
  const { rows } = await trx.raw<{
    rows: { campaign_id: number; advertiser_id: number | null; impressions: string; clicks: string; revenue: number }[];
  }>(
    `select f.*, ca.advertiser_id from (${sql}) f left join campaigns ca on ca.id = f.campaign_id order by f.campaign_id`,
    bindings as Record<string, Knex.RawBinding>,
  );
  return rows.map(({ campaign_id, advertiser_id, impressions, clicks, revenue }) => ({
    ...{ campaignId: campaign_id, advertiserId: advertiser_id, impressions: Number(impressions), clicks: Number(clicks) },
    revenueMicros: Math.round(revenue * 1e6),
  }));
};
