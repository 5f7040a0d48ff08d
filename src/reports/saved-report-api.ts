import { recordComponent } from '../api/component.ts';
import { idInPath } from '../api/parameters.ts';
import { at, accepted, created, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { SENT_TO, sentMembers } from './sent-addresses.ts';

const SCHEDULE = s.closedRecord({
  every: s.oneOf(['day', 'week', 'month'], { description: 'day, week (Mondays) or month (its first day)' }),
  hour: s.withDefault(s.integerOf({ minimum: 0, maximum: 23 }), 7),
  time_zone: s.withDefault(s.textOf({ format: 'time-zone' }), 'UTC'),
  format: s.withDefault(s.oneOf(['csv', 'xlsx', 'json']), 'csv'),
  ...SENT_TO,
});
/** When and where a saved report is sent: at an hour of `time_zone`. */
export type ReportSchedule = s.Shape<typeof SCHEDULE>;

const SAVED_REPORT = recordComponent(
  'SavedReport',
  s.closedRecord({
    name: s.textOf({ minLength: 1, maxLength: 128 }),
    query: s.textOf({
      maxLength: 4096,
      description: 'The parameters of GET /api/reports, such as group_by=campaign&range=last_week',
    }),
    schedule: s.withDefault(s.orNull(SCHEDULE), null),
  }),
  {
    ...sentMembers({
      owner: 'Who saved it: the name of the token',
      last: 'The last attempt to send it',
      header: 'X-Report-Signature',
    }),
    due_at: s.orNull(s.text, { description: 'The next time of the schedule' }),
    publishers: s.orNull(s.listOf(s.integer), { description: 'Whose figures it has: those that its owner could see; null: of all' }),
  },
  {
    name: 'Campaigns of the week',
    query: 'group_by=campaign&metrics=impressions,revenue&range=last_week',
    schedule: {
      ...{ every: 'week', hour: 7, time_zone: 'Europe/Berlin', format: 'xlsx' },
      ...{ emails: ['sales@gazette.example'], webhook: 'https://gazette.example/reports' },
    },
  },
);
export type SavedReport = s.Shape<(typeof SAVED_REPORT)['sent']>;
/** A saved report, as the API answers it. */
export type SavedWire = s.Shape<(typeof SAVED_REPORT)['answered']>;

const savedBody = jsonBody(SAVED_REPORT.sent, 'The saved report has faults.');
const savedInPath = { id: idInPath('saved report') };
const reading = { needs: 'reports.read', reach: 'publishers' } as const;
const writing = { needs: 'reports.write', reach: 'publishers' } as const;

/** Saved reports and their schedules. */
export const SAVED_REPORT_API = defineRoutes({
  listSavedReports: {
    ...at('GET', '/api/saved_reports', 'delivery'),
    ...reading,
    cost: 'list',
    summary: 'Saved reports, by name',
    answer: ok('Saved reports', s.listOf(SAVED_REPORT.answered)),
  },
  createSavedReport: {
    ...at('POST', '/api/saved_reports', 'delivery'),
    ...writing,
    summary: 'Saves a report, and schedules it by e-mail or webhook',
    body: savedBody,
    answer: created('The saved report', SAVED_REPORT.answered),
  },
  getSavedReport: {
    ...at('GET', '/api/saved_reports/{id}', 'delivery'),
    ...reading,
    summary: 'One saved report',
    parameters: savedInPath,
    answer: ok('The saved report', SAVED_REPORT.answered),
  },
  replaceSavedReport: {
    ...at('PUT', '/api/saved_reports/{id}', 'delivery'),
    ...writing,
    summary: 'Replaces a saved report; another webhook gets another secret',
    parameters: savedInPath,
    body: savedBody,
    answer: ok('The saved report', SAVED_REPORT.answered),
  },
  deleteSavedReport: {
    ...at('DELETE', '/api/saved_reports/{id}', 'delivery'),
    ...writing,
    summary: 'Deletes a saved report with its schedule',
    parameters: savedInPath,
    answer: noContent('Deleted'),
  },
  sendSavedReport: {
    ...at('POST', '/api/saved_reports/{id}/send', 'delivery'),
    ...writing,
    summary: 'Sends a scheduled report now; its schedule goes on',
    parameters: savedInPath,
    answer: accepted('It will be sent within a minute', SAVED_REPORT.answered),
  },
});
