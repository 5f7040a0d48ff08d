import type { Caller } from '../access/caller.ts';
import { holdLock } from '../base/advisory-locks.ts';
import type { Fault } from '../base/fault.ts';
import { closeFaults } from '../bookings/second-person.ts';
import type { Knex } from 'knex';
import type { Ids } from '../access/scope.ts';
import { groupBy } from '../base/group-by.ts';
import { rateBetween, type RateOf } from '../bidders/currency-rates.ts';
import { readPayerChanges, type PayerChange } from '../reports/payer-changes.ts';
import { rollUpAll } from '../events/postgres/roll-up-batches.ts';
import { closedMonthsOf, storedLines, storeMonth, type ClosedMonth } from './closed-months.ts';
import { earnedIn, type Figures } from './earned-in.ts';
import type { OpenMonthWire } from './finance-api.ts';
import type { FinanceLine } from './finance-line.ts';
import { openMonth, readOpenMonths, type PublisherMonth } from './open-months.ts';

/** The statement of a publisher for a month. */
export interface FinanceStatement extends Pick<ClosedMonth, 'month' | 'publisher' | 'timeZone' | 'revenueCurrency' | 'currency'> {
  readonly publisherId: number;
  /** YYYY-MM-DD: the last day of the month, or today if that is earlier; null: the month has not begun. */
  readonly through: string | null;
  /** null: CURRENCY_RATES lacks one of the currencies. */
  readonly rate: number | null;
  /** null: the month is open, and the lines are what closing it now would book, but for fees to come. */
  readonly closed: { readonly at: Date; readonly by: string } | null;
  readonly lines: readonly FinanceLine[];
  /** YYYY-MM, the latest first: the months of the publisher that are closed. */
  readonly closedMonths: readonly string[];
  /** Of the month; in a closed one with the names that its lines have. */
  readonly payerChanges: readonly PayerChange[];
}

export type CloseRefusal = 'unknown' | 'closed' | 'not over' | 'no rate';

export interface FinanceOptions {
  /** The connections of reports. */
  readonly knex: Knex;
  readonly rateOf: RateOf;
}

/** Statements of publishers by month. Each method rejects when Postgres is unavailable. */
export const createFinance = ({ knex, rateOf }: FinanceOptions) => ({
  /** undefined: there is no such publisher. */
  statement: (publisherId: number, month: string): Promise<FinanceStatement | undefined> =>
    knex.transaction(
      async (trx) => {
        const closedMonths = await closedMonthsOf(trx, publisherId);
        const of = { publisherId, month, closedMonths: closedMonths.map((one) => one.month) };
        const closed = closedMonths.find((one) => one.month === month);
        if (closed) {
          const { publisher, timeZone, revenueCurrency, currency, rate, at, by, lastDay: through } = closed;
          const lines = await storedLines(trx, publisherId, { month });
          const payerChanges = (await payersIn(trx, publisherId, closed)).map((change) => asBooked(change, lines));
          return { ...of, publisher, timeZone, revenueCurrency, currency, rate, through, closed: { at, by }, lines, payerChanges };
        }
        const open = await openMonth(trx, publisherId, month);
        if (!open) return undefined;
        const { publisher, timeZone, revenueCurrency, currency, through } = open;
        const rate = rateBetween(rateOf, revenueCurrency, currency) ?? null;
        const lines = await dueLines(trx, publisherId, { ...open, rate }, closedMonths);
        const payerChanges = await payersIn(trx, publisherId, open);
        return { ...of, publisher, timeZone, revenueCurrency, currency, rate, through, closed: null, lines, payerChanges };
      },
      { readOnly: true, isolationLevel: 'repeatable read' },
    ),

  /** Of these publishers, the earliest first; at most MAX_OPEN_MONTHS. null: of all. */
  openMonths: (publishers: Ids): Promise<readonly OpenMonthWire[]> => readOpenMonths(knex, publishers),

  /** Why the close of a month needs a second person; empty: it does not. */
  closeFaults: (publisherId: number, caller: Caller): Promise<readonly Fault[]> => closeFaults(knex, publisherId, caller),

  /** Books the lines of a month that is over. What changes afterwards is a correction in the next one. */
  close: async (
    publisherId: number,
    month: string,
    person: string,
    audit: (trx: Knex.Transaction) => Promise<void>,
  ): Promise<CloseRefusal | undefined> => {
    await rollUpAll(knex);
    return knex.transaction(async (trx) => {
      // Two in parallel would book the same correction twice.
      await holdLock(trx, 'close', publisherId);
      const open = await openMonth(trx, publisherId, month);
      if (!open) return 'unknown';
      if (!open.isOver) return 'not over';
      const closedMonths = await closedMonthsOf(trx, publisherId);
      if (closedMonths.some((one) => one.month === month)) return 'closed';
      const rate = rateBetween(rateOf, open.revenueCurrency, open.currency);
      if (rate === undefined) return 'no rate';
      const lines = await dueLines(trx, publisherId, { ...open, rate }, closedMonths);
      await storeMonth(trx, publisherId, { ...open, rate, by: person }, lines);
      await audit(trx);
      return undefined;
    });
  },
});

