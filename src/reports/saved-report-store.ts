import type { Knex } from 'knex';
import type { Ids } from '../access/scope.ts';
import type { Way } from './deliver-message.ts';
import type { ReportSchedule, SavedReport } from './saved-report-api.ts';
import type { SentRecordStore } from './sent-records.ts';

/** A saved report as it is stored; `webhookSecret` is sealed. */
export interface StoredReport extends SavedReport {
  readonly id: number;
  readonly owner: string;
  /** Those that its owner could see when it was saved, whose figures it has; null: all. */
  readonly publishers: Ids;
  readonly webhookSecret: string | null;
  /** The next time of its schedule; null: it has none. */
  readonly dueAt: Date | null;
  readonly attempts: number;
  /** The ways that have delivered the report of `dueAt`. */
  readonly delivered: readonly Way[];
  /** When it was last sent, or could not be, and why not. */
  readonly lastAt: Date | null;
  readonly lastFault: string | null;
}

/** Each method rejects when Postgres is unavailable. */
export interface SavedReportStore extends SentRecordStore<SavedReport, StoredReport> {
  /** A report whose time has come, taken for LEASE: no other replica gets it meanwhile. */
  takeDue(): Promise<StoredReport | undefined>;
  /** Makes a report due now; then its schedule goes on. */
  makeDue(id: number): Promise<boolean>;
  /** A later attempt to send the report leaves this way out. */
  delivered(report: StoredReport, way: Way): Promise<void>;
  sent(report: StoredReport): Promise<void>;
  /** @param retryMs null: this time is given up, and the schedule goes on */
  failed(report: StoredReport, fault: string, retryMs: number | null): Promise<void>;
}

export const MAX_SAVED_REPORTS = 1_000;

/** Longer than an attempt takes: a report, a mail and a webhook, each with its time limit. */
const LEASE = `interval '5 minutes'`;

const COLUMNS = `id, owner, publishers, name, query, schedule, webhook_secret as "webhookSecret", due_at as "dueAt", attempts, delivered, last_at as "lastAt", last_fault as "lastFault"`;

/** The first time of a schedule (jsonb) after now; null for none. Days of its zone, so that a clock change moves no hour. */
const nextOf = (schedule: string): string => `(
  select min(at) from generate_series(0, 31) as n,
    lateral (select (date_trunc('day', now() at time zone (${schedule} ->> 'time_zone')) + make_interval(days => n)) as day) days,
    lateral (select (day + make_interval(hours => (${schedule} ->> 'hour')::int)) at time zone (${schedule} ->> 'time_zone') as at) times
  where at > now() and case ${schedule} ->> 'every' when 'week' then extract(isodow from day) = 1
                                                    when 'month' then extract(day from day) = 1 else true end)`;

export const createSavedReportStore = ({ knex }: { readonly knex: Knex }): SavedReportStore => {
  const query = async (sql: string, bindings: Readonly<Record<string, unknown>> = {}): Promise<readonly StoredReport[]> =>
    (await knex.raw<{ rows: StoredReport[] }>(sql, bindings as Record<string, Knex.RawBinding>)).rows;
  const valuesOf = ({ name, query: asked, schedule }: SavedReport, webhookSecret: string | null) => ({
    ...{ name, query: asked, webhookSecret },
    schedule: schedule && JSON.stringify(schedule satisfies ReportSchedule),
  });
  const ended = (id: number, fault: string | null, retryMs: number | null) =>
    query(
      `update saved_reports set last_at = now(), last_fault = :fault,
         attempts = case when :retryMs::bigint is null then 0 else attempts + 1 end,
         delivered = case when :retryMs::bigint is null then '{}' else delivered end,
         due_at = case when :retryMs::bigint is null then ${nextOf('schedule')} else due_at end,
         try_at = case when :retryMs::bigint is null then ${nextOf('schedule')} else now() + :retryMs::bigint * interval '1 millisecond' end
       where id = :id`,
      { id, fault, retryMs },
    );

  return {
    list: () => query(`select ${COLUMNS} from saved_reports order by name, id limit ${MAX_SAVED_REPORTS}`),
    find: async (id) => (await query(`select ${COLUMNS} from saved_reports where id = :id`, { id }))[0],
    create: async ({ name: owner, publishers }, report, webhookSecret) =>
      (
        await query(
          `insert into saved_reports (owner, publishers, name, query, schedule, webhook_secret, due_at, try_at)
           select :owner, :publishers, :name, :query, given.schedule, :webhookSecret, ${nextOf('given.schedule')}, ${nextOf('given.schedule')}
           from (select :schedule::jsonb as schedule) given returning ${COLUMNS}`,
          { owner, publishers, ...valuesOf(report, webhookSecret) },
        )
      )[0] as StoredReport,
    update: async (id, report, webhookSecret) =>
      (
        await query(
          `update saved_reports set name = :name, query = :query, schedule = given.schedule, webhook_secret = :webhookSecret, attempts = 0, delivered = '{}',
             due_at = ${nextOf('given.schedule')}, try_at = ${nextOf('given.schedule')}
           from (select :schedule::jsonb as schedule) given where id = :id returning ${COLUMNS.replace(' schedule,', ' saved_reports.schedule,')}`,
          { id, ...valuesOf(report, webhookSecret) },
        )
      )[0],
    remove: async (id) => (await knex('saved_reports').where({ id }).delete()) > 0,
    takeDue: async () =>
      (
        await query(
          `update saved_reports set try_at = now() + ${LEASE}
           where id = (select id from saved_reports where try_at <= now() and schedule is not null order by try_at limit 1 for update skip locked)
           returning ${COLUMNS}`,
        )
      )[0],
    makeDue: async (id) =>
      (
        await query(
          `update saved_reports set try_at = now(), due_at = now(), attempts = 0, delivered = '{}' where id = :id and schedule is not null returning id`,
          { id },
        )
      ).length > 0,
    delivered: async ({ id }, way) =>
      void (await knex('saved_reports')
        .where({ id })
        .update({ delivered: knex.raw('array_append(delivered, ?)', [way]) })),
    sent: async ({ id }) => void (await ended(id, null, null)),
    failed: async ({ id }, fault, retryMs) => void (await ended(id, fault, retryMs)),
  };
};
