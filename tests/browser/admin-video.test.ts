import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { eventually } from '../../testkit/until.ts';
import { shootSchemes, shootWidths } from './setup/shoot.ts';
import { FLIGHT } from './setup/start-admin.ts';
import { useAdmin } from './setup/use-admin.ts';

const FILE = readFileSync(path.join(__dirname, '../uploads/media/colours.mp4'));

const desk = useAdmin();

/** Whether the player of a frame plays, and to where. */
const playedIn = async (frame: Frame): Promise<number> =>
  frame.evaluate(async () => {
    const video = document.querySelector('video');
    if (!video) return -1;
    video.muted = true;
    await video.play().catch(() => undefined);
    return video.currentTime;
  });
const playerFrame = async (): Promise<Frame> => {
  const handle = await desk.admin.page.locator('ad-preview iframe').first().elementHandle();
  return (await handle.contentFrame())!;
};

test('a video is uploaded, shown with what was read from it, played, and its placement has a tag that plays it uncounted', async () => {
  const publisher = await desk.api('POST', '/publishers', {
    name: 'The Gazette',
    domain: 'localhost',
    origins: ['https://gazette.example'],
  });
  await desk.api('POST', '/placements', { id: 'pre-roll', width: 640, height: 360, formats: ['video'], publisher_id: publisher.id });
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Film', ...FLIGHT });
  const booked = { campaign_id: campaign.id, name: 'Film', active: true, budget_type: 'CPCV', cpcv: 0.02, ...FLIGHT };
  const item = await desk.api('POST', '/line_items', booked);
  const { page } = desk.admin;

  await desk.admin.go(`#/creatives/new?line_item_id=${item.id}&placement_id=pre-roll`);
  await page.locator('.file-drop input[type=file]').first().setInputFiles({ name: 'colours.mp4', mimeType: 'video/mp4', buffer: FILE });
  const row = page.locator('.media-file');
  await row.waitFor();
  expect(await row.innerText()).toMatch(/^[0-9a-f]{8}….mp4 video\/mp4, \d+ × \d+, [\d,]+ kbit\/s, [\w.]+.*, \d+ KB$/);
  expect(Number(await page.locator('#field-duration').inputValue())).toBeGreaterThan(0);
  await eventually(async () => expect(await playedIn(await playerFrame())).toBeGreaterThan(0));
  await shootWidths(page, 'video-creative');
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('heading', { level: 1, name: 'colours' }).waitFor();
  const [creative] = (await desk.api('GET', `/creatives?line_item_id=${item.id}`)) as unknown as { content: string }[];
  expect(JSON.parse(creative!.content)).toMatchObject({ duration: expect.any(Number), media: [{ type: 'video/mp4', bytes: FILE.length }] });

  await desk.admin.go('#/placements/pre-roll');
  // It has no picture to show.
  await page.locator('.thumbnail.word', { hasText: 'video' }).waitFor();
  const tag = await page.locator('pre.code').innerText();
  expect(tag).toBe(
    `${desk.replica.url}/vast?publisher_id=${publisher.id}&placement=pre-roll&page=[PAGEURL]&n=[IFA]&gdpr_consent=[GDPRCONSENT]&gpp=[GPPSTRING]&gpp_sid=[GPPSECTIONID]&cb=[CACHEBUSTING]`,
  );
  const answer = await fetch(tag.replace(desk.replica.url, desk.replica.url), { headers: { Origin: 'https://gazette.example' } });
  expect([answer.status, (await answer.text()).includes('<MediaFile')]).toEqual([200, true]);
  await shootWidths(page, 'video-tag');
  await page.getByText('Play an ad of this placement').click();
  await page.getByRole('heading', { level: 1, name: 'Test an ad' }).waitFor();
  await page.locator('form button[type=submit]').first().click();
  await page.locator('ad-preview iframe').waitFor();
  await eventually(async () => expect(await playedIn(await playerFrame())).toBeGreaterThan(0));
  await shootWidths(page, 'video-test');
});

