import type { Knex } from 'knex';
import { MS_PER_DAY, MS_PER_MINUTE } from '../base/utc-day.ts';
import { isOfEvents, type EventSource, type RollUp, type RollUpKey } from '../events/postgres/roll-ups.ts';
import type { ClickHouseFigures } from '../events/sinks/clickhouse/clickhouse-figures.ts';
import { HAS_FEE, sharedBy } from './fee-sql.ts';
import { givenRollUp, type GivenRollUp } from './given-figures.ts';
import { dimensionOf, type DimensionName } from './report-dimensions.ts';
import { metricOf } from './report-fields.ts';
import { idsIn, type ReportQuestion } from './report-question.ts';

/** Why a report is read from Postgres although REPORTS_URL is set, in words for who asks. */
export const WHY_POSTGRES = {
  figures: 'ClickHouse has hits: requests, bids, serves and forecasts are read from Postgres',
  behind: 'ClickHouse lacks hits that are more than ten minutes old',
  gaps: 'ClickHouse lacks hours of these days, refused events, or is not compared since a day was filtered again',
  days: 'the events in ClickHouse begin after the first of these days',
  payers: 'others pay for a campaign since one of these days, and ClickHouse may have the payer of a moment before or after',
  groups: 'the report has too many combinations to be read from ClickHouse: choose fewer days or fewer dimensions',
  away: 'ClickHouse does not answer',
} as const;
export type WhyPostgres = keyof typeof WHY_POSTGRES;
export const WHYS_POSTGRES = Object.keys(WHY_POSTGRES) as readonly WhyPostgres[];

/** Where a report is read from. */
export type ChosenFigures =
  | { readonly why: WhyPostgres }
  | { readonly given: readonly GivenRollUp[]; /** Hits until then are in them. */ readonly completeUntil: Date };

export interface ChooseFiguresOptions {
  readonly figures: ClickHouseFigures;
  /** Of the sink, as in SINKS. */
  readonly name: string;
  /** Until when the sink has all hits; undefined: it is not known. */
  readonly completeUntil: () => Promise<Date | undefined>;
  /** `why` undefined: it was read from ClickHouse. */
  readonly onChosen: (why: WhyPostgres | undefined) => void;
  readonly onFailure: (fault: Error) => void;
}

/** Chooses where a report is read from. Rejects when Postgres is unavailable, never because ClickHouse is. */
export type ChooseFigures = (trx: Knex.Transaction, question: ReportQuestion) => Promise<ChosenFigures>;

const READ_MS = 10_000;
/** After a failure it is not asked for so long: a report does not wait for what was away a moment ago. */
const AWAY_MS = 10_000;
const MAX_BEHIND_MS = 10 * MS_PER_MINUTE;
/** They are handed to Postgres, which has the names, the fees and the currencies. */
const MAX_ROWS = 200_000;
/** Line items whose figures are asked for one by one, in the address of the question: 70 KB. */
const MAX_WITH_FEES = 10_000;

/** A hit may be stored with a day so long before or after that of the report. */
const LACKS = `
  select exists (select from sink_gaps where sink = :name and day between :from::date - 2 and :to::date + 1)
      or exists (select from sink_days where sink = :name and compared_at is null and day between :from::date - 2 and :to::date + 1)
      or exists (select from dead_events where source = 'sink:' || :name) as gaps,
         exists (select from campaign_payers where (since >= :from::date - 2 or advertiser_id = -1) and since > '-infinity'
                 and (:publishers::int[] is null or publisher_id = any(:publishers::int[]))) as payers,
         (select to_char(min(day), 'YYYY-MM-DD') from report_days) as first_day`;

/** The line items that may earn a fee on these days, of these publishers or of all. */
const LINE_ITEMS_WITH_FEES = `
  select l.id from line_items l join campaigns ca on ca.id = l.campaign_id
  where ${HAS_FEE} and l.start_at < :to::date + 2 and l.end_at > :from::date - 1
        and (:publishers::int[] is null or ca.publisher_id = any(:publishers::int[]))
  limit ${MAX_WITH_FEES + 1}`;

/** undefined: there are too many. */
const withFees = async (
  trx: Knex.Transaction,
  bindings: Readonly<Record<string, Knex.RawBinding>>,
): Promise<readonly number[] | undefined> => {
  const { rows } = await trx.raw<{ rows: { id: number }[] }>(LINE_ITEMS_WITH_FEES, bindings);
  return rows.length > MAX_WITH_FEES ? undefined : rows.map(({ id }) => id);
};

interface Lacks {
  readonly gaps: boolean;
  readonly payers: boolean;
  /** null: nothing was counted. */
  readonly first_day: string | null;
}

