import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROBLEMS } from '../src/http/problems/problem.ts';
import { REMEDIES } from '../src/trafficking/openapi/remedies.ts';
import { startBrowser } from './browser/setup/start-browser.ts';
import { atEnd } from './setup/at-end.ts';
import { startReplica, type Replica } from './setup/start-replica.ts';
import { testDatabase } from './setup/test-database.ts';
import { testRedisUrl } from './setup/test-redis-url.ts';

const ROOT = path.resolve(__dirname, '..');
const SITE = path.join(ROOT, 'public/docs');
const read = (name: string): string => readFileSync(path.join(ROOT, 'docs', name), 'utf8');
const run = promisify(execFile);

let replica: Replica;
beforeAll(async () => {
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() } });
});

test('the commands of the tutorial book a campaign, request, count and explain an ad', async () => {
  const commands = [...read('tutorial.md').matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text);
  const folder = await mkdtemp(path.join(tmpdir(), 'ad-server-tutorial-'));
  atEnd(() => rm(folder, { recursive: true }));
  const script = ['set -eo pipefail', ...commands].join('\n');
  const { stdout } = await run('bash', ['-c', script], { cwd: folder, env: { ...process.env, API: replica.url } });
  const said = stdout.trim().split('\n');
  expect(said.slice(-6)).toEqual(['<b>Boots</b>', '200', '1', '9', 'frequency_capped', '503'].map((line) => expect.stringContaining(line)));
}, 120_000);

test('the page of errors has every code with its title and remedy', () => {
  const rows = read('errors.md').match(/^\| \d+ .*$/gm);
  expect(rows).toEqual(
    Object.entries(PROBLEMS).map(
      ([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} | ${REMEDIES[code as keyof typeof REMEDIES]} |`,
    ),
  );
});

test('the site is built without a dead link, and is served, searched and read in both colour schemes without another origin', async () => {
  // VitePress fails on a link that leads nowhere.
  await run(process.execPath, [path.join(ROOT, 'scripts/front-door.mjs'), 'docs'], { cwd: ROOT });
  expect(existsSync(path.join(SITE, 'index.html'))).toBe(true);
  const browser = await startBrowser();
  atEnd(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const foreign: string[] = [];
  const faults: string[] = [];
  page.on(
    'request',
    (request) => void (/^(data|blob):/.test(request.url()) || request.url().startsWith(replica.url) || foreign.push(request.url())),
  );
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  await page.goto(`${replica.url}/static/docs/`);
  await page.locator('.VPSidebar a', { hasText: 'Pacing' }).click();
  await page.locator('h1', { hasText: 'acing' }).waitFor();
  await page.locator('.VPNavBarSearch button').first().click();
  await page.locator('.search-input').fill('dead events');
  await page.locator('.result').first().waitFor();
  await page.keyboard.press('Escape');
  const background = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.locator('.VPNavBarAppearance button').click();
  expect(await background()).not.toBe(light);
  await page.setViewportSize({ width: 390, height: 800 });
  for (const name of ['lifecycle', 'api', 'operations']) {
    await page.goto(`${replica.url}/static/docs/${name}.html`);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  }
  expect([foreign, faults]).toEqual([[], []]);
}, 180_000);
