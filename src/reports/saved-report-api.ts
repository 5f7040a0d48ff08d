import { component, recordComponent } from '../api/component.ts';
import { idInPath } from '../api/parameters.ts';
import { at, accepted, created, defineRoutes, jsonBody, noContent, ok } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { DEFAULT_LINK_DAYS, MAX_LINK_DAYS } from './report-links.ts';
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

const LINK_REQUEST = component(
  'ReportLinkRequest',
  s.closedRecord({
    advertiser_id: s.recordId,
    title: s.optional(s.textOf({ maxLength: 128, description: 'By default the name of the advertiser' })),
    query: s.textOf({ maxLength: 4096, description: 'The parameters of GET /api/reports' }),
    days: s.withDefault(s.integerOf({ minimum: 1, maximum: MAX_LINK_DAYS }), DEFAULT_LINK_DAYS),
  }),
  { advertiser_id: 2, query: 'group_by=day,campaign&metrics=impressions,clicks,ctr&range=this_month', days: 30 },
);

const REPORT_LINK = component('ReportLink', s.record({ token: s.text, url: s.text, expires: s.moment }), {
  token: 'eyJhbGciOiJIUzI1NiIsImtpZCI6ImRlZmF1bHQifQ.eyJhIjoyfQ.s8Kx',
  url: 'https://ads.gazette.example/static/report/#eyJhbGciOiJIUzI1NiIsImtpZCI6ImRlZmF1bHQifQ.eyJhIjoyfQ.s8Kx',
  expires: '2026-11-13T12:00:00.000Z',
});

const savedBody = jsonBody(SAVED_REPORT.sent, 'The saved report has faults.');
const savedInPath = { id: idInPath('saved report') };

/** Saved reports, their schedules, and read-only links for advertisers. */
export const SAVED_REPORT_API = defineRoutes({
  listSavedReports: {
    ...at('GET', '/api/saved_reports', 'delivery'),
    needs: 'reports.read',
    reach: 'own',
    cost: 'list',
    summary: 'Saved reports, by name',
    answer: ok('Saved reports', s.listOf(SAVED_REPORT.answered)),
  },
  createSavedReport: {
    ...at('POST', '/api/saved_reports', 'delivery'),
    needs: 'reports.write',
    reach: 'own',
    summary: 'Saves a report, and schedules it by e-mail or webhook',
    body: savedBody,
    answer: created('The saved report', SAVED_REPORT.answered),
  },
  getSavedReport: {
    ...at('GET', '/api/saved_reports/{id}', 'delivery'),
    needs: 'reports.read',
    reach: 'own',
    summary: 'One saved report',
    parameters: savedInPath,
    answer: ok('The saved report', SAVED_REPORT.answered),
  },
  replaceSavedReport: {
    ...at('PUT', '/api/saved_reports/{id}', 'delivery'),
    needs: 'reports.write',
    reach: 'own',
    summary: 'Replaces a saved report; another webhook gets another secret',
    parameters: savedInPath,
    body: savedBody,
    answer: ok('The saved report', SAVED_REPORT.answered),
  },
  deleteSavedReport: {
    ...at('DELETE', '/api/saved_reports/{id}', 'delivery'),
    needs: 'reports.write',
    reach: 'own',
    summary: 'Deletes a saved report with its schedule',
    parameters: savedInPath,
    answer: noContent('Deleted'),
  },
  sendSavedReport: {
    ...at('POST', '/api/saved_reports/{id}/send', 'delivery'),
    needs: 'reports.write',
    reach: 'own',
    summary: 'Sends a scheduled report now; its schedule goes on',
    parameters: savedInPath,
    answer: accepted('It will be sent within a minute', SAVED_REPORT.answered),
  },
  createReportLink: {
    ...at('POST', '/api/report_links', 'delivery'),
    needs: 'reports.write',
    reach: 'own',
    summary: 'A read-only link to a report of one advertiser; the audit trail names who shared it',
    body: jsonBody(LINK_REQUEST, 'The link has faults.'),
    answer: created('The link', REPORT_LINK),
  },
});