interface AskedKeys {
  /** Of the dimensions of a report. */
  readonly needed: readonly RollUpKey[];
  /** Others, by which its fees are shared, and days of a month. */
  readonly others: readonly RollUpKey[];
  /** Whether fees are shared by some of these. */
  readonly sharesFees: boolean;
}

/** The keys of a source that a report is made from. */
const keysOf = (question: ReportQuestion, of: EventSource): AskedKeys => {
  const named = [...question.groupBy, ...question.filters.map(({ dimension }) => dimension)];
  const needsOf = (name: DimensionName): readonly RollUpKey[] => (name === 'month' ? [] : (dimensionOf(name).in[of]?.needs ?? []));
  const needed = new Set<RollUpKey>(['reason', ...named.flatMap(needsOf)]);
  const shared = isPaid(question, of) ? sharedBy(question).filter((key) => !needed.has(key)) : [];
  const days = named.includes('month') && !needed.has('day') ? (['day'] as const) : [];
  return { needed: [...needed], others: [...new Set([...days, ...shared])], sharesFees: shared.length > 0 };
};

const sumsOf = ({ metrics }: ReportQuestion) => metrics.flatMap((metric) => metricOf(metric).sums);
const isPaid = (question: ReportQuestion, of: EventSource): boolean => of === 'hits' && sumsOf(question).includes('spend');

/** The values of keys that no other row of the report has. A fee is shared by all rows of its line item. */
const onlyOf = (question: ReportQuestion, of: EventSource): Partial<Record<RollUpKey, readonly string[]>> => {
  const wholeLineItems: readonly RollUpKey[] = ['publisher_id', 'campaign_id', 'line_item_id'];
  return Object.fromEntries(
    question.filters.flatMap(({ dimension, values }) => {
      const key = dimensionOf(dimension).in[of]?.isKey;
      return key !== undefined && (wholeLineItems.includes(key) || !isPaid(question, of)) ? [[key, values]] : [];
    }),
  );
};

export const createChooseFigures = ({ figures, name, completeUntil, onChosen, onFailure }: ChooseFiguresOptions): ChooseFigures => {
  let awayUntilMs = -Infinity;

  const choose = async (trx: Knex.Transaction, question: ReportQuestion): Promise<ChosenFigures> => {
    const { from, to, rollUps, groupBy, filters } = question;
    const wanted = rollUps.filter((rollUp): rollUp is RollUp & { readonly of: EventSource } => isOfEvents(rollUp.of));
    if (wanted.length === 0 || sumsOf(question).includes('serves')) return { why: 'figures' };
    if (Date.now() < awayUntilMs) return { why: 'away' };
    const bindings = { name, from, to, publishers: idsIn(question, 'publisher') } as unknown as Record<string, Knex.RawBinding>;
    const { rows } = await trx.raw<{ rows: [Lacks] }>(LACKS, bindings);
    const [{ gaps, payers, first_day }] = rows;
    if (gaps) return { why: 'gaps' };
    if (payers && [...groupBy, ...filters.map(({ dimension }) => dimension)].includes('advertiser')) return { why: 'payers' };
    // Before the figures: what comes meanwhile is in them.
    const until = await completeUntil();
    if (until === undefined || until.getTime() < Date.now() - MAX_BEHIND_MS) return { why: 'behind' };
    const signal = AbortSignal.timeout(READ_MS);
    try {
      const first = await figures.firstDay(signal);
      // Its first day is whole when it is the first that was counted at all.
      if (first === undefined ? first_day !== null : first > (first_day ?? first) && !isAfter(from, first)) return { why: 'days' };
      const given: GivenRollUp[] = [];
      for (const rollUp of wanted) {
        const { needed, others, sharesFees } = keysOf(question, rollUp.of);
        const lineItems = sharesFees ? await withFees(trx, bindings) : [];
        const asked = { of: rollUp.of, keys: [...needed, ...others], from, to, only: onlyOf(question, rollUp.of), maxRows: MAX_ROWS };
        const found = lineItems && (await figures.read({ ...asked, apart: { keys: others, lineItems } }, signal));
        if (!found) return { why: 'groups' };
        given.push(givenRollUp(rollUp, found));
      }
      return { given, completeUntil: until };
    } catch (fault) {
      awayUntilMs = Date.now() + AWAY_MS;
      onFailure(fault as Error);
      return { why: 'away' };
    }
  };

  return async (trx, question) => {
    const chosen = await choose(trx, question);
    onChosen('why' in chosen ? chosen.why : undefined);
    return chosen;
  };
};

/** Hits of a day were selected up to two days before it; the first day of the sink may be a part of one. */
const isAfter = (from: string, first: string): boolean => Date.parse(from) - Date.parse(first) > 2 * MS_PER_DAY;
