import type { Knex } from 'knex';
import { answer, done, noSuch, refuse, type Handlers } from '../api/route.ts';
import { changedBy } from '../bookings/audit-trail.ts';
import { onlyVisible } from '../bookings/record-scope.ts';
import { queryFaults } from './query-faults.ts';
import type { REPORT_LINK_API } from './report-link-api.ts';
import type { ReportLinkStore } from './report-link-store.ts';

export interface ReportLinkRoutesOptions {
  readonly knex: Knex;
  readonly links: ReportLinkStore;
  /** '': the URL of a link is relative. */
  readonly publicUrl: string;
}

/** Read-only links for advertisers. Who may see some publishers shares their figures, and sees links to these alone. */
export const reportLinkRoutes = ({ knex, links, publicUrl }: ReportLinkRoutesOptions): Handlers<typeof REPORT_LINK_API> => ({
  listReportLinks: async (page, { caller }) => answer(await links.list(caller.publishers, page)),
  createReportLink: async ({ body: { advertiser_id: advertiserId, title = '', query, days } }, { caller }) => {
    const advertisers = onlyVisible(knex('advertisers').where({ id: advertiserId }), 'advertisers', caller);
    const advertiser = await advertisers.first<{ name: string } | undefined>('name');
    const faults = queryFaults(sharedSearch(query, advertiserId), caller);
    if (!advertiser) {
      const unknown = { pointer: '/advertiser_id', detail: 'must be the id of an advertiser' };
      return refuse('invalid_request', 'The link has faults.', [unknown, ...faults]);
    }
    if (faults.length > 0) return refuse('invalid_request', 'The link has faults.', faults);
    const shared = { advertiserId, title: title || advertiser.name, query, publishers: caller.publishers };
    const link = await links.create(shared, days, changedBy(caller));
    return answer({ ...link, url: `${publicUrl}/static/report/#${link.token}` });
  },
  revokeReportLink: async ({ id }, { caller }) =>
    (await links.revoke(id, caller.publishers, changedBy(caller))) ? done() : noSuch('link that could be used'),
});

/** The question of a link: its own parameters, and the figures of its advertiser alone. */
export const sharedSearch = (query: string, advertiserId: number): URLSearchParams => {
  const search = new URLSearchParams(query);
  for (const name of ['format', 'limit', 'offset']) search.delete(name);
  search.set('filter[advertiser]', String(advertiserId));
  return search;
};
