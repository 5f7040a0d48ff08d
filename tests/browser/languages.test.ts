import type { Browser, Page } from 'playwright-core';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { eventually } from '../../testkit/until.ts';
import { beyondOf, outsideOf } from './setup/faults-of-page.ts';
import { shootWidths } from './setup/shoot.ts';
import type { AdminPage } from './setup/start-admin.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startHouse, type House } from './setup/start-house.ts';

let browser: Browser;
let house: House;
let admin: AdminPage;

beforeAll(async () => {
  browser = await startBrowser();
  house = await startHouse(browser);
  await house.person('greta', ['administrator']);
  admin = await house.open('greta');
});

/** Words of English sentences that no German one has. */
const ENGLISH =
  /\b(the|and|of|for|with|without|is|are|were|it|its|this|that|these|they|you|your|not|no|from|to|be|has|have|what|which|who|when|where|any|each|then|there|here|below|never|every|yet|than|may|can|cannot|must|will)\b/gi;

/** What a reader, or a screen reader, finds in English on the screen. Names of records and code are not texts of the page. */
const englishOn = (page: Page, names: readonly string[]): Promise<readonly string[]> =>
  page.evaluate(
    ({ source, flags, names }) => {
      const english = new RegExp(source, flags);
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts: string[] = [];
      while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (parent && !parent.closest('code, script, noscript, style, ad-preview, [lang="en"], option[value*="/"], .brand'))
          texts.push(walker.currentNode.nodeValue ?? '');
      }
      const labels = [...document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')].flatMap((element) =>
        ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
      );
      return [...new Set([...texts, ...labels])]
        .map((text) => names.reduce((rest, name) => rest.replaceAll(name, ''), text).trim())
        .filter((text) => (text.match(english)?.length ?? 0) > 0);
    },
    { source: ENGLISH.source, flags: ENGLISH.flags, names },
  );

test('a person chooses German, and finds no English on the page, also after signing in elsewhere', async () => {
  const { page, go, troubles } = admin;
  await go('#/account');
  await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
  await page.getByRole('heading', { level: 1, name: 'Ihr Konto' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');

  const { campaign, lineItem, creative } = house.booked;
  const screens = {
    ...{ home: 'overview', list: 'line_items', campaigns: 'campaigns', one_campaign: `campaigns/${campaign}` },
    ...{
      form: `line_items/${lineItem}/edit`,
      report: 'reports',
      line_item: `line_items/${lineItem}`,
      one_creative: `creatives/${creative}`,
    },
    ...{
      publisher: 'publishers/new',
      placement: 'placements/new',
      advertiser: 'advertisers/new',
      bidder: 'bidders/new',
      timeline: 'timeline',
    },
    ...{
      finance: 'finance',
      test: 'test',
      alerts: 'alerts',
      complaints: 'complaints',
      history: 'history',
      people: 'people',
      invite: 'people/new',
    },
    ...{
      roles: 'roles',
      role: 'roles/new',
      token: 'tokens/new',
      inbox: 'inbox',
      approvals: 'approvals',
      links: 'report_links',
      files: 'files',
      account: 'account',
    },
    ...{ booking: 'campaigns/new', targeting: 'targetings/new', missing: 'campaigns/999999' },
  };
  // What publishers and operators write themselves, a country, and words of the trade.
  const { body } = await house.machine('GET', '/dimensions');
  const written = Object.values(body.properties as Readonly<Record<string, { description?: string; title: string }>>);
  const names = [
    'The Gazette',
    'Isle of Man',
    'Run of Site',
    'DE-BY',
    ...written.flatMap(({ title, description = '' }) => [description, title]),
  ];
  const english: Record<string, readonly string[]> = {};
  for (const [name, hash] of Object.entries(screens)) {
    await go(`#/${hash}`);
    await page.waitForLoadState('networkidle');
    if (name === 'booking') await page.getByText('ist mit Abrechnungsart CPM nötig').first().waitFor();
    const found = await englishOn(page, names);
    if (found.length > 0) english[name] = found;
    if (['home', 'list', 'form', 'report'].includes(name)) await shootWidths(page, `german-${name}`);
    if (['home', 'list', 'form', 'report'].includes(name)) {
      await page.setViewportSize({ width: 390, height: 844 });
      expect({ name, beyond: await beyondOf(page), outside: await outsideOf(page) }).toEqual({ name, beyond: [], outside: [] });
      await page.setViewportSize({ width: 1280, height: 900 });
    }
  }
  expect(english).toEqual({});

  // Another browser, which is in English until the page knows who it is.
  const elsewhere = await house.open('greta');
  await elsewhere.page.getByText('Abmelden').waitFor();
  await elsewhere.close();
  expect(troubles).toEqual([]);
});

test('how far a line item is behind its goal is said in German, with numbers as German writes them', async () => {
  const day = (offset: number): string => new Date(Date.now() + offset * MS_PER_DAY).toISOString().slice(0, 10);
  const flight = { start_date: day(-10), end_date: day(9) };
  const campaign = await house.machine('POST', '/campaigns', { publisher_id: house.booked.publisher.id, name: 'Stiefel', ...flight });
  const terms = { active: true, cpm: 4, goal_impressions: 10_000, pacing: 'Even', ...flight };
  const item = await house.machine('POST', '/line_items', { campaign_id: campaign.body.id, name: 'Stiefel', ...terms });
  const path = `/line_items/${item.body.id}/delivery`;
  await eventually(async () =>
    expect((await house.machine('GET', path)).body.status.behind).toMatch(/^Behind by 100%: 0 of 10,000 impressions/),
  );
  // Who has chosen German above.
  const { page, go, close } = await house.open('greta');
  await go(`#/line_items/${item.body.id}`);
  await page.getByText(/100\s%\sim\sRückstand: 0\svon\s10\.000\sImpressions, bis\sjetzt\sfällig/).waitFor();
  await close();
});

test('the page behind a report link is in the language of its reader', async () => {
  const { body: advertiser } = await house.machine('POST', '/advertisers', { name: 'Stiefel Nord' });
  await house.machine('PATCH', `/campaigns/${house.booked.campaign}`, { advertiser_id: advertiser.id });
  const asked = { advertiser_id: advertiser.id, query: 'group_by=day,campaign&metrics=impressions,clicks&range=last_7_days' };
  const { body: link } = await house.machine('POST', '/report_links', asked);
  for (const [locale, nothing, ended] of [
    ['de-AT', 'In diesen Tagen wurde nichts gezählt.', 'Der Link ist abgelaufen oder ungültig.'],
    ['fr-FR', 'Nothing was counted in these days.', 'The link has ended or is not valid.'],
  ] as const) {
    const context = await browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(`${house.replica.url}/static/report/#${link.token}`);
    await page.getByText(nothing).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale === 'de-AT' ? 'de' : 'en');
    if (locale === 'de-AT') expect(await englishOn(page, ['Stiefel Nord'])).toEqual([]);
    await shootWidths(page, `report-link-${locale}`);
    await page.goto('about:blank');
    await page.goto(`${house.replica.url}/static/report/#adsr_none`);
    await page.getByText(ended).waitFor();
    await context.close();
  }
});
