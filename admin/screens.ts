import { html } from 'lit-html';
import type { Page, View } from './page.ts';
import { hashOf, type Route } from './route.ts';
import { openAdvertiser } from './bookings/advertiser-view.ts';
import { openCampaign } from './bookings/campaign-view.ts';
import { openLineItem } from './delivery/line-item-view.ts';
import { openList } from './bookings/list-view.ts';
import { openOverview } from './delivery/overview-view.ts';
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
  // An address such as #/constructor is not in the table either.
  const openOther = Object.hasOwn(OTHERS, first) ? OTHERS[first] : undefined;
  return openOther ? openOther(page, route) : openOverview(page);
};

/** The other screens, each of which is loaded when it is opened. */
const OTHERS: Readonly<Record<string, (page: Page, route: Route) => Promise<View>>> = {
  files: (page) => import('./assets/files-view.ts').then(({ openFiles }) => openFiles(page)),
  media_buys: (page) => import('./buys/media-buys-view.ts').then(({ openMediaBuys }) => openMediaBuys(page)),
  /** What can be imported, a new import, or one import. */
  imports: (page, route) => {
    const [, id] = route.parts;
    if (id === undefined) return import('./imports/imports-view.ts').then(({ openImports }) => openImports(page));
    return id === 'new'
      ? import('./imports/new-import-view.ts').then(({ openNewImport }) => openNewImport(page, route))
      : import('./imports/import-view.ts').then(({ openImport }) => openImport(page, Number(id)));
  },
  timeline: (page, route) => import('./delivery/timeline-view.ts').then(({ openTimeline }) => openTimeline(page, route)),
  availability: (page, route) => import('./forecast/availability-view.ts').then(({ openAvailability }) => openAvailability(page, route)),
  test: (page, route) => import('./delivery/test-view.ts').then(({ openTest }) => openTest(page, route)),
  reports: (page, route) => import('./reports/reports-view.ts').then(({ openReports }) => openReports(page, route)),
  report_links: (page) => import('./reports/shared-links-view.ts').then(({ openSharedLinks }) => openSharedLinks(page)),
  finance: (page, route) => import('./finance/finance-view.ts').then(({ openFinance }) => openFinance(page, route)),
  alerts: (page) => import('./alerts/alerts-view.ts').then(({ openAlerts }) => openAlerts(page)),
  inbox: (page) => import('./people/inbox-view.ts').then(({ openInbox }) => openInbox(page)),
  approvals: (page, { parts: [, id] }) =>
    id === undefined
      ? import('./approvals/approvals-view.ts').then(({ openApprovals }) => openApprovals(page))
      : import('./approvals/approval-view.ts').then(({ openApproval }) => openApproval(page, Number(id))),
  complaints: (page) => import('./delivery/complaints-view.ts').then(({ openComplaints }) => openComplaints(page)),
  /** The list of people, the form of a new one, or one person. */
  people: (page, { parts: [, id] }) => {
    if (id === undefined) return import('./people/people-view.ts').then(({ openPeople }) => openPeople(page));
    return id === 'new'
      ? import('./people/invite-view.ts').then(({ openInvite }) => openInvite(page))
      : import('./people/person-view.ts').then(({ openPerson }) => openPerson(page, Number(id)));
  },
  roles: (page, { parts: [, id] }) =>
    id === undefined
      ? import('./people/roles-view.ts').then(({ openRoles }) => openRoles(page))
      : import('./people/role-view.ts').then(({ openRole }) => openRole(page, id === 'new' ? undefined : Number(id))),
  tokens: (page) => import('./people/new-token-view.ts').then(({ openNewToken }) => openNewToken(page)),
  account: (page) => import('./people/account-view.ts').then(({ openAccount }) => openAccount(page)),
  history: (page) => import('./bookings/history-view.ts').then(({ openHistory }) => openHistory(page)),
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
  if (openOne && id !== 'new' && verb !== 'edit') return openOne(page, route);
  return import('./bookings/form-view.ts').then(({ openForm }) => openForm(page, kind, route));
};
