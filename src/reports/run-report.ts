import type { Knex } from 'knex';
import { isAmong, isVisible, scopeBinding } from '../bookings/record-scope.ts';
import { tryLock } from '../base/advisory-locks.ts';
import type { Fault } from '../base/fault.ts';
import { countedUntil } from '../events/postgres/roll-up-batches.ts';
import { ROLL_UPS } from '../events/postgres/roll-ups.ts';
import { readPayerChanges, type PayerChange } from './payer-changes.ts';
import { WHY_POSTGRES, type ChooseFigures } from './choose-figures.ts';
import type { GivenRollUp, Statement } from './given-figures.ts';
import { byCurrency, currenciesOf, withoutAmounts } from './report-currencies.ts';
import { dimensionOf, type DimensionName } from './report-dimensions.ts';
import { idsIn, type ReportQuestion } from './report-question.ts';
import { exportStatement, pageStatement } from './report-sql.ts';
import { shownRow, type ReportRow } from './shown-row.ts';

/** A page of a report, with the totals of all pages. */
export interface ReportPage extends ReportHead {
  readonly rowCount: number;
  readonly rows: readonly ReportRow[];
  /** Amounts of several currencies are not added: they are null. */
  readonly totals: ReportRow;
  /** Of a report with several currencies, those of each; else empty. */
  readonly totalsByCurrency: readonly ReportRow[];
  /** Of the days of a report by advertiser, or of some: since when others pay. */
  readonly payerChanges: readonly PayerChange[];
}

/** What the rows of a report are. */
export interface ReportHead {
  /** Those of the question; amounts of several currencies are by currency too. */
  readonly groupBy: readonly DimensionName[];
  /** Of its amounts, ISO 4217; null: they are in several, which the rows name, or in none. */
  readonly currency: string | null;
  /** Of the publishers of the report; UTC when they have several. Hours are written in it. */
  readonly timeZone: string;
  /** Hits that were stored until then are in the figures. */
  readonly completeUntil: Date;
  /** Where its hits are read from. */
  readonly source: 'postgres' | 'clickhouse';
  /** Why not from ClickHouse; null: they are, or REPORTS_URL is not set. */
  readonly sourceNote: string | null;
}

/** Why a report was not run. */
export type ReportRefusal =
  { readonly why: 'busy' } | { readonly why: 'timeout' } | { readonly why: 'faults'; readonly faults: readonly Fault[] };

export type ReportResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: ReportRefusal };

