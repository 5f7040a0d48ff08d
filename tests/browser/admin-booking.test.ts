import type { Browser } from 'playwright-core';
import { browse } from '../../testkit/person.ts';
import type { Replica } from '../setup/start-replica.ts';
import { eventually } from '../../testkit/until.ts';
import { apiOf, FLIGHT, openAdmin, pick, startReplicas, type AdminPage, type Api } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';

let browser: Browser;
let replicas: readonly Replica[];
let api: Api;
let admin: AdminPage;

beforeAll(async () => {
  [browser, replicas] = await Promise.all([startBrowser(), startReplicas(2)]);
  api = apiOf(replicas[0]!);
});
beforeEach(async () => {
  admin = await openAdmin(browser, replicas[0]!);
});
afterEach(async () => {
  expect(admin.troubles).toEqual([]);
  await admin.close();
});

/** The control of a field, by its pointer in the record. */
const field = (pointer: string) => admin.page.locator(`#field${pointer.replace(/[^a-zA-Z0-9]/g, '-')}`);
const save = () => admin.page.locator('.save-bar button[type=submit]').click();
const choose = (value: string) => admin.page.locator(`.choice:has(input[value="${value}"])`).first().click();
const heading = (name: string) => admin.page.getByRole('heading', { level: 1, name }).waitFor();

const askAd = async (replica: Replica, key: string, publisherId: number, placement: string) => {
  const answer = await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': key },
    body: JSON.stringify({ id: '1', imp: [{ id: '1', tagid: placement }], user: { id: 'u' }, ext: { publisher_id: publisherId } }),
  });
  return (await answer.json()) as { seatbid: { bid: { adm: string }[] }[] };
};

const bookLineItem = async (name: string, more: object = {}) => {
  const publisher = await api('POST', '/publishers', { name: `Publisher of ${name}`, domain: 'p.example' });
  const campaign = await api('POST', '/campaigns', { publisher_id: publisher.id, name: `Campaign of ${name}`, ...FLIGHT });
  const item = await api('POST', '/line_items', { campaign_id: campaign.id, name, active: true, cpm: 2, ...FLIGHT, ...more });
  return { publisher, campaign, item };
};

test('another replica serves a campaign within a second of its booking on the page', async () => {
  const { page } = admin;
  await admin.go('#/line_items/new');
  // The page names the missing parent and links to its form.
  await page.getByRole('button', { name: 'Add a campaign' }).click();
  await page.getByRole('button', { name: 'Add a publisher' }).click();
  await field('/name').fill('The Gazette');
  await field('/domain').fill('gazette.example');
  await save();
  const key = await page.locator('#api-key').innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await heading('The Gazette');
  const publisherId = Number(/publishers\/(\d+)/.exec(page.url())?.[1]);

  await page.getByRole('button', { name: 'Add a placement' }).click();
  await field('/id').fill('top');
  await field('/width').fill('300');
  await field('/height').fill('250');
  await save();
  await page.getByRole('button', { name: 'Add a campaign' }).click();
  await field('/campaign/fields/name').fill('Spring');
  await field('/campaign/fields/budget').fill('100.50');
  await page.getByRole('button', { name: 'Remove Line item 1' }).click();
  await page.getByRole('button', { name: 'Book', exact: true }).click();
  await heading('Spring');

  await page.getByRole('button', { name: 'Add a line item' }).first().click();
  await field('/name').fill('Run of site');
  await field('/cpm').fill('4.20');
  await field('/daily_impression_cap').fill('1000');
  await save();
  await heading('Run of site');

  await page.getByRole('button', { name: 'Add a creative' }).first().click();
  await choose('html');
  await field('/content').fill('<p style="color: green">Spring is here</p>');
  await page.frameLocator('ad-preview iframe').getByText('Spring is here').waitFor();
  await field('/advertiser_domain').fill('spring.example');
  await save();
  await heading('Creative 1');
  await eventually(async () => {
    const answer = await askAd(replicas[1]!, key, publisherId, 'top');
    expect(answer.seatbid[0]?.bid[0]?.adm).toBe('<p style="color: green">Spring is here</p>');
  }, 1000);

  const [item] = (await api('GET', '/line_items')) as unknown as { cpm: number; budget_type: string; campaign_id: number }[];
  expect(item).toMatchObject({ cpm: 4.2, daily_impression_cap: 1000, active: true, pacing: 'ASAP', targeting: { countries: [] } });
  expect(await api('GET', `/campaigns/${item!.campaign_id}`)).toMatchObject({ name: 'Spring', budget: 100.5 });
});

