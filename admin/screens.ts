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
  switch (first) {
    case 'files':
      return import('./assets/files-view.ts').then(({ openFiles }) => openFiles(page));
    case 'media_buys':
      return import('./buys/media-buys-view.ts').then(({ openMediaBuys }) => openMediaBuys(page));
    case 'imports':
      return openImportScreen(page, route);
    case 'timeline':
      return import('./delivery/timeline-view.ts').then(({ openTimeline }) => openTimeline(page, route));
    case 'availability':
      return import('./forecast/availability-view.ts').then(({ openAvailability }) => openAvailability(page, route));
    case 'test':
      return import('./delivery/test-view.ts').then(({ openTest }) => openTest(page, route));
    case 'reports':
      return import('./reports/reports-view.ts').then(({ openReports }) => openReports(page, route));
    case 'report_links':
      return import('./reports/shared-links-view.ts').then(({ openSharedLinks }) => openSharedLinks(page));
    case 'finance':
      return import('./finance/finance-view.ts').then(({ openFinance }) => openFinance(page, route));
    case 'alerts':
      return import('./alerts/alerts-view.ts').then(({ openAlerts }) => openAlerts(page));
    case 'inbox':
      return import('./people/inbox-view.ts').then(({ openInbox }) => openInbox(page));
    case 'approvals':
      return route.parts[1] === undefined
        ? import('./approvals/approvals-view.ts').then(({ openApprovals }) => openApprovals(page))
        : import('./approvals/approval-view.ts').then(({ openApproval }) => openApproval(page, Number(route.parts[1])));
    case 'complaints':
      return import('./delivery/complaints-view.ts').then(({ openComplaints }) => openComplaints(page));
    case 'people':
      return openPeopleScreen(page, route);
    case 'roles':
      return route.parts[1] === undefined
        ? import('./people/roles-view.ts').then(({ openRoles }) => openRoles(page))
        : import('./people/role-view.ts').then(({ openRole }) =>
            openRole(page, route.parts[1] === 'new' ? undefined : Number(route.parts[1])),
          );
    case 'tokens':
      return import('./people/new-token-view.ts').then(({ openNewToken }) => openNewToken(page));
    case 'account':
      return import('./people/account-view.ts').then(({ openAccount }) => openAccount(page));
    case 'history':
      return import('./bookings/history-view.ts').then(({ openHistory }) => openHistory(page));
    default:
      return openOverview(page);
  }
};

/** The list of people, the form of a new one, or one person. */
const openPeopleScreen = (page: Page, { parts: [, id] }: Route): View | Promise<View> => {
  if (id === undefined) return import('./people/people-view.ts').then(({ openPeople }) => openPeople(page));
  return id === 'new'
    ? import('./people/invite-view.ts').then(({ openInvite }) => openInvite(page))
    : import('./people/person-view.ts').then(({ openPerson }) => openPerson(page, Number(id)));
};

/** What can be imported, a new import, or one import. */
const openImportScreen = (page: Page, route: Route): View | Promise<View> => {
  const [, id] = route.parts;
  if (id === undefined) return import('./imports/imports-view.ts').then(({ openImports }) => openImports(page));
  return id === 'new'
    ? import('./imports/new-import-view.ts').then(({ openNewImport }) => openNewImport(page, route))
    : import('./imports/import-view.ts').then(({ openImport }) => openImport(page, Number(id)));
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