/** Answers reports on separate connections. Each method rejects when Postgres is unavailable. */
export interface Reports {
  /** The current day, counted from 1970-01-01, in the time zone of these publishers; null: of all. */
  today(publishers: readonly number[] | null): Promise<number>;
  page(
    person: string,
    question: ReportQuestion,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<ReportResult<ReportPage>>;
  /** Passes every row to `write`, in order and in parts. Refuses before the first part, or not at all. */
  all<T>(
    person: string,
    question: ReportQuestion,
    write: (parts: AsyncIterable<readonly ReportRow[]>, head: ReportHead) => Promise<T>,
  ): Promise<ReportResult<T>>;
}

/** A year of line items by day is grouped in memory: 730,000 groups take 100 MB. */
const WORK_MEM = '64MB';
const FETCH_ROWS = 1_000;
const TIMED_OUT = '57014';

const TIME_ZONES = 'select distinct time_zone from publishers where :publishers::int[] is null or id = any(:publishers::int[]) limit 2';

export interface ReportsOptions {
  /** Its connections have a statement timeout. */
  readonly knex: Knex;
  /** undefined: every report is read from Postgres. */
  readonly chooseFigures?: ChooseFigures | undefined;
}

export const createReports = ({ knex, chooseFigures }: ReportsOptions): Reports => {
  /** One report of a person at a time, whichever replica runs it: the lock ends with the transaction. */
  const running = async <T>(
    person: string,
    question: ReportQuestion,
    work: (trx: Knex.Transaction, timeZone: string) => Promise<T>,
  ): Promise<ReportResult<T>> => {
    try {
      return await knex.transaction(
        async (trx): Promise<ReportResult<T>> => {
          if (!(await tryLock(trx, 'report', person))) return { ok: false, refusal: { why: 'busy' } };
          const faults = await unknownRecords(trx, question);
          if (faults.length > 0) return { ok: false, refusal: { why: 'faults', faults } };
          // To compile a statement takes 100 ms, which is longer than most reports.
          await trx.raw(`set local work_mem = '${WORK_MEM}'; set local jit = off`);
          return { ok: true, value: await work(trx, await timeZoneOf(trx, idsIn(question, 'publisher'))) };
        },
        { readOnly: true },
      );
    } catch (fault) {
      if ((fault as { readonly code?: unknown }).code === TIMED_OUT) return { ok: false, refusal: { why: 'timeout' } };
      throw fault;
    }
  };

  /** What is read, and from where. */
  const prepare = async (trx: Knex.Transaction, asked: ReportQuestion) => {
    // Before the figures: what is counted meanwhile is in them.
    const counted = await countedUntil(trx);
    const currencies = await currenciesOf(trx, asked);
    const question = byCurrency(asked, currencies);
    const chosen = await chooseFigures?.(trx, question);
    if (!chosen || 'why' in chosen) {
      const sourceNote = chosen ? WHY_POSTGRES[chosen.why] : null;
      return { question, currencies, given: NOT_GIVEN, source: { completeUntil: counted, source: 'postgres', sourceNote } as const };
    }
    const { given, completeUntil: until } = chosen;
    const completeUntil = given.length === question.rollUps.length || until < counted ? until : counted;
    return { question, currencies, given, source: { completeUntil, source: 'clickhouse', sourceNote: null } as const };
  };

  return {
    today: async (publishers) => {
      const zone = await timeZoneOf(knex, publishers);
      const { rows } = await knex.raw<{ rows: { today: number }[] }>(`select (now() at time zone ?)::date - date '1970-01-01' as today`, [
        zone,
      ]);
      return rows[0]?.today ?? 0;
    },
    page: (person, asked, page) =>
      running(person, asked, async (trx, timeZone) => {
        const { question, currencies, given, source } = await prepare(trx, asked);
        const { rows } = await raw<PageRow>(trx, pageStatement(question, page, given));
        const [{ totals, rows: found, by_currency } = { totals: { row_count: 0 }, rows: [], by_currency: [] }] = rows;
        const { row_count, ...sums } = totals;
        const [rowCount, payerChanges] = [Number(row_count), await payerChangesIn(trx, asked, timeZone)];
        const [one, other] = by_currency.length > 0 ? by_currency.map(({ currency }) => currency as string | null) : currencies;
        const isOne = other === undefined;
        // Where only one of the currencies has figures, the rows are as they were asked for.
        const shown = isOne ? asked : question;
        return {
          ...{ timeZone, ...source, currency: isOne ? (one ?? null) : null, groupBy: shown.groupBy, rowCount, payerChanges },
          rows: found.map(shownRow(shown, timeZone)),
          totals: isOne ? sums : withoutAmounts(question.metrics, sums),
          totalsByCurrency: isOne ? [] : by_currency,
        };
      }),
    all: (person, asked, write) =>
      running(person, asked, async (trx, timeZone) => {
        const { question, currencies, given, source } = await prepare(trx, asked);
        const { sql, bindings } = exportStatement(question, given);
        await trx.raw(`declare report no scroll cursor for ${sql}`, bindings as Record<string, Knex.RawBinding>);
        const show = shownRow(question, timeZone);
        const next = async (): Promise<readonly ReportRow[]> =>
          (await trx.raw<{ rows: ReportRow[] }>(`fetch ${FETCH_ROWS} from report`)).rows.map(show);
        // Computes the report: it is refused here, before anything is written.
        const first = await next();
        const parts = async function* () {
          for (let part = first; ; part = await next()) {
            yield part;
            if (part.length < FETCH_ROWS) return;
          }
        };
        const [currency = null, other] = currencies;
        return write(parts(), { groupBy: question.groupBy, currency: other === undefined ? currency : null, timeZone, ...source });
      }),
  };
};

const NOT_GIVEN: readonly GivenRollUp[] = [];

const raw = <Row>(trx: Knex.Transaction, { sql, bindings }: Statement): Promise<{ rows: Row[] }> =>
  trx.raw<{ rows: Row[] }>(sql, bindings as Record<string, Knex.RawBinding>);

const payerChangesIn = async (trx: Knex.Transaction, question: ReportQuestion, timeZone: string): Promise<readonly PayerChange[]> => {
  const { groupBy, from, to } = question;
  const advertisers = idsIn(question, 'advertiser');
  if (!groupBy.includes('advertiser') && !advertisers) return [];
  const { rows } = await trx.raw<{ rows: [{ from: Date; until: Date }] }>(
    'select ?::timestamp at time zone ? as from, (?::date + 1)::timestamp at time zone ? as until',
    [from, timeZone, to, timeZone],
  );
  return readPayerChanges(trx, {
    ...rows[0],
    publishers: idsIn(question, 'publisher'),
    campaigns: idsIn(question, 'campaign'),
    advertisers,
  });
};

interface PageRow {
  readonly totals: ReportRow & { readonly row_count: number };
  readonly rows: readonly ReportRow[];
  readonly by_currency: readonly ReportRow[];
}

/** The zone that they share; UTC when they have several. */
const timeZoneOf = async (knex: Knex, publishers: readonly number[] | null): Promise<string> => {
  const { rows } = await knex.raw<{ rows: { time_zone: string }[] }>(TIME_ZONES, { publishers } as unknown as Record<
    string,
    Knex.RawBinding
  >);
  const [first, second] = rows;
  return first && !second ? first.time_zone : 'UTC';
};

/** A fault for each filter value that names neither a record nor anything that was counted, of what who asks may see. */
const unknownRecords = async (trx: Knex.Transaction, { filters, scope }: ReportQuestion): Promise<readonly Fault[]> => {
  const faults: Fault[] = [];
  for (const { dimension, values } of filters) {
    const { table, kind, label } = dimensionOf(dimension);
    if (!table) continue;
    const type = kind === 'id' ? 'int' : 'text';
    const rollUp = ROLL_UPS.find(({ keys }) => keys.some((key) => key === `${dimension}_id`));
    // What an advertiser has paid for is found by the advertiser of each count.
    const isKnown = rollUp && (scope.advertisers === null || rollUp.of === 'hits');
    const ofScope = `${isAmong('publishers', 'publisher_id', scope)} and ${isAmong('advertisers', 'advertiser_id', scope)}`;
    const counted = isKnown ? `and not exists (select from ${rollUp.table} where ${dimension}_id = given.id and ${ofScope})` : '';
    const { rows } = await trx.raw<{ rows: { place: string }[] }>(
      `select place from unnest(:values::${type}[]) with ordinality as given (id, place)
       where not exists (select from ${table} where ${table}.id = given.id and ${isVisible(table, scope)}) ${counted} order by 1`,
      { values, ...scopeBinding(scope) } as unknown as Record<string, Knex.RawBinding>,
    );
    for (const { place } of rows)
      faults.push({
        pointer: `/filter/${dimension}/${Number(place) - 1}`,
        detail: `matches nothing: there is no such ${label.toLowerCase()}`,
      });
  }
  return faults;
};
