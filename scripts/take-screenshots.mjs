/*
 * Takes the screenshots of README.md, docs/prebid.md and docs/tags.md from a running service with
 * demonstration data and visitors (scripts/demo-traffic.mjs). Usage: node scripts/take-screenshots.mjs http://localhost:8787
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const [service = 'http://localhost:8787'] = process.argv.slice(2);
const image = (name) => fileURLToPath(new URL(`../docs/images/${name}.png`, import.meta.url));
const MODULES = ['prebidServerBidAdapter', 'nativeRendering', 'priceFloors'];

const { outputFiles } = await build({
  stdin: {
    contents: `import pbjs from 'prebid.js'; ${MODULES.map((name) => `import 'prebid.js/modules/${name}.js';`).join(' ')} pbjs.processQueue();`,
    resolveDir: fileURLToPath(new URL('..', import.meta.url)),
  },
  bundle: true,
  write: false,
  format: 'iife',
  logLevel: 'silent',
});

/** The two ways from Prebid.js: its own module for servers, and our adapter beside it. */
const WAYS = {
  server: {
    bidder: 'direct',
    script: '',
    config: {
      s2sConfig: {
        ...{ accountId: '1', bidders: ['direct'], adapter: 'prebidServer', enabled: true, timeout: 2000 },
        ...{ endpoint: `${service}/openrtb2/auction`, syncEndpoint: '' },
      },
    },
  },
  adapter: {
    bidder: 'adserver',
    script: `<script src="${service}/static/sdk/prebid-adapter.min.js" data-publisher-id="1"></script>`,
    config: {},
  },
};

/** An article whose leaderboard is sold by an auction of stock Prebid.js, with the bid beside it. */
const pageOf = ({ bidder, script, config }) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>An auction in the page</title>
<style>
  body { margin: 0; padding: 24px 36px 28px; font: 15px/1.5 system-ui, 'DejaVu Sans', sans-serif; color: #1a1c20; background: #fffefa }
  small { color: #6a6a6a } h1 { margin: 18px 0 2px; font: 30px/1.2 Georgia, 'DejaVu Serif', serif } h2 { margin: 22px 0 6px; font-size: 14px }
  iframe { display: block; border: 0 } table { border-collapse: collapse; font-size: 13px }
  th, td { padding: 5px 18px 5px 0; text-align: left; border-bottom: 1px solid #dcdcd6 } code { font-size: 12px }
</style>
<small>Advertisement</small><iframe id="ad" width="728" height="90" title="Advertisement"></iframe>
<h1>The last ferry keeps its lights on</h1><small>From our newsroom · 6 minutes to read</small>
<h2>What Prebid.js received</h2><table id="bids"></table>
<script>${outputFiles[0].text.replaceAll('</script', '<\\/script')}</script>
${script}
<script>
  pbjs.que.push(async () => {
    pbjs.setConfig(${JSON.stringify(config)});
    const { bids } = await pbjs.requestBids({ timeout: 3000, adUnits: [{
      code: 'article-top', mediaTypes: { banner: { sizes: [[728, 90]] } },
      bids: [{ bidder: '${bidder}', params: { placement: 'article-top' } }],
    }] });
    const [won] = bids['article-top'].bids;
    const shown = { bidder: won.bidder, cpm: won.cpm + ' ' + won.currency, size: won.size, creativeId: won.creativeId,
      'meta.advertiserDomains': won.meta.advertiserDomains.join(', '), ttl: won.ttl + ' s', timeToRespond: won.timeToRespond + ' ms' };
    for (const [name, value] of Object.entries(shown)) {
      const row = document.getElementById('bids').insertRow();
      row.innerHTML = '<th><code></code><td>';
      row.querySelector('code').textContent = name;
      row.cells[1].textContent = value;
    }
    const frame = document.getElementById('ad').contentDocument;
    pbjs.renderAd(frame, won.adId);
    frame.body.style.margin = '0';
    document.body.dataset.done = '';
  });
</script>`;

const site = createServer(({ url }, response) =>
  response.setHeader('Content-Type', 'text/html').end(pageOf(WAYS[url.slice(1)] ?? WAYS.adapter)),
);
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://localhost:${site.address().port}`;
const publisher = async (method, body) => {
  const answer = await fetch(`${service}/api/publishers/1`, {
    method,
    headers: { 'Content-Type': 'application/merge-patch+json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} /api/publishers/1 answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
};

/** Opens a screen of the tool, and waits until all of it is read. */
const openScreen = async (hash, look) => {
  const page = await browser.newPage(look);
  await page.goto(`${service}/static/admin.html${hash}`, { waitUntil: 'networkidle' });
  await page.locator('.screen .card').first().waitFor();
  await page.locator('.loading').first().waitFor({ state: 'detached' });
  await page.waitForTimeout(500);
  return page;
};

const { origins } = await publisher('GET');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
try {
  await publisher('PATCH', { origins: [origin] });
  for (const [way, name] of [
    ['server', 'prebid-server-bid'],
    ['adapter', 'prebid-bid'],
  ]) {
    const prebid = await browser.newPage({ viewport: { width: 840, height: 500 } });
    await prebid.goto(`${origin}/${way}`);
    await prebid.locator('body[data-done]').waitFor();
    await prebid.waitForTimeout(500);
    await prebid.screenshot({ path: image(name) });
  }
  // High enough for the whole page: its bars stay at the edges of the window.
  const tags = await openScreen('#/placements/article-top', { viewport: { width: 1080, height: 3200 } });
  for (const title of ['Frame', 'E-mail']) await tags.locator('summary', { hasText: title }).click();
  await tags
    .locator('section, article, .card')
    .filter({ has: tags.getByRole('heading', { name: 'Tags' }) })
    .last()
    .screenshot({ path: image('placement-tags') });
  // One that has a story: the large demonstration has some that are behind.
  const { groups } = await (await fetch(`${service}/api/attention`)).json();
  const told = groups.find(({ kind }) => kind === 'behind')?.rows[0]?.id ?? 1;
  const item = await openScreen(`#/line_items/${told}`, { viewport: { width: 1200, height: 1000 } });
  await item.getByText('From a replay of all bookings').waitFor({ timeout: 300_000 });
  await item.screenshot({ path: image('trafficking-line-item') });
  const test = await openScreen('#/test', { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' });
  await test.getByRole('button', { name: 'Ask for an ad' }).click();
  await test.getByText('The decision').waitFor();
  await test.evaluate('scrollTo(0, 0)');
  await test.waitForTimeout(500);
  await test.screenshot({ path: image('trafficking-test-an-ad') });
} finally {
  await publisher('PATCH', { origins });
  await browser.close();
  site.close();
}
