import type { Browser } from 'playwright-core';
import { startPrebidServer } from '../../testkit/start-prebid-server.ts';
import { atEnd } from '../setup/at-end.ts';
import type { Replica } from '../setup/start-replica.ts';
import { beyondOf } from './setup/faults-of-page.ts';
import { shoot } from './setup/shoot.ts';
import { apiOf, FLIGHT, openAdmin, pick, startReplicas, type Api } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replica: Replica;
let api: Api;

beforeAll(async () => {
  [browser, [replica]] = (await Promise.all([startBrowser(), startReplicas(1)])) as [Browser, [Replica]];
  api = apiOf(replica);
});

test('a bidder and its line item are booked on the page, and a test shows what the bidder says', async () => {
  const server = await startPrebidServer({ stored: ['top'], authorization: 'Bearer abc' });
  atEnd(() => server.close());
  const publisher = await api('POST', '/publishers', { name: 'Gazette', domain: 'gazette.example' });
  await api('POST', '/placements', { id: 'top', width: 300, height: 250, formats: ['html'] });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Open market', ...FLIGHT });

  const admin = await openAdmin(browser, replica);
  const { page } = admin;
  const field = (pointer: string) => page.locator(`#field${pointer.replace(/[^a-zA-Z0-9]/g, '-')}`);
  const save = () => page.locator('.save-bar button[type=submit]').click();
  await admin.go('#/bidders/new');
  await field('/name').fill('Prebid Server');
  await field('/endpoint').fill(server.endpoint);
  await page.getByRole('button', { name: 'Add a header' }).click();
  await page.getByLabel('Name 1').fill('Authorization');
  await page.getByLabel('Value 1').fill('Bearer abc');
  await field('/params').fill('{"prebid": ');
  await field('/bid_adjustment').fill('0.85');
  await save();
  await page.getByText('Parameters must be an object').first().waitFor();
  await field('/params').fill('{"prebid": {"storedrequest": {"id": "${PLACEMENT_ID}"}}}');
  await save();
  await page.getByRole('heading', { level: 1, name: 'Prebid Server' }).waitFor();
  const [bidder] = (await api('GET', '/bidders')) as unknown as [{ id: number; headers: Record<string, string> }];
  expect(bidder).toMatchObject({
    bid_adjustment: 0.85,
    params: { prebid: { storedrequest: { id: '${PLACEMENT_ID}' } } },
    headers: { Authorization: expect.stringMatching(/^sealed:/) as string },
  });
  // What the page shows of a header keeps its value when it is saved again.
  await field('/currency').fill('USD');
  await field('/badv').fill('casino.example');
  await field('/badv').press('Enter');
  await save();
  await page.getByText('was saved').waitFor();
  expect(await api('GET', `/bidders/${bidder.id}`)).toMatchObject({ headers: bidder.headers, badv: ['casino.example'] });

  await admin.turn(`#/line_items/new?campaign_id=${campaign.id}`);
  await field('/name').fill('Prebid');
  await page.locator('.choice:has(input[value="programmatic"])').click();
  await field('/endpoint').waitFor();
  await pick(field('/bidder_id'), 'Prebid Server');
  await field('/endpoint').waitFor({ state: 'detached' });
  await field('/floor').fill('0.50');
  await field('/deal_id').fill('gold');
  await save();
  await page.getByRole('heading', { level: 1, name: 'Prebid' }).waitFor();
  const [item] = (await api('GET', '/line_items')) as unknown as [{ id: number }];
  expect(item).toMatchObject({ bidder_id: bidder.id, endpoint: null, floor: 0.5, deal_id: 'gold' });
  await api('POST', '/creatives', { placement_id: 'top', line_item_id: item.id, format: 'html', content: '<b>bid</b>' });

  const tested = await api('POST', '/test_ad', {
    id: '1',
    imp: [{ id: '1', tagid: 'top' }],
    user: { id: 'u' },
    ext: { publisher_id: publisher.id },
  });
  expect(JSON.stringify(tested)).toContain('the bidder did not bid');
  expect(server.received.at(-1)?.body.imp?.[0]).toMatchObject({ pmp: { private_auction: 1, deals: [{ id: 'gold' }] } });
  expect(admin.troubles).toEqual([]);
});

test.each([1280, 390])('at %i pixels the form of a bidder has no sideways scrolling', async (width) => {
  const bidder = await api('POST', '/bidders', {
    name: 'Exchange',
    endpoint: 'https://bidder.example/openrtb2/auction',
    headers: { Authorization: 'Bearer abc' },
    params: { prebid: { bidder: { appnexus: { placement_id: 13_144_370 } } } },
  });
  const admin = await openAdmin(browser, replica, { width });
  await admin.go(`#/bidders/${bidder.id}`);
  expect(await beyondOf(admin.page)).toEqual([]);
  await shoot(admin.page, `bidder-${width}`);
  await admin.turn('#/bidders');
  await shoot(admin.page, `bidders-${width}`);
  expect(admin.troubles).toEqual([]);
});
