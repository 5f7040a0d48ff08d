import type { Browser } from 'playwright-core';
import { BROWSER_HEADERS, lookAtAd } from '../../testkit/person.ts';
import { eventually } from '../../testkit/until.ts';
import type { Replica } from '../setup/start-replica.ts';
import { apiOf as callsOf, book, serveAd, type Booked } from '../api/api-client.ts';
import { beyondOf } from './setup/faults-of-page.ts';
import { shoot } from './setup/shoot.ts';
import { openAdmin, startReplicas } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replica: Replica;
let booked: Booked;

beforeAll(async () => {
  [browser, [replica]] = (await Promise.all([startBrowser(), startReplicas(1)])) as unknown as [Browser, [Replica]];
  const api = callsOf(replica.url);
  booked = await book(api, 'top', { cpm: 2 });
  const send = (url: string, agent?: string) => fetch(replica.url + url, { headers: agent ? { 'user-agent': agent } : BROWSER_HEADERS });
  for (const agent of [undefined, undefined, 'Googlebot/2.1', 'Googlebot/2.1', '-']) {
    const bid = await serveAd(replica.url, booked);
    await send(bid.impurl, agent);
    await lookAtAd();
    await send(bid.clkurl, agent);
  }
  await send(`${(await serveAd(replica.url, booked)).impurl}&hidden=1`);
  await eventually(async () =>
    expect((await api('GET', `/campaigns/${booked.campaign}/report`)).body.totals).toMatchObject({ gross_impressions: 6, gross_clicks: 5 }),
  );
});

test.each([1280, 390])(
  'at %d pixels a campaign’s report shows filtered clicks beside impressions, and why hits were filtered',
  async (width) => {
    const admin = await openAdmin(browser, replica, { width, height: 1000 });
    await admin.go(`#/campaigns/${booked.campaign}`);
    const reasons = admin.page.getByRole('table', { name: 'Filtered hits by reason' });
    await reasons.waitFor();
    const cells = (row: string) => reasons.getByRole('row').filter({ hasText: row }).getByRole('cell').allInnerTexts();
    expect(await cells('Spiders and programs')).toEqual(['Spiders and programs', '2', '2', '0']);
    expect(await cells('Hidden, a pixel')).toEqual(['Hidden, a pixel or covered', '1', '0', '0']);
    expect(await reasons.getByRole('row').nth(1).innerText()).toContain('Spiders');
    const all = admin.page.getByRole('table', { name: 'Delivery by line item' }).getByRole('row').last();
    expect(await all.getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['4 of 6\n3 of 5 clicks']));
    expect(await beyondOf(admin.page)).toEqual([]);
    await shoot(admin.page, `campaign-${width}`);
    await admin.turn(`#/line_items/${booked.lineItem}`);
    await admin.page.getByText('Filtered clicks today').waitFor();
    await shoot(admin.page, `item-${width}`);
    expect(admin.troubles).toEqual([]);
    await admin.close();
  },
);