test('a sound is no video, and what is not read from a file is typed', async () => {
  const publisher = await desk.api('POST', '/publishers', { name: 'Radio', domain: 'radio.example' });
  await desk.api('POST', '/placements', { id: 'spot', width: 300, height: 60, formats: ['video'], publisher_id: publisher.id });
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Spots', ...FLIGHT });
  const item = await desk.api('POST', '/line_items', { campaign_id: campaign.id, name: 'Spots', active: true, cpm: 2, ...FLIGHT });
  const { page } = desk.admin;
  await desk.admin.go(`#/creatives/new?line_item_id=${item.id}&placement_id=spot`);
  const vtt = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nBoots\n');
  await page.locator('.file-drop input[type=file]').first().setInputFiles({ name: 'a.vtt', mimeType: 'text/vtt', buffer: vtt });
  await page.getByText('is no video.').waitFor();
  await page.getByText('+ Add a file by its address').click();
  await page.getByLabel('Address of file 1').fill('https://cdn.example.com/boots.m3u8');
  await page.getByLabel('Address of file 1').blur();
  await page.getByLabel('Type of file 1').selectOption('application/x-mpegURL');
  await page.getByLabel('Width of file 1').fill('1280');
  await page.getByLabel('Height of file 1').fill('720');
  await page.locator('#field-duration').fill('15.5');
  await page.locator('#field-skip-after').fill('5');
  await page.locator('#field-name').fill('Boots');
  await page.getByText('Browsers play manifests with a library only').waitFor();
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('heading', { level: 1, name: 'Boots' }).waitFor();
  const [creative] = (await desk.api('GET', `/creatives?line_item_id=${item.id}`)) as unknown as { content: string }[];
  expect(JSON.parse(creative!.content)).toEqual({
    ...{ duration: 15.5, skip_after: 5 },
    media: [{ url: 'https://cdn.example.com/boots.m3u8', type: 'application/x-mpegURL', width: 1280, height: 720 }],
  });
});

test('companions, an end card, icons, measurement and interaction are a form, and come with the video', async () => {
  const publisher = await desk.api('POST', '/publishers', { name: 'Shows', domain: 'localhost', origins: ['https://shows.example'] });
  await desk.api('POST', '/placements', { id: 'show', width: 640, height: 360, formats: ['video'], publisher_id: publisher.id });
  const campaign = await desk.api('POST', '/campaigns', { publisher_id: publisher.id, name: 'Coats', ...FLIGHT });
  const item = await desk.api('POST', '/line_items', { campaign_id: campaign.id, name: 'Coats', active: true, cpm: 2, ...FLIGHT });
  const { page } = desk.admin;
  await desk.admin.go(`#/creatives/new?line_item_id=${item.id}&placement_id=show`);
  await page.locator('.file-drop input[type=file]').first().setInputFiles({ name: 'coats.mp4', mimeType: 'video/mp4', buffer: FILE });
  await page.locator('.media-file').waitFor();
  const type = async (group: string, values: Readonly<Record<string, string>>): Promise<void> => {
    for (const [label, value] of Object.entries(values)) {
      const one = page.getByRole('group', { name: group }).getByRole('textbox', { name: label });
      await one.fill(value);
      await one.blur();
    }
  };
  await page.locator('summary', { hasText: 'Companions and end card' }).click();
  await page.getByText('+ Add a companion').click();
  const alternative = page.getByRole('group', { name: 'Companion 1' }).getByLabel('Alternative text');
  await alternative.fill('Half a wo');
  // The page is drawn again while she types.
  await page.locator('#field-name').dispatchEvent('input');
  expect(await alternative.inputValue()).toBe('Half a wo');
  await type('Companion 1', { 'Address of the picture': 'https://cdn.example.com/side.png', 'Alternative text': 'Coats' });
  await page.getByText('+ Add a companion').click();
  const card = page.getByRole('group', { name: 'Companion 2' });
  await card.getByLabel('What it is').selectOption('markup');
  await card.getByLabel('Where it is shown').selectOption('over the player at the end');
  await type('Companion 2', {
    Markup: '<b>Coats, now</b>',
    Width: '640',
    Height: '360',
    'Its own landing page': 'https://coats.example/now',
  });
  await page.getByText('+ Add a companion').click();
  await page.getByRole('button', { name: 'Remove companion 3' }).click();
  await page.locator('summary', { hasText: 'Icons over the picture' }).click();
  await page.getByText('+ Add an icon').click();
  await type('Icon 1', {
    'Address of the picture': 'https://icons.example/a.svg',
    'Pixels from the left': '12',
    'Page that it opens': 'https://icons.example/why',
  });
  await page.locator('summary', { hasText: 'Measurement, interaction' }).click();
  await page.getByText('+ Add a measuring script').click();
  await type('Measuring script 1', { Vendor: 'measurer.example-omid', 'Address of the script': 'https://measurer.example/omid.js' });
  await page.getByLabel('Interactive creative (SIMID)').fill('https://cdn.example.com/simid.html');
  await page.getByLabel('Registry of the universal ad id').fill('ad-id.org');
  await page.getByLabel('Universal ad id', { exact: true }).fill('CNPA0484000H');
  await page.getByLabel('Universal ad id', { exact: true }).blur();
  await shootSchemes(page, 'video-extras');
  await shootWidths(page, 'video-extras');
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('heading', { level: 1, name: 'coats' }).waitFor();
  const [creative] = (await desk.api('GET', `/creatives?line_item_id=${item.id}`)) as unknown as { content: string }[];
  expect(JSON.parse(creative!.content)).toMatchObject({
    companions: [
      { width: 300, height: 250, image: 'https://cdn.example.com/side.png', alt: 'Coats' },
      { width: 640, height: 360, html: '<b>Coats, now</b>', rendering: 'end-card', click_url: 'https://coats.example/now' },
    ],
    icons: [
      {
        program: 'AdChoices',
        width: 20,
        height: 20,
        x: 12,
        image: 'https://icons.example/a.svg',
        click_url: 'https://icons.example/why',
      },
    ],
    verifications: [{ vendor: 'measurer.example-omid', script: 'https://measurer.example/omid.js' }],
    universal_ad_id: { registry: 'ad-id.org', id: 'CNPA0484000H' },
    interactive: 'https://cdn.example.com/simid.html',
  });
  const query = `publisher_id=${publisher.id}&placement=show`;
  const answer = await fetch(`${desk.replica.url}/vast?${query}`, { headers: { Origin: 'https://shows.example' } });
  const vast = await answer.text();
  for (const part of ['renderingMode="end-card"', 'xPosition="12"', 'vendor="measurer.example-omid"', 'simid.html', 'CNPA0484000H'])
    expect(vast).toContain(part);
});

