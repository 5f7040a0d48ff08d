import { isDeepStrictEqual } from 'node:util';
import { keepDeleted } from '../../src/bookings/deleted-records.ts';
import { ENTITY_KINDS } from '../../src/bookings/entity-kind.ts';
import type { RateOf } from '../../src/bidders/currency-rates.ts';
import { groupBy } from '../../src/base/group-by.ts';
import { createFinance, type FinanceStatement } from '../../src/finance/finance.ts';
import type { FinanceLine } from '../../src/finance/finance-line.ts';
import type { Lane } from './lane.ts';
import type { Violation } from './model.ts';
import { MONTH } from './book-world.ts';
import type { RecordChange, World } from './story.ts';

const NEXT_MONTH = '2031-04';

/** Months of publishers: they are closed, and records are edited and deleted afterwards. */
export interface MonthBooks {
  /** Months that were closed, and lines of them that are corrections. */
  readonly counts: { readonly closed: number; readonly corrections: number };
  /** `killed`: before it commits. Resolves to what it came to, in words. */
  close(publisher: number, month: string, how: { readonly people: number; readonly killed: boolean }): Promise<string>;
  change(change: RecordChange): Promise<void>;
  /** Whether closed months are as they were closed, corrections are for those whom they name, and all sums are those of the events. */
  check(): Promise<readonly Violation[]>;
  /** Closes what is open, when the next month is over. */
  closeAll(): Promise<void>;
}

export const createMonthBooks = ({ knex }: Lane, world: World): MonthBooks => {
  const rates = new Map([['USD', 1]]);
  const rateOf: RateOf = (currency) => rates.get(currency);
  const finance = createFinance({ knex, rateOf });
  const publishers = world.rows.publishers.map(({ id }) => id as number);
  /** By publisher and month. */
  const documents = new Map<string, Document>();
  let deletions = 0;
  const counts = { closed: 0, corrections: 0 };

  const documentOf = async (publisher: number, month: string): Promise<Document> => {
    const found = await finance.statement(publisher, month);
    if (!found) throw new Error(`there is no statement of publisher ${publisher}`);
    const { closedMonths: _, payerChanges: __, ...document } = found;
    return document;
  };

  const book: MonthBooks['close'] = async (publisher, month, { people, killed }) => {
    const audit = () => (killed ? Promise.reject(new Error('chaos: killed before the month is booked')) : Promise.resolve());
    const closers = Array.from({ length: people }, (_, n) => finance.close(publisher, month, `person ${n}`, audit));
    const became = await Promise.all(closers.map((one) => one.catch((fault: unknown) => `${(fault as Error).message}`)));
    const document = await documentOf(publisher, month);
    const name = `${publisher} ${month}`;
    if (document.closed && !documents.has(name)) {
      documents.set(name, document);
      counts.closed++;
      counts.corrections += document.lines.filter(({ ofMonth }) => ofMonth !== month).length;
    }
    return became.map((one) => one ?? 'closed').join(', ');
  };

  return {
    counts,
    close: book,
    closeAll: async () => {
      for (const month of [MONTH, NEXT_MONTH])
        for (const publisher of publishers) await book(publisher, month, { people: 2, killed: false });
    },
    change: (change) =>
      knex.transaction(async (trx) => {
        if ('rate' in change) rates.set(change.currency, change.rate);
        else if ('name' in change) await trx(change.table).where({ id: change.id }).update({ name: change.name });
        else if ('campaign' in change) await trx('campaigns').where({ id: change.campaign }).update({ advertiser_id: change.advertiser });
        else if ('publisher' in change)
          await trx('publishers').where({ id: change.publisher }).update({ time_zone: change.zone, statement_currency: change.currency });
        else {
          await keepDeleted(trx, ENTITY_KINDS.campaigns, change.gone, ++deletions);
          await trx('campaigns').where({ id: change.gone }).delete();
        }
      }),
    check: async () => {
      const found: Violation[] = [];
      for (const publisher of publishers) {
        const closed = [...documents].filter(([name]) => name.startsWith(`${publisher} `)).map(([, document]) => document);
        for (const document of closed)
          if (!isDeepStrictEqual(await documentOf(publisher, document.month), document))
            found.push({ rule: 'closed month', text: `${document.month} of publisher ${publisher} has changed` });
        if (closed.length === 0) continue;
        const open = [MONTH, NEXT_MONTH, '2031-05'].find((month) => closed.every((document) => document.month !== month))!;
        const lines = [...closed.flatMap((document) => document.lines), ...(await documentOf(publisher, open)).lines];
        for (const document of closed)
          found.push(...checkNames(document, lines), ...checkSums(document, lines, await earnedBy(knex, document)));
      }
      return found;
    },
  };
};

type Document = Omit<FinanceStatement, 'closedMonths' | 'payerChanges'>;