test('the record has the targeting and limits that were set on the page', async () => {
  const { campaign } = await bookLineItem('other');
  await admin.go(`#/line_items/new?campaign_id=${campaign.id}`);
  const { page } = admin;
  await field('/name').fill('Targeted');
  await choose('CPC');
  await field('/cpc').fill('0.35');
  await choose('Even');
  await choose('1');
  await field('/frequency_cap').fill('3');
  await field('/frequency_window').fill('2');
  await page.locator('#field-frequency-window-unit').selectOption('3600');
  for (const country of ['Norway', 'se', 'Finland (FI)']) {
    await field('/targeting/countries').fill(country);
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Remove Finland (FI)' }).click();
  await choose('mobile');
  await choose('sport');
  await choose('travel');
  await page.getByRole('button', { name: 'Add a key-value' }).click();
  await page.keyboard.type('team');
  await page.keyboard.press('Tab');
  await page.keyboard.type('red, blue');
  await field('/targeting/dimensions/age').fill('30');
  await page.keyboard.press('Enter');
  await page.locator('#field-start-date').fill('2026-01-02');
  await page.locator('#field-start-date').blur();
  await page.getByRole('button', { name: 'Set a time' }).first().click();
  await page.getByLabel('Start: time in UTC').fill('06:30:00');
  await page.getByLabel('Start: time in UTC').blur();
  await save();
  await heading('Targeted');
  expect(await api('GET', `/line_items/${/line_items\/(\d+)/.exec(page.url())![1]}`)).toMatchObject({
    budget_type: 'CPC',
    cpc: 0.35,
    cpm: null,
    pacing: 'Even',
    priority: 1,
    start_date: '2026-01-02T06:30:00.000Z',
    frequency_cap: 3,
    frequency_window: 7200,
    targeting: {
      countries: ['NO', 'SE'],
      devices: ['mobile'],
      dimensions: { section: ['sport', 'travel'], age: [30] },
      key_values: { team: ['red', 'blue'] },
    },
  });
});

test('an invalid dimension prevents the creation, and its field shows the fault', async () => {
  const { campaign } = await bookLineItem('valid');
  const before = ((await api('GET', '/line_items')) as unknown as unknown[]).length;
  await admin.go(`#/line_items/new?campaign_id=${campaign.id}`);
  await field('/cpm').fill('2');
  await field('/targeting/dimensions/age').fill('7');
  await admin.page.keyboard.press('Enter');
  await save();
  await admin.page.locator('#field-targeting-dimensions-age-faults', { hasText: 'must be at least 13' }).waitFor();
  expect(await field('/targeting/dimensions/age').getAttribute('aria-invalid')).toBe('true');
  expect(await field('/targeting/dimensions/age').evaluate((input) => input === document.activeElement)).toBe(true);
  expect(((await api('GET', '/line_items')) as unknown as unknown[]).length).toBe(before);

  await admin.page.getByRole('button', { name: 'Remove 7' }).click();
  await save();
  await admin.page.locator('.status-card').waitFor();
});

test('a Flat line item needs a fee or a value, a programmatic one has no budget type, and the campaign shows the fee', async () => {
  const { campaign } = await bookLineItem('deals');
  const { page } = admin;
  await admin.go(`#/line_items/new?campaign_id=${campaign.id}`);
  await field('/name').fill('Takeover');
  await choose('Flat');
  await save();
  await page.locator('#field-budget-faults', { hasText: 'Fee is required with Budget type Flat' }).waitFor();
  await field('/budget').fill('3');
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  for (const [pointer, offset] of [
    ['/start_date', -1],
    ['/end_date', 1],
  ] as const) {
    await field(pointer).fill(day(offset));
    await field(pointer).blur();
  }
  await save();
  await page.locator('.page-head', { hasText: 'flat fee of $3.00' }).waitFor();
  await admin.go(`#/campaigns/${campaign.id}`);
  const today = new Date().toLocaleDateString('en-US', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  await page.getByRole('button', { name: 'Each row' }).click();
  const row = page.getByRole('table', { name: 'Delivery by day' }).getByRole('row', { name: today });
  expect((await row.innerText()).replace(/\s+/g, ' ')).toBe(`${today} Takeover 0 – 0 0 – $1.00 –`);

  await admin.go(`#/line_items/new?campaign_id=${campaign.id}`);
  await field('/name').fill('Auction');
  await choose('CPC');
  await choose('programmatic');
  await page.getByText('Budget type').waitFor({ state: 'detached' });
  expect(await field('/cpc').count()).toBe(0);
  await field('/endpoint').fill('https://bidder.example/openrtb');
  await save();
  await page.locator('.page-head', { hasText: 'Programmatic, by bid' }).waitFor();
  const [, , auction] = (await api('GET', `/line_items?campaign_id=${campaign.id}`)) as unknown as object[];
  expect(auction).toMatchObject({ type: 'programmatic', budget_type: 'CPM', name: 'Auction' });
});

test('deleting a campaign names its line items and creatives and asks before it deletes them', async () => {
  const { campaign, item, publisher } = await bookLineItem('doomed');
  await api('POST', '/placements', { id: 'doomed', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  for (const content of ['a', 'b'])
    await api('POST', '/creatives', { placement_id: 'doomed', line_item_id: item.id, format: 'html', content });
  await admin.go(`#/campaigns/${campaign.id}`);
  const { page } = admin;
  const ask = () => page.locator('.page-head').getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog');
  await ask();
  await question.getByText('1 line item and 2 creatives').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await api('GET', `/campaigns/${campaign.id}`)).toMatchObject({ id: campaign.id });
  await ask();
  await question.getByRole('button', { name: 'Delete all 4' }).click();
  await heading('Campaigns');
  await expect(api('GET', `/line_items/${item.id}`)).rejects.toThrow('404');
});

test('a line item is paused and resumed with one click each, and its copy includes its creatives', async () => {
  const { item, publisher } = await bookLineItem('to copy');
  await api('POST', '/placements', { id: 'copied', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  await api('POST', '/creatives', { placement_id: 'copied', line_item_id: item.id, format: 'html', content: 'c' });
  const { page } = admin;
  await admin.go('#/line_items?q=to+copy');
  const act = async (role: 'button' | 'link', name: string) => {
    await page.getByLabel('Actions for to copy', { exact: true }).click();
    await page.getByRole(role, { name }).click();
  };
  await act('button', 'Pause to copy');
  await page.getByRole('cell', { name: 'paused' }).waitFor();
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({ active: false });
  await act('button', 'Resume to copy');
  await page.getByText('is active again').waitFor();
  await page.getByRole('cell', { name: 'ready' }).waitFor();
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({ active: true });

  await act('link', 'Duplicate to copy');
  await heading('Copy of a line item');
  await save();
  await heading('to copy (copy)');
  const copyId = /line_items\/(\d+)/.exec(page.url())![1];
  expect(await api('GET', `/creatives?line_item_id=${copyId}`)).toMatchObject([{ content: 'c', placement_id: 'copied' }]);
});

test('a line item that may have been served stays in its campaign; the page offers its duplicate, by keyboard', async () => {
  const { item, publisher } = await bookLineItem('to move');
  await bookLineItem('elsewhere');
  await api('POST', '/placements', { id: 'moved', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  for (const content of ['shown', 'blocked'])
    await api('POST', '/creatives', { placement_id: 'moved', line_item_id: item.id, format: 'html', content });
  const [, second] = (await api('GET', `/creatives?line_item_id=${item.id}`)) as unknown as { id: number }[];
  await api('POST', `/creatives/${second!.id}/block`);
  const target = await api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Target', ...FLIGHT });
  const { page } = admin;
  await admin.go(`#/line_items/${item.id}/edit`);
  await pick(field('/campaign_id'), 'Target');
  await field('/cpm').fill('3');
  await save();
  await page.locator('.faults', { hasText: 'Campaign cannot change once the line item may have been served' }).waitFor();
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({ cpm: 2 });

  await page.waitForFunction(() => document.activeElement?.classList.contains('faults'));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading('to move (copy)');
  const copyId = /line_items\/(\d+)/.exec(page.url())![1];
  expect(await api('GET', `/line_items/${copyId}`)).toMatchObject({ campaign_id: target.id, cpm: 3, active: false });
  expect(await api('GET', `/line_items/${item.id}`)).toMatchObject({ cpm: 2, active: true, name: 'to move' });
  expect(await api('GET', `/creatives?line_item_id=${copyId}`)).toMatchObject([
    { content: 'shown', blocked_at: null },
    { content: 'blocked', blocked_at: expect.any(String) },
  ]);

  await admin.go(`#/line_items/${item.id}/edit`);
  await pick(field('/campaign_id'), 'Campaign of elsewhere');
  await save();
  await page.getByRole('button', { name: 'Duplicate it instead' }).click();
  await page.locator('.toast.bad', { hasText: '2 creatives could not be copied: Placement moved belongs to Publisher of' }).waitFor();
  await heading('to move (copy)');
});

test('a concurrent change is not overwritten, and leaving with unsaved changes asks first', async () => {
  const { campaign } = await bookLineItem('shared');
  await admin.go(`#/campaigns/${campaign.id}/edit`);
  await field('/name').fill('Mine');
  await api('PATCH', `/campaigns/${campaign.id}`, { name: 'Theirs' });
  await save();
  await admin.page.locator('.conflict').waitFor();
  expect(await api('GET', `/campaigns/${campaign.id}`)).toMatchObject({ name: 'Theirs' });

  await admin.page.getByRole('link', { name: 'Placements' }).click();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await field('/name').inputValue()).toBe('Mine');
  await admin.page.getByRole('link', { name: 'Placements' }).click();
  await admin.page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await heading('Placements');
});

test('a test ad shows the winner and where each other candidate fell, and counts nothing', async () => {
  const { item, publisher, campaign } = await bookLineItem('Winner', { priority: 2, cpm: 5 });
  await api('POST', '/placements', { id: 'tested', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  const rivals: readonly [string, object][] = [
    ['Cheaper', { cpm: 1 }],
    ['Nordic', { cpm: 9, targeting: { countries: ['NO'] } }],
    ['Resting', { cpm: 9, active: false }],
    ['Empty', { cpm: 9, daily_impression_cap: 0 }],
  ];
  const items = [item];
  for (const [name, more] of rivals)
    items.push(await api('POST', '/line_items', { campaign_id: campaign.id, name, active: true, ...FLIGHT, ...more }));
  for (const { id } of items)
    await api('POST', '/creatives', { placement_id: 'tested', line_item_id: id, format: 'html', content: `<b>Shown for ${id}</b>` });

  const { page } = admin;
  await admin.go('#/test?placement_id=tested');
  await pick(field('/publisher_id'), String(publisher['name']));
  await field('/country').selectOption('DE');
  await choose('mobile');
  await page.getByRole('button', { name: 'Ask for an ad' }).click();
  await page.frameLocator('.result iframe').getByText(`Shown for ${item.id}`).waitFor();
  const rows = page.getByRole('table', { name: 'What became of each candidate' }).getByRole('row');
  const outcomes = Object.fromEntries(
    (await rows.allInnerTexts()).slice(1).map((row) => [row.split('\n')[0], row.replace(/\s+/g, ' ')] as const),
  );
  expect(outcomes['Winner']).toContain('won');
  expect(outcomes['Cheaper']).toMatch(/place \d/);
  expect(outcomes['Nordic']).toMatch(/fell at targeting .*country is DE, wanted NO/);
  expect(outcomes['Resting']).toMatch(/fell at flight .*is paused/);
  expect(outcomes['Empty']).toMatch(/fell at limits .*cap/);
  expect(await api('GET', `/line_items/${item.id}/delivery`)).toMatchObject({ today: { serves: 0, held: 0 } });

  // The page of a line item links to the same test for itself.
  await admin.go(`#/line_items/${items[2]!.id}`);
  await page.getByRole('link', { name: /Try a visitor/ }).click();
  await field('/country').selectOption('SE');
  await page.getByRole('button', { name: 'Ask for an ad' }).click();
  await page.locator('.result .note', { hasText: 'country is SE, wanted NO' }).waitFor();
});

test('the pages of a placement and of test ads hand out a debug link of the publisher', async () => {
  const { page } = admin;
  const publisher = await api('POST', '/publishers', {
    name: 'Debugged',
    domain: 'd.example',
    origins: ['https://*.d.example', 'http://stage.d.example:81'],
  });
  await api('POST', '/placements', { id: 'debugged', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  for (const hash of ['#/placements/debugged', '#/test?placement_id=debugged']) {
    await admin.go(hash);
    if (hash.startsWith('#/test')) await pick(field('/publisher_id'), 'Debugged');
    await page.getByRole('button', { name: 'Create a debug link' }).click();
    const link = new URL(await page.locator('#debug-link').innerText());
    expect([link.origin, link.hash]).toEqual(['http://stage.d.example:81', expect.stringMatching(/^#adsdk_debug=[\w-]+\.[\w-]+\.[\w-]+$/)]);
    await page.getByRole('button', { name: 'I have copied it' }).click();
  }
});

test('the page of a placement has its tags, and each is copied as it is shown', async () => {
  const { page } = admin;
  const publisher = await api('POST', '/publishers', { name: 'Tagged', domain: 't.example', origins: ['https://t.example'] });
  await api('POST', '/placements', { id: 'a "tag" & more', width: 300, height: 250, formats: ['banner'], publisher_id: publisher.id });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await admin.go(`#/placements/${encodeURIComponent('a "tag" & more')}`);
  // The licence of the country data asks for this link.
  expect(await page.getByRole('link', { name: 'IP Geolocation by DB-IP' }).getAttribute('href')).toBe('https://db-ip.com');
  for (const title of ['Script', 'Frame', 'E-mail']) {
    if (title !== 'Script') await page.locator('summary', { hasText: title }).click();
    await page.getByRole('button', { name: `Copy the ${title} tag` }).click();
    const shown = await page.getByLabel(`${title} tag`, { exact: true }).innerText();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    expect(shown).toContain(
      title === 'Script'
        ? 'data-adsdk-slot="a &quot;tag&quot; &amp; more"'
        : `publisher=${publisher.id}&amp;placement=a+%22tag%22+%26+more`,
    );
  }
});

test('the page of a line item shows its status with the reason, its delivery and its limits', async () => {
  const { item, publisher } = await bookLineItem('Watched', { daily_impression_cap: 2, budget: 10, frequency_cap: 1 });
  await api('POST', '/placements', { id: 'watched', width: 300, height: 250, formats: ['html'], publisher_id: publisher.id });
  const { page } = admin;
  await admin.go(`#/line_items/${item.id}`);
  await page.getByText('It has no creative yet').waitFor();
  await api('POST', '/creatives', { placement_id: 'watched', line_item_id: item.id, format: 'html', content: 'w' });
  const { api_key: key } = await api('POST', `/publishers/${publisher.id}/rotate_key`);
  // The other replica reloads within a second of the booking and the new key.
  let impurl = '';
  await eventually(async () => {
    const answer = await askAd(replicas[1]!, key!, publisher.id, 'watched');
    ({ impurl } = answer.seatbid[0]!.bid[0] as unknown as { impurl: string });
  });
  await browse(replicas[1]!.url + impurl);

  await admin.go(`#/line_items/${item.id}`);
  await page.reload();
  await page.locator('.status-line .pill', { hasText: 'delivering' }).waitFor();
  await page.getByRole('img', { name: 'Impressions today: 1 of 2' }).waitFor();
  await page.getByRole('img', { name: /Total budget: \$0.002 of \$10.00/ }).waitFor();
  await page.getByRole('img', { name: /Impressions today by hour, UTC: 1 so far. The cap is 2 a day/ }).waitFor();
  await page.getByText('One person sees it at most once within 1 day.').waitFor();
  await api('PATCH', `/line_items/${item.id}`, { daily_impression_cap: 1 });
  await page.reload();
  await page.locator('.status-line', { hasText: 'capped' }).waitFor();
  await page.locator('.status-line', { hasText: 'cap is delivered or reserved' }).waitFor();
});

test('goals, front-loading and the rotation are set in the form, and the page shows the progress towards them', async () => {
  const { campaign } = await bookLineItem('Goals');
  await admin.go(`#/line_items/new?campaign_id=${campaign.id}`);
  await field('/name').fill('With goals');
  await choose('VCPM');
  await field('/cpm').fill('8');
  await choose('optimised');
  expect(await field('/frontload').count()).toBe(0);
  await choose('Even');
  await field('/frontload').fill('20');
  await field('/goal_impressions').fill('100000');
  await field('/goal_clicks').fill('400');
  const days = (n: number): string => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
  await admin.page.locator('#field-start-date').fill(days(-5));
  await admin.page.locator('#field-end-date').fill(days(5));
  await save();
  await heading('With goals');
  const [, id] = /line_items\/(\d+)/.exec(admin.page.url())!;
  expect(await api('GET', `/line_items/${id}`)).toMatchObject({
    ...{ budget_type: 'VCPM', cpm: 8, rotation: 'optimised', pacing: 'Even' },
    ...{ goal_impressions: 100_000, goal_clicks: 400, frontload: 20 },
  });
  await admin.page.getByRole('img', { name: 'Goal of impressions: 0 of 100,000' }).waitFor();
  // Once each: what the status says is not said again beside the goal.
  const behind = [/Behind by 100%: 0 of 100,000 impressions, \d\d,\d{3} due by now\.$/, /Behind by 100%: 0 of 400 clicks/];
  for (const words of behind) {
    const said = admin.page.getByText(words);
    await said.waitFor();
    expect(await said.count()).toBe(1);
  }
});
