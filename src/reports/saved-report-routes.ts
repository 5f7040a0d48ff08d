import type { Knex } from 'knex';
import { answer, noSuch, refuse, type Handler, type Handlers } from '../api/route.ts';
import type { Fault } from '../base/fault.ts';
import { dayOf } from '../base/utc-day.ts';
import { recordChange } from '../bookings/audit-trail.ts';
import { WEBHOOK_PURPOSE } from './deliver-reports.ts';
import { sharedSearch, type ReportLinks } from './report-links.ts';
import { readReportQuestion } from './report-question.ts';
import type { SAVED_REPORT_API, SavedReport } from './saved-report-api.ts';
import { createSavedReportStore, MAX_SAVED_REPORTS, type StoredReport } from './saved-report-store.ts';
import { sentToFaults, type SendingOptions } from './sent-addresses.ts';
import { sentRecords } from './sent-records.ts';

export interface SavedReportRoutesOptions extends SendingOptions {
  readonly knex: Knex;
  readonly links: ReportLinks;
  /** Sends what is due without waiting for the next pass. */
  readonly sendNow: () => void;
  /** '': the URL of a link is relative. */
  readonly publicUrl: string;
}

/** Saved reports, their schedules, and read-only links for advertisers. */
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
    faultsOf: (report: SavedReport) => faultsOf(report, options),
    webhookOf: ({ schedule }) => schedule?.webhook ?? null,
    show: shownReport,
  });
  return {
    listSavedReports: saved.list,
    createSavedReport: saved.create,
    getSavedReport: saved.find,
    replaceSavedReport: saved.replace,
    deleteSavedReport: saved.remove,
    sendSavedReport: async ({ id }) => {
      const isDue = await store.makeDue(id);
      const found = await store.find(id);
      if (!found) return noSuch('saved report');
      if (!isDue) return refuse('conflict', 'The saved report has no schedule that says where to send it.');
      sendNow();
      return answer(shownReport(found));
    },
    createReportLink: createReportLink(options),
  };
};

/** What the schema does not say: its query is checked as GET /api/reports would. */
const faultsOf = ({ query, schedule }: SavedReport, options: SendingOptions): readonly Fault[] => {
  const faults = [...queryFaults(new URLSearchParams(query))];
  if (!schedule) return faults;
  if (schedule.emails.length === 0 && schedule.webhook === null)
    faults.push({ pointer: '/schedule', detail: 'must have an e-mail address or a webhook' });
  return [...faults, ...sentToFaults(schedule, options, '/schedule')];
};

const queryFaults = (search: URLSearchParams): readonly Fault[] => {
  const asked = readReportQuestion(search, dayOf(Date.now()));
  return asked.ok ? [] : asked.faults.map(({ pointer, detail }) => ({ pointer: '/query', detail: `${pointer}: ${detail}` }));
};

const shownReport = ({ webhookSecret: _, dueAt, lastAt, lastFault, attempts: __, delivered: ___, ...report }: StoredReport) => ({
  ...report,
  due_at: dueAt?.toISOString() ?? null,
  last_at: lastAt?.toISOString() ?? null,
  last_fault: lastFault,
});

const createReportLink =
  ({ knex, links, publicUrl }: SavedReportRoutesOptions): Handler<(typeof SAVED_REPORT_API)['createReportLink']> =>
  async ({ body: { advertiser_id: advertiserId, title = '', query, days } }, { actor }) => {
    const advertiser = await knex('advertisers').where({ id: advertiserId }).first<{ name: string } | undefined>('name');
    const faults = queryFaults(sharedSearch(query, advertiserId));
    if (!advertiser) {
      const unknown = { pointer: '/advertiser_id', detail: 'must be the id of an advertiser' };
      return refuse('invalid_request', 'The link has faults.', [unknown, ...faults]);
    }
    if (faults.length > 0) return refuse('invalid_request', 'The link has faults.', faults);
    const shared = { advertiserId, title: title || advertiser.name, query };
    const { token, expiresAtMs } = links.issue(shared, days);
    const expires = new Date(expiresAtMs).toISOString();
    const change = { actor, action: 'share_report', entity: 'advertiser', entityId: advertiserId, before: null } as const;
    await knex.transaction((trx) => recordChange(trx, { ...change, after: { ...shared, expires } }));
    return answer({ token, url: `${publicUrl}/static/report/#${token}`, expires });
  };