/** Corrections have the names, the payer and the currency that the month was closed with. */
const checkNames = ({ month, publisherId, currency, lines: booked }: Document, lines: readonly FinanceLine[]): readonly Violation[] => {
  const named = ({ campaign, advertiserId, advertiser }: FinanceLine): string => `${campaign}, ${advertiserId} ${advertiser}`;
  return lines.flatMap((line): Violation[] => {
    if (line.ofMonth !== month) return [];
    const own = booked.filter(({ ofMonth, campaignId }) => ofMonth === month && campaignId === line.campaignId).map(named);
    const isWrong = line.currency !== currency || (own.length > 0 && !own.includes(named(line)));
    const text = `a line of ${month} of publisher ${publisherId} is for ${named(line)} in ${line.currency}, the month for ${own.join('; ')} in ${currency}`;
    return isWrong ? [{ rule: 'closed month', text }] : [];
  });
};

/** A campaign's figures of a month, and what its fees earn in it. */
interface Earned {
  readonly campaignId: number;
  readonly impressions: string;
  readonly clicks: string;
  readonly revenue: string;
}

// The events that are counted, by their days in the zone that they are stored with, and each fee by the milliseconds that have passed of it.
const EARNED = `
  with hits as (
    select campaign_id, count(*) filter (where kind = 'impression') as impressions, count(*) filter (where kind = 'click') as clicks,
           sum(billed_micros) as revenue
    from events
    where publisher_id = :publisher and not exists (select from event_batches b where b.batch = events.batch) and invalid_reason = '' and to_char(at at time zone zone, 'YYYY-MM') = :month group by 1
  ), spans as (
    select l.campaign_id, l.budget_micros::numeric as fee, extract(epoch from l.end_at - l.start_at) as whole,
           extract(epoch from least(greatest(m.begins_at, l.start_at), l.end_at) - l.start_at) as before,
           extract(epoch from least(greatest(m.ends_at, l.start_at), l.end_at) - l.start_at) as upto
    from line_items l join campaigns c on c.id = l.campaign_id
    join finance_months m on m.publisher_id = c.publisher_id and to_char(m.month, 'YYYY-MM') = :month
    where c.publisher_id = :publisher and l.type = 'direct' and l.budget_type = 'Flat' and l.budget_micros > 0
  ), fees as (
    select campaign_id, sum(div(fee * upto, whole) - div(fee * before, whole)) as fee from spans group by 1
  )
  select campaign_id as "campaignId", coalesce(impressions, 0) as impressions, coalesce(clicks, 0) as clicks,
         coalesce(revenue, 0) + coalesce(fee, 0) as revenue
  from hits full join fees using (campaign_id)`;

const earnedBy = async (knex: Lane['knex'], { publisherId, month }: Document): Promise<readonly Earned[]> =>
  (await knex.raw<{ rows: Earned[] }>(EARNED, { publisher: publisherId, month })).rows;

/** A statement and its corrections are what the events say, to the micro, and in its currency rounded once. */
const checkSums = (
  { month, publisherId, rate }: Document,
  all: readonly FinanceLine[],
  earned: readonly Earned[],
): readonly Violation[] => {
  const lines = all.filter(({ ofMonth }) => ofMonth === month);
  const sum = (of: readonly FinanceLine[], name: 'impressions' | 'clicks' | 'revenueMicros'): number =>
    of.reduce((total, line) => total + line[name], 0);
  const byCampaign = groupBy(lines, ({ campaignId }) => campaignId);
  const due = new Map(
    earned.map(({ campaignId, impressions, clicks, revenue }) => [campaignId, [impressions, clicks, revenue].map(Number)]),
  );
  const found = [...new Set([...byCampaign.keys(), ...due.keys()])].flatMap((campaignId): Violation[] => {
    const of = byCampaign.get(campaignId) ?? [];
    const is = [sum(of, 'impressions'), sum(of, 'clicks'), sum(of, 'revenueMicros')];
    const by = due.get(campaignId) ?? [0, 0, 0];
    const text = `${month} of publisher ${publisherId}, campaign ${campaignId}: ${is.join(', ')} with corrections, by the events ${by.join(', ')}`;
    return isDeepStrictEqual(is, by) ? [] : [{ rule: 'statement', text }];
  });
  for (const [payer, of] of groupBy(lines, ({ campaignId, advertiserId }) => `${campaignId} ${advertiserId}`)) {
    const amount = of.reduce((total, line) => total + (line.amountMicros ?? NaN), 0);
    const whole = Math.round(sum(of, 'revenueMicros') * (rate ?? NaN));
    if (amount !== whole)
      found.push({
        rule: 'statement',
        text: `${month} of publisher ${publisherId}, ${payer}: ${amount} in its currency instead of ${whole}`,
      });
  }
  return found;
};