test('the rules of a player and the breaks of its film are a form, drawn on a line, with a tag for each kind of player', async () => {
  const publisher = await desk.api('POST', '/publishers', { name: 'Films', domain: 'films.example', origins: ['https://films.example'] });
  const { page } = desk.admin;
  await desk.admin.go(`#/placements/new?publisher_id=${publisher.id}`);
  await page.locator('#field-id').fill('film');
  await page.locator('#field-width').fill('1280');
  await page.locator('#field-height').fill('720');
  await page.getByText('VAST 4.2, unless').waitFor({ state: 'detached' });
  for (const format of ['HTML', 'Banner']) await page.getByRole('checkbox', { name: format }).uncheck();
  await page.getByRole('checkbox', { name: 'Video' }).check();
  await page.getByLabel('Where it plays').selectOption('before a film');
  await page.getByLabel('Skipping').selectOption('only skippable ads');
  await page.getByLabel('What it reads').selectOption('VAST 3.0');
  await page.getByLabel('Longest ad').fill('30');
  await page.getByLabel('Lowest bid for each second').fill('0.25');
  await page.getByLabel('video/mp4').check();
  for (const [at, moment] of ['start', '00:10:00', '75%', 'end'].entries()) {
    await page.getByText('+ Add a break').click();
    await page.getByLabel(`Moment of break ${at + 1}`).fill(moment);
  }
  await page.getByLabel('Number of ads of break 2').fill('3');
  await page.getByLabel('Seconds of break 2').fill('90');
  const line = page.getByRole('img', {
    name: 'The breaks of the film: start: 2 × in 60 s; 00:10:00: 3 × in 90 s; 75%: 2 × in 60 s; end: 2 × in 60 s',
  });
  await line.waitFor();
  expect(await line.locator('svg').evaluateAll((all) => all.map((one) => one.querySelectorAll('rect').length))).toEqual([2, 3, 2, 2]);
  await shootSchemes(page, 'player-form');
  await page.getByLabel('Moment of break 3').fill('noon');
  await page.locator('.save-bar button[type=submit]').click();
  await page
    .getByText(/Player › breaks › at|breaks/)
    .first()
    .waitFor();
  await page.getByLabel('Moment of break 3').fill('75%');
  await page.locator('.save-bar button[type=submit]').click();
  await page.getByRole('heading', { level: 1, name: 'film' }).waitFor();
  expect(await desk.api('GET', '/placements/film')).toMatchObject({
    video: {
      ...{ position: 'pre', skip: 'required', vast: '3.0', max_duration: 30, min_cpm_per_second: 0.25, mimes: ['video/mp4'] },
      breaks: [
        { at: 'start', max_ads: 2, max_duration: 60 },
        { at: '00:10:00', max_ads: 3, max_duration: 90 },
        { at: '75%', max_ads: 2, max_duration: 60 },
        { at: 'end', max_ads: 2, max_duration: 60 },
      ],
    },
  });
  await page.locator('summary', { hasText: 'VMAP' }).click();
  await page.locator('pre.code', { hasText: `${desk.replica.url}/vmap?publisher_id=${publisher.id}&placement=film` }).waitFor();
  await shootWidths(page, 'player-tags');
});
