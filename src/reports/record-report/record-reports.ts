import type { Knex } from 'knex';
import type { Scope } from '../../access/scope.ts';
import { dateOfDay, dayOf } from '../../base/utc-day.ts';
import type { ReportGrains, ReportQuestion, ReportTotals } from '../../events/postgres/delivery-report.ts';
import { isAmong, scopeBinding } from '../../bookings/record-scope.ts';
import type { Columns } from '../../api/columns.ts';
import { REPORT_PAGE } from './record-report-api.ts';
import { REPORT_COLUMNS } from './report-columns.ts';

/** The delivery report of one kind of record. */
export interface ReportKind<Grain extends keyof ReportGrains, Keys extends Columns<ReportGrains[Grain]> = Columns<ReportGrains[Grain]>> {
  readonly words: string;
  /** What a row counts, and its columns. */
  readonly grain: Grain;
  readonly keys: Keys;
  /** The campaigns that the report of a record adds up for who has a scope, and who pays of them; undefined: there is no such record. */
  readonly chargedFor: (knex: Knex, id: number, scope: Scope) => Promise<Charged | undefined>;
}

type Charged = Pick<ReportQuestion, 'campaignIds' | 'advertiserId'>;

/** A campaign exists, or has delivered and been deleted since. Its advertiser sees of it what it pays itself. */
export const CAMPAIGN_REPORT = {
  words: 'campaign',
  grain: 'creative',
  keys: REPORT_COLUMNS.keys,
  chargedFor: async (knex, id, { advertisers }) => {
    if (advertisers) {
      const own = await knex('campaigns').where({ id }).first<{ advertiser_id: number } | undefined>('advertiser_id');
      return own && { campaignIds: [id], advertiserId: own.advertiser_id };
    }
    const [found] = await knex
      .select<{ id: number }[]>('id')
      .from('campaigns')
      .where({ id })
      .union((query) => void query.select({ id: 'campaign_id' }).from('daily_counts').where({ campaign_id: id }).limit(1), true);
    return found && { campaignIds: [id] };
  },
} satisfies ReportKind<'creative'>;

/**
 * The campaigns that an advertiser has paid for, and of them what was counted or earned while it paid. An advertiser
 * itself sees those that it pays for now, or did last: others have another one's words.
 */
export const ADVERTISER_REPORT = {
  words: 'advertiser',
  grain: 'campaign',
  keys: REPORT_COLUMNS.advertiserKeys,
  chargedFor: async (knex, id, scope) => {
    if (!(await knex('advertisers').where({ id }).first('id'))) return undefined;
    const payers = knex('campaign_payers')
      .where({ advertiser_id: id, ...(scope.advertisers && { until: 'infinity' }) })
      .whereRaw(isAmong('publishers', 'publisher_id', scope), { ...scopeBinding(scope) });
    const campaignIds = await payers.distinct().pluck<number[]>('campaign_id');
    return { campaignIds, advertiserId: id };
  },
} satisfies ReportKind<'campaign'>;

/**
 * All rows of a report in pages. Few days are read at a time, because a query computes all rows of its
 * days.
 */
export async function* readWholeReport<Row>(
  question: ReportQuestion,
  { rows: rowCount }: Pick<ReportTotals, 'rows'>,
  readRows: (question: ReportQuestion, page: { readonly limit: number; readonly offset: number }) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  const [first, last] = [dayOf(Date.parse(question.from)), dayOf(Date.parse(question.to))];
  const limit = REPORT_PAGE.max;
  const daysAtOnce = Math.max(1, Math.floor((limit * (last - first + 1)) / Math.max(rowCount, 1)));
  for (let day = first; day <= last; day += daysAtOnce) {
    const days = { ...question, from: dateOfDay(day), to: dateOfDay(Math.min(day + daysAtOnce - 1, last)) };
    for (let offset = 0; ; offset += limit) {
      const rows = await readRows(days, { limit, offset });
      yield rows;
      if (rows.length < limit) break;
    }
  }
}
