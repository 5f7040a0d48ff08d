import type { Knex } from 'knex';
import { includesAll, type Scope } from '../access/scope.ts';
import { answer, noSuch, refuse, type Handlers } from '../api/route.ts';
import type { Fault } from '../base/fault.ts';
import { WEBHOOK_PURPOSE } from './deliver-reports.ts';
import { queryFaults } from './query-faults.ts';
import type { SAVED_REPORT_API, SavedReport } from './saved-report-api.ts';
import { createSavedReportStore, MAX_SAVED_REPORTS, type StoredReport } from './saved-report-store.ts';
import { sentToFaults, type SendingOptions } from './sent-addresses.ts';
import { sentRecords } from './sent-records.ts';

export interface SavedReportRoutesOptions extends SendingOptions {
  readonly knex: Knex;
  /** Sends what is due without waiting for the next pass. */
  readonly sendNow: () => void;
}

/** Saved reports and their schedules. Who may see some publishers sees those that have figures of these alone. */
export const savedReportRoutes = (options: SavedReportRoutesOptions): Handlers<typeof SAVED_REPORT_API> => {
  const { knex, sendNow } = options;
  const store = createSavedReportStore({ knex });
  const saved = sentRecords({
    ...options,
    storeOf: (connection) => createSavedReportStore({ knex: connection }),
    purpose: WEBHOOK_PURPOSE,
    entity: 'saved_report',
    max: MAX_SAVED_REPORTS,
    words: { one: 'saved report', many: 'saved reports', refusal: 'The saved report has faults.' },
    faultsOf: (report: SavedReport, scope) => faultsOf(report, scope, options),
    isSeen: ({ publishers }, scope) => includesAll(scope.publishers, publishers),
    webhookOf: ({ schedule }) => schedule?.webhook ?? null,
    show: shownReport,
  });
  return {
    listSavedReports: saved.list,
    createSavedReport: saved.create,
    getSavedReport: saved.find,
    replaceSavedReport: saved.replace,
    deleteSavedReport: saved.remove,
    sendSavedReport: async ({ id }, { caller }) => {
      const known = await store.find(id);
      if (!known || !includesAll(caller.publishers, known.publishers)) return noSuch('saved report');
      const isDue = await store.makeDue(id);
      const found = await store.find(id);
      if (!found) return noSuch('saved report');
      if (!isDue) return refuse('conflict', 'The saved report has no schedule that says where to send it.');
      sendNow();
      return answer(shownReport(found));
    },
  };
};

/** What the schema does not say: its query is checked as GET /api/reports would. */
const faultsOf = ({ query, schedule }: SavedReport, scope: Scope, options: SendingOptions): readonly Fault[] => {
  const faults = [...queryFaults(new URLSearchParams(query), scope)];
  if (!schedule) return faults;
  if (schedule.emails.length === 0 && schedule.webhook === null)
    faults.push({ pointer: '/schedule', detail: 'must have an e-mail address or a webhook' });
  return [...faults, ...sentToFaults(schedule, options, '/schedule')];
};

const shownReport = ({ webhookSecret: _, dueAt, lastAt, lastFault, attempts: __, delivered: ___, ...report }: StoredReport) => ({
  ...report,
  due_at: dueAt?.toISOString() ?? null,
  last_at: lastAt?.toISOString() ?? null,
  last_fault: lastFault,
});
