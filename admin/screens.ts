import { campaignForm } from './forms/campaign-form.ts';
import { creativeForm } from './forms/creative-form.ts';
import type { EntityForm } from './forms/entity-form.ts';
import { lineItemForm } from './forms/line-item-form.ts';
import { placementForm } from './forms/placement-form.ts';
import { publisherForm } from './forms/publisher-form.ts';
import type { Page, View } from './page.ts';
import type { Route } from './route.ts';
import { openCampaign } from './views/campaign-view.ts';
import { openForm } from './views/form-view.ts';
import { openHistory } from './views/history-view.ts';
import { openLineItem } from './views/line-item-view.ts';
import { openList } from './views/list-view.ts';
import { openOverview } from './views/overview-view.ts';
import { openReports } from './views/reports-view.ts';
import { openTest } from './views/test-view.ts';
import type { Kind } from './service/wire.ts';

/** Which screen an address means; an unknown one is the overview. */
export const openScreen = (page: Page, route: Route): View | Promise<View> => {
  const [first = 'overview'] = route.parts;
  switch (first) {
    case 'publishers':
      return openEntity(page, first, publisherForm, route);
    case 'placements':
      return openEntity(page, first, placementForm, route);
    case 'campaigns':
      return openEntity(page, first, campaignForm, route, openCampaign);
    case 'line_items':
      return openEntity(
        page,
        first,
        lineItemForm(() => page.store.dimensions()),
        route,
        openLineItem,
      );
    case 'creatives':
      return openEntity(page, first, creativeForm, route);
    case 'test':
      return openTest(page, route);
    case 'reports':
      return openReports(page);
    case 'history':
      return openHistory(page);
    default:
      return openOverview(page);
  }
};

/** The list, the form, or, where there is more to tell than a form can, a screen of its own. */
const openEntity = <K extends Kind>(
  page: Page,
  kind: K,
  form: EntityForm<K>,
  route: Route,
  openOne?: (page: Page, route: Route) => Promise<View>,
): View | Promise<View> => {
  const [, id, verb] = route.parts;
  if (id === undefined) return openList(page, kind, form, route);
  return openOne && id !== 'new' && verb !== 'edit' ? openOne(page, route) : openForm(page, kind, form, route);
};