export type Finance = ReturnType<typeof createFinance>;

const payersIn = (
  trx: Knex.Transaction,
  publisherId: number,
  { beginsAt, endsAt }: Pick<ClosedMonth, 'beginsAt' | 'endsAt'>,
): Promise<readonly PayerChange[]> =>
  readPayerChanges(trx, { from: beginsAt, until: endsAt, publishers: [publisherId], campaigns: null, advertisers: null });

/** With the names of a closed month, as far as its lines have them. */
const asBooked = (change: PayerChange, lines: readonly FinanceLine[]): PayerChange => {
  const nameOf = (id: number | null, now: string | null): string | null =>
    lines.find(({ advertiserId }) => advertiserId === id)?.advertiser ?? now;
  const { campaign_id, campaign, from_advertiser_id: from, from_advertiser, to_advertiser_id: to, to_advertiser } = change;
  return {
    ...change,
    campaign: lines.find(({ campaignId }) => campaignId === campaign_id)?.campaign ?? campaign,
    ...{ from_advertiser: nameOf(from, from_advertiser), to_advertiser: nameOf(to, to_advertiser) },
  };
};

/**
 * What closing a month would book: its figures, and of each closed month what has changed since, for the
 * advertiser that the month was booked for, in its currency at its rate.
 */
const dueLines = async (
  trx: Knex.Transaction,
  publisherId: number,
  { rate, currency, ...open }: PublisherMonth & Pick<FinanceStatement, 'rate'>,
  closedMonths: readonly ClosedMonth[],
): Promise<readonly FinanceLine[]> => {
  const lines = (await earnedIn(trx, publisherId, open)).map((figures): FinanceLine => ({
    ...{ ofMonth: open.month, ...figures, currency },
    amountMicros: rate === null ? null : Math.round(figures.revenueMicros * rate),
  }));
  for (const closed of closedMonths) lines.push(...(await correctionsOf(trx, publisherId, closed)));
  return lines;
};

/** All amounts of a month, with its corrections, sum to its revenue at its rate, rounded once. */
const correctionsOf = async (trx: Knex.Transaction, publisherId: number, closed: ClosedMonth): Promise<readonly FinanceLine[]> => {
  const { month: ofMonth, rate, currency, endsAt } = closed;
  const booked = groupBy(await storedLines(trx, publisherId, { ofMonth }), ({ campaignId }) => campaignId);
  const live = groupBy(await earnedIn(trx, publisherId, { ...closed, toDate: endsAt }), ({ campaignId }) => campaignId);
  return [...new Set([...live.keys(), ...booked.keys()])].flatMap((campaignId) =>
    pairsOf(booked.get(campaignId) ?? [], live.get(campaignId) ?? []).flatMap(({ was, is }) => {
      const named = was ?? is[0];
      const sumOf = (name: Figure): number => is.reduce((sum, line) => sum + line[name], 0);
      const difference = (name: Figure): number => sumOf(name) - (was?.[name] ?? 0);
      const [impressions, clicks, revenueMicros] = [difference('impressions'), difference('clicks'), difference('revenueMicros')];
      if (!named || (impressions === 0 && clicks === 0 && revenueMicros === 0)) return [];
      const { campaign, advertiserId, advertiser } = named;
      const amountMicros = Math.round(sumOf('revenueMicros') * rate) - Math.round((was?.revenueMicros ?? 0) * rate);
      const figures = { impressions, clicks, revenueMicros, feeToComeMicros: 0, amountMicros };
      return [{ ofMonth, campaignId, campaign, advertiserId, advertiser, ...figures, currency }];
    }),
  );
};

type Figure = 'impressions' | 'clicks' | 'revenueMicros';

/**
 * What a campaign was booked for and what it is now, by advertiser. The month was booked for those that it names: what is
 * counted for another one is for the first of them.
 */
const pairsOf = (
  booked: readonly FinanceLine[],
  live: readonly Figures[],
): readonly { readonly was: FinanceLine | undefined; readonly is: readonly Figures[] }[] => {
  const [first] = booked;
  if (!first) return live.map((line) => ({ was: undefined, is: [line] }));
  const known = new Set(booked.map(({ advertiserId }) => advertiserId));
  return booked.map((was) => ({
    was,
    is: live.filter(({ advertiserId }) => advertiserId === was.advertiserId || (was === first && !known.has(advertiserId))),
  }));
};
