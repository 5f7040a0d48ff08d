import { html } from 'lit-html';
import type { Page, View } from './page.ts';
import { hashOf, type Route } from './route.ts';
import { openAdvertiser } from './bookings/advertiser-view.ts';
import { openAccount } from './people/account-view.ts';
import { openInbox } from './people/inbox-view.ts';
import { openInvite } from './people/invite-view.ts';
import { openNewToken } from './people/new-token-view.ts';
import { openPeople } from './people/people-view.ts';
import { openPerson } from './people/person-view.ts';
import { openApproval } from './approvals/approval-view.ts';
import { openApprovals } from './approvals/approvals-view.ts';
import { openRole } from './people/role-view.ts';
import { openRoles } from './people/roles-view.ts';
import { openAlerts } from './alerts/alerts-view.ts';
import { openCampaign } from './bookings/campaign-view.ts';
import { openFiles } from './assets/files-view.ts';
import { openFinance } from './finance/finance-view.ts';
import { openAvailability } from './forecast/availability-view.ts';
import { openForm } from './bookings/form-view.ts';
import { openHistory } from './bookings/history-view.ts';
import { openLineItem } from './delivery/line-item-view.ts';
import { openList } from './bookings/list-view.ts';
import { openOverview } from './delivery/overview-view.ts';
import { openComplaints } from './delivery/complaints-view.ts';
import { openReportLinks } from './reports/report-links-view.ts';
import { openReports } from './reports/reports-view.ts';
import { openTest } from './delivery/test-view.ts';
import { openTimeline } from './delivery/timeline-view.ts';
import { KINDS, type Kind } from './api/wire.ts';
import { emptyState, pageHead } from './parts/parts.ts';
import { mayOpen, screenNamed, type Screen } from './screen-groups.ts';
import { t } from './words/texts.ts';

/** Screens that are reached from another one, whose entry of the navigation is current. */
const OWNERS: Readonly<Record<string, string>> = { tokens: 'people', roles: 'people', report_links: 'reports' };

/** The screen of an address; the overview for an unknown one. */
export const openScreen = (page: Page, route: Route): View | Promise<View> => {
  const [first = 'overview'] = route.parts;
  const screen = screenNamed(OWNERS[first] ?? first);
  if (screen && !mayOpen(page.rights, hashOf(route.parts))) return closedView(page, screen);
  const kind = KINDS.find((one) => one === first);
  if (kind) return openEntity(page, kind, route);
  switch (first) {
    case 'files':
      return openFiles(page);
    case 'timeline':
      return openTimeline(page, route);
    case 'availability':
      return openAvailability(page, route);
    case 'test':
      return openTest(page, route);
    case 'reports':
      return openReports(page, route);
    case 'report_links':
      return openReportLinks(page);
    case 'finance':
      return openFinance(page, route);
    case 'alerts':
      return openAlerts(page);
    case 'inbox':
      return openInbox(page);
    case 'approvals':
      return route.parts[1] === undefined ? openApprovals(page) : openApproval(page, Number(route.parts[1]));
    case 'complaints':
      return openComplaints(page);
    case 'people':
      return openPeopleScreen(page, route);
    case 'roles':
      return route.parts[1] === undefined ? openRoles(page) : openRole(page, route.parts[1] === 'new' ? undefined : Number(route.parts[1]));
    case 'tokens':
      return openNewToken(page);
    case 'account':
      return openAccount(page);
    case 'history':
      return openHistory(page);
    default:
      return openOverview(page);
  }
};

/** The list of people, the form of a new one, or one person. */
const openPeopleScreen = (page: Page, { parts: [, id] }: Route): View | Promise<View> => {
  if (id === undefined) return openPeople(page);
  return id === 'new' ? openInvite(page) : openPerson(page, Number(id));
};

/** In place of a screen that the person may not use. */
const closedView = ({ rights: { me } }: Page, { name, label }: Screen): View => ({
  title: label,
  section: name,
  render: () =>
    html`${pageHead(label, '')}
    ${emptyState(t`Your role does not include this${me.publishers ? t`, or it is about all publishers` : ''}. Ask an administrator if you need it.`)}`,
});

/** The screens of one record, for kinds that have one. */
const SCREENS: Partial<Readonly<Record<Kind, (page: Page, route: Route) => Promise<View>>>> = {
  advertisers: openAdvertiser,
  campaigns: openCampaign,
  line_items: openLineItem,
};

/** The list, the form, or the screen of one record. */
const openEntity = (page: Page, kind: Kind, route: Route): View | Promise<View> => {
  const [, id, verb] = route.parts;
  if (kind === 'campaigns' && (verb === 'book' || (id === 'new' && !route.query.has('copy'))))
    return import('./bookings/desk/booking-view.ts').then(({ openBooking }) => openBooking(page, route));
  if (id === undefined) return openList(page, kind, route);
  const openOne = SCREENS[kind];
  return openOne && id !== 'new' && verb !== 'edit' ? openOne(page, route) : openForm(page, kind, route);
};
