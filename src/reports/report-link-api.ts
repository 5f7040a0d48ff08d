import { schemaOf } from '../api/columns.ts';
import { component } from '../api/component.ts';
import { pagedList } from '../api/paged-list.ts';
import { idInPath } from '../api/parameters.ts';
import { at, created, defineRoutes, jsonBody, noContent } from '../api/route.ts';
import * as s from '../base/schema.ts';
import { LINK_DAYS } from '../links/shared-link-store.ts';
import { REPORT_LINK_COLUMNS, type ReportLink } from './report-link-store.ts';

const query = 'group_by=day,campaign&metrics=impressions,clicks,ctr&range=this_month';
const LINK_REQUEST = component(
  'ReportLinkRequest',
  s.closedRecord({
    advertiser_id: s.recordId,
    title: s.optional(s.textOf({ maxLength: 128, description: 'By default the name of the advertiser' })),
    query: s.textOf({ maxLength: 4096, description: 'The parameters of GET /api/reports' }),
    days: LINK_DAYS,
  }),
  { advertiser_id: 2, query, days: 30 },
);

const stored: ReportLink = {
  ...{ id: 3, prefix: 'adsr_5f0c2a', advertiser_id: 2, title: 'Boots of the North', query, publishers: null, created_by: 'ann' },
  ...{ created_at: '2026-10-14T12:00:00.000Z', expires_at: '2026-11-13T12:00:00.000Z', last_used_at: null, revoked_at: null },
};
const REPORT_LINK = component('ReportLink', schemaOf(REPORT_LINK_COLUMNS), stored);
const NEW_LINK = component(
  'CreatedReportLink',
  s.record({ ...schemaOf(REPORT_LINK_COLUMNS).properties, token: s.described(s.text, 'Shown this once, as is url'), url: s.text }),
  { ...stored, token: 'adsr_5f0c2a…', url: 'https://ads.gazette.example/static/report/#adsr_5f0c2a…' },
);

const sharing = { needs: 'reports.write', reach: 'publishers' } as const;

/** Read-only links to reports of one advertiser. */
export const REPORT_LINK_API = defineRoutes({
  listReportLinks: {
    ...at('GET', '/api/report_links', 'delivery'),
    ...sharing,
    cost: 'list',
    summary: 'Read-only links, newest first, with those that are revoked or have expired',
    ...pagedList('Links', REPORT_LINK, {}),
  },
  createReportLink: {
    ...at('POST', '/api/report_links', 'delivery'),
    ...sharing,
    summary: 'A read-only link to a report of one advertiser; the audit trail names who shared it',
    body: jsonBody(LINK_REQUEST, 'The link has faults.'),
    answer: created('The link', NEW_LINK),
  },
  revokeReportLink: {
    ...at('DELETE', '/api/report_links/{id}', 'delivery'),
    ...sharing,
    summary: 'Revoke a read-only link: no replica answers it from now on',
    parameters: { id: idInPath('link that could be used') },
    answer: noContent('Revoked'),
  },
});
