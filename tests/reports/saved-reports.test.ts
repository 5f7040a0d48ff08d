import { createHmac } from 'node:crypto';
import { eventually } from '../../testkit/until.ts';
import { startMailSink, startWebhookReceiver, type WebhookReceiver } from '../setup/start-receivers.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { apiOf, book, each, type ApiCall, type Booked } from '../api/api-client.ts';
import { withKnex } from '../../testkit/book.ts';

let replica: Replica;
let api: ApiCall;
let databaseUrl: string;
let env: Record<string, string>;
let booked: Booked;
let advertiser: number;
let mailbox: Awaited<ReturnType<typeof startMailSink>>;
let hook: WebhookReceiver;

beforeAll(async () => {
  [mailbox, hook] = await Promise.all([startMailSink(), startWebhookReceiver()]);
  databaseUrl = await testDatabase();
  env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), SMTP_URL: mailbox.url, SMTP_FROM: 'Ads <ads@gazette.example>' };
  replica = await startReplica({ env });
  api = apiOf(replica.url);
  booked = await book(api, 'saved');
  advertiser = (await api('POST', '/advertisers', { name: 'Boots' })).body.id;
  await api('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
  const row = {
    day: new Date().toISOString().slice(0, 10),
    publisher_id: booked.publisher.id,
    creative_id: 1,
    placement_id: 'saved',
    reason: '',
  };
  await withKnex(databaseUrl, (knex) =>
    knex('report_days').insert([
      { ...row, campaign_id: booked.campaign, line_item_id: booked.lineItem, impressions: 4321 },
      { ...row, campaign_id: 999_999, line_item_id: 999_999, impressions: 77 },
    ]),
  );
});

const QUERY = 'group_by=campaign&metrics=impressions&range=today';
const daily = { every: 'day', hour: 7, time_zone: 'Europe/Berlin' };
const save = async (schedule: object | null, name = 'Morning') => {
  const { status, body } = await api('POST', '/saved_reports', { name, query: QUERY, schedule });
  expect([status, body.errors]).toEqual([201, undefined]);
  return body;
};

test('a saved report is read, replaced and deleted, and the next time of its schedule is in its zone', async () => {
  const saved = await save({ ...daily, emails: ['sales@gazette.example'] });
  expect(saved).toMatchObject({ name: 'Morning', owner: 'anonymous', query: QUERY, schedule: { ...daily, format: 'csv', webhook: null } });
  const due = new Date(saved.due_at);
  expect(due.toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('07:00:00');
  expect(due.getTime()).toBeGreaterThan(Date.now());
  const monthly = { ...saved.schedule, every: 'month' };
  const replaced = (await api('PUT', `/saved_reports/${saved.id}`, { ...saved, schedule: monthly })).body;
  expect(new Date(replaced.due_at).toLocaleDateString('en-GB', { timeZone: 'Europe/Berlin', day: 'numeric' })).toBe('1');
  expect(each((await api('GET', '/saved_reports')).body, 'id')).toContain(saved.id);
  expect((await api('DELETE', `/saved_reports/${saved.id}`)).status).toBe(204);
  expect((await api('GET', `/saved_reports/${saved.id}`)).status).toBe(404);
});

test.each([
  [{ name: '', query: QUERY }, ['/name']],
  [{ name: 'x', query: 'group_by=colour' }, ['/query']],
  [{ name: 'x', query: QUERY, schedule: { every: 'day' } }, ['/schedule']],
  [{ name: 'x', query: QUERY, schedule: { every: 'fortnight', emails: ['a@b.example'] } }, ['/schedule/every']],
  [{ name: 'x', query: QUERY, schedule: { every: 'day', emails: ['a@b.example\r\nBcc: c@d.example'] } }, ['/schedule/emails/0']],
  [{ name: 'x', query: QUERY, schedule: { every: 'day', time_zone: 'Mars/Olympus', emails: ['a@b.example'] } }, ['/schedule/time_zone']],
  [{ name: 'x', query: QUERY, schedule: { every: 'day', webhook: 'http://169.254.169.254/latest' } }, ['/schedule/webhook']],
])('%j is refused', async (record, pointers) => {
  const { status, body } = await api('POST', '/saved_reports', record);
  expect([status, each(body.errors ?? [], 'pointer')]).toEqual([400, pointers]);
});

test('a query that GET /api/reports answers can be saved, whatever its days are', async () => {
  const from = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
  const { status, body } = await api('POST', '/saved_reports', { name: 'Since then', query: `from=${from}` });
  expect([status, body.errors]).toEqual([201, undefined]);
});

test('a due report is sent once, by mail with the file, and by a signed webhook', async () => {
  const saved = await save({ ...daily, emails: ['sales@gazette.example', 'boss@gazette.example'], webhook: hook.url });
  expect(saved.webhook_secret).toMatch(/^[\w-]{43}$/);
  expect((await api('GET', `/saved_reports/${saved.id}`)).body.webhook_secret).toBeUndefined();
  expect((await api('POST', `/saved_reports/${saved.id}/send`)).status).toBe(202);
  await eventually(async () => {
    const { body } = await api('GET', `/saved_reports/${saved.id}`);
    expect([body.last_fault, typeof body.last_at]).toEqual([null, 'string']);
  });
  const sent = (await api('GET', `/saved_reports/${saved.id}`)).body;
  expect(new Date(sent.due_at).getTime()).toBeGreaterThan(Date.now());
  const [mail] = mailbox.mails;
  expect([mailbox.mails.length, mail?.to]).toEqual([1, ['sales@gazette.example', 'boss@gazette.example']]);
  expect(mail?.text).toMatch(/Subject: Morning: \d{4}-/);
  expect(mail?.text).toContain('.csv');
  const [call] = hook.calls;
  expect([hook.calls.length, call?.body]).toEqual([1, expect.stringContaining('Autumn,4321')]);
  const [, seconds = '', given = ''] = /^t=(\d+),v1=(\w+)$/.exec(String(call?.headers['x-report-signature'])) ?? [];
  expect(given).toBe(createHmac('sha256', saved.webhook_secret).update(`${seconds}.${call?.body}`).digest('hex'));
  await api('DELETE', `/saved_reports/${saved.id}`);
});

test('what fails says why and is tried again, under the same id', async () => {
  const before = hook.calls.length;
  hook.answers.push(500);
  const saved = await save({ ...daily, format: 'json', webhook: hook.url }, 'Fragile');
  await api('POST', `/saved_reports/${saved.id}/send`);
  await eventually(async () => expect((await api('GET', `/saved_reports/${saved.id}`)).body.last_fault).toBe('The webhook answered 500.'));
  // The first retry comes after a minute.
  await withKnex(databaseUrl, (knex) => knex('saved_reports').where({ id: saved.id }).update({ try_at: knex.fn.now() }));
  await eventually(async () => expect((await api('GET', `/saved_reports/${saved.id}`)).body.last_fault).toBeNull());
  const calls = hook.calls.slice(before);
  expect(new Set(calls.map(({ headers }) => headers['x-report-id'])).size).toBe(1);
  expect(calls).toHaveLength(2);
  expect(JSON.parse(calls[1]?.body ?? '').rows).toContainEqual({ campaign_id: booked.campaign, campaign: 'Autumn', impressions: 4321 });
  await api('DELETE', `/saved_reports/${saved.id}`);
  const full = await save({ ...daily, emails: ['full@gazette.example'] }, 'Full');
  await api('POST', `/saved_reports/${full.id}/send`);
  await eventually(async () =>
    expect((await api('GET', `/saved_reports/${full.id}`)).body.last_fault).toMatch(/mailbox is full|recipients/),
  );
  await api('DELETE', `/saved_reports/${full.id}`);
});

test('a webhook that fails neither withholds the mail nor repeats it, and the other way round', async () => {
  const sentTo = (address: string) => mailbox.mails.filter(({ to }) => to.includes(address)).length;
  const sendNow = async (schedule: object) => {
    const { id } = await save({ ...daily, ...schedule, webhook: hook.url }, 'Both');
    await api('POST', `/saved_reports/${id}/send`);
    await eventually(async () => expect(typeof (await api('GET', `/saved_reports/${id}`)).body.last_fault).toBe('string'));
    return { id, fault: (await api('GET', `/saved_reports/${id}`)).body.last_fault };
  };
  const again = (id: number) =>
    withKnex(databaseUrl, (knex) => knex('saved_reports').where({ id }).update({ try_at: knex.fn.now(), last_fault: 'old' }));

  hook.answers.push(503);
  const called = hook.calls.length;
  const first = await sendNow({ emails: ['both@gazette.example'] });
  expect(first.fault).toBe('The webhook answered 503.');
  expect([sentTo('both@gazette.example'), hook.calls.length - called]).toEqual([1, 1]);
  await again(first.id);
  await eventually(async () => expect((await api('GET', `/saved_reports/${first.id}`)).body.last_fault).toBeNull());
  expect([sentTo('both@gazette.example'), hook.calls.length - called]).toEqual([1, 2]);
  // The next time of the schedule goes both ways again.
  await api('POST', `/saved_reports/${first.id}/send`);
  await eventually(() => expect([sentTo('both@gazette.example'), hook.calls.length - called]).toEqual([2, 3]));
  await api('DELETE', `/saved_reports/${first.id}`);

  const second = await sendNow({ emails: ['full@gazette.example'] });
  expect(hook.calls.length - called).toBe(4);
  await again(second.id);
  await eventually(async () => expect((await api('GET', `/saved_reports/${second.id}`)).body.last_fault).toBe(second.fault));
  expect(hook.calls.length - called).toBe(4);
  await api('DELETE', `/saved_reports/${second.id}`);
});

describe('a read-only link', () => {
  const shared = (token: string, path = '/shared_report') =>
    fetch(`${replica.url}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  const issue = async (query = QUERY) => (await api('POST', '/report_links', { advertiser_id: advertiser, query, days: 1 })).body;

  it('shows the figures of its advertiser, whatever its parameters or the caller say', async () => {
    const { token, url } = await issue();
    expect(url).toBe(`/static/report/#${token}`);
    const answer = await shared(token);
    expect(decodeURIComponent(answer.headers.get('x-report-title') ?? '')).toBe('Boots');
    expect((await answer.json()).rows).toEqual([{ campaign_id: booked.campaign, campaign: 'Autumn', impressions: 4321 }]);
    const other = await issue(`${QUERY}&filter[advertiser]=12345`);
    expect((await (await shared(other.token, '/shared_report?group_by=publisher&filter[advertiser]=1')).json()).group_by).toEqual([
      'campaign',
    ]);
    expect(await (await shared(token, '/shared_report?format=csv')).text()).toContain('Autumn,4321');
    const refused = await shared(token, '/shared_report?format=pdf&limit=0');
    expect([refused.status, each((await refused.json()).errors, 'pointer')]).toEqual([400, ['/format', '/limit']]);
  });

  it('has the campaigns of its report with flight, creatives and publisher, and only figures that the report has', async () => {
    await api('PATCH', `/publishers/${booked.publisher.id}`, { logo: 'https://gazette.example/logo.svg' });
    await api('PATCH', `/line_items/${booked.lineItem}`, { goal_impressions: 10_000 });
    const { token } = await issue();
    const around = async (of: string) => (await shared(of, '/shared_report/campaigns')).json();
    const { publishers, campaigns } = await around(token);
    expect(publishers).toEqual([{ name: 'The Gazette', domain: 'gazette.example', logo: 'https://gazette.example/logo.svg' }]);
    const creatives = [expect.objectContaining({ width: 300, height: 250, markup: expect.stringContaining('<b>ad</b>') })];
    expect(campaigns).toEqual([expect.objectContaining({ name: 'Autumn', goal: 10_000, impressions: 4321, clicks: 0, creatives })]);
    expect(campaigns[0].days).toEqual([{ day: expect.any(String), impressions: 4321, clicks: 0 }]);
    const clicks = await issue(QUERY.replace('metrics=impressions', 'metrics=clicks'));
    expect((await around(clicks.token)).campaigns[0]).toMatchObject({ goal: null, impressions: 0, days: [], creatives });
    expect((await around(`${token}x`)).code).toBe('invalid_link');
  });

  it('shows the screenshots of a campaign, which are checked, and kept while they are shown', async () => {
    const bytes = { 'Content-Type': 'application/octet-stream' };
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="900"/>';
    const { body: file } = await api('PUT', `/assets?publisher_id=${booked.publisher.id}&name=seen.svg`, svg, bytes);
    const set = (screenshots: readonly object[]) => api('PATCH', `/campaigns/${booked.campaign}`, { screenshots });
    const screenshot = { picture: file.url, day: '2026-11-12', caption: 'Home page, phone' };
    for (const [wrong, pointer] of [
      [{ ...screenshot, picture: 'https://elsewhere.example/a.png' }, '/screenshots/0/picture'],
      [{ ...screenshot, day: 'Thursday' }, '/screenshots/0/day'],
      [{ ...screenshot, picture: `/static/assets/${'0'.repeat(64)}.png` }, '/screenshots'],
    ] as const) {
      const { status, body } = await set([wrong]);
      expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
    }
    expect((await set([screenshot])).body.screenshots).toEqual([screenshot]);
    const { token } = await issue();
    const { campaigns } = await (await shared(token, '/shared_report/campaigns')).json();
    expect(campaigns[0].screenshots).toEqual([screenshot]);
    const { status, body } = await api('DELETE', `/assets/${file.sha256}`);
    expect([status, body.detail]).toEqual([409, `The file is a screenshot of campaigns: ${booked.campaign}.`]);
    const copy = await api('POST', `/campaigns/${booked.campaign}/duplicate`);
    expect(copy.body.screenshots).toEqual([]);
    await set([]);
    expect((await api('DELETE', `/assets/${file.sha256}`)).status).toBe(204);
  });

  it('is refused when it is forged, expired or of another kind, and opens nothing else', async () => {
    const { id, token } = await issue();
    const expired = await issue();
    const past = new Date(Date.now() - 1000);
    await withKnex(databaseUrl, (knex) => knex('report_links').where({ id: expired.id }).update({ expires_at: past }));
    const grant = (await api('POST', '/debug_grants', { publisher_id: booked.publisher.id })).body.token;
    const forged = `adsr_${'0'.repeat(56)}`;
    for (const wrong of ['', 'x', expired.token, forged, grant, String(token).slice(0, -2)]) {
      const answer = await shared(wrong);
      expect([answer.status, (await answer.json()).code]).toEqual([401, 'invalid_link']);
    }
    expect((await fetch(`${replica.url}/impression?t=${token}`)).status).toBe(401);
    const unused = (await api('GET', '/report_links')).body as { id: number; last_used_at: string | null }[];
    expect(unused.find((one) => one.id === id)?.last_used_at).toBeNull();
  });

  it('is listed with who made it and its last use, without its token, and revoked at once on every replica', async () => {
    const { id, token, prefix } = await issue();
    const other = await startReplica({ env });
    const ask = (url: string) => fetch(`${url}/shared_report`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await ask(other.url)).status).toBe(200);
    const { body: links } = await api('GET', '/report_links');
    expect(links[0]).toMatchObject({
      id,
      prefix,
      advertiser_id: advertiser,
      title: 'Boots',
      query: QUERY,
      publishers: null,
      revoked_at: null,
    });
    expect([links[0].created_by, typeof links[0].last_used_at, JSON.stringify(links).includes(token)]).toEqual([
      'anonymous',
      'string',
      false,
    ]);
    expect((await api('DELETE', `/report_links/${id}`)).status).toBe(204);
    expect(await Promise.all([replica.url, other.url].map(async (url) => (await ask(url)).status))).toEqual([401, 401]);
    expect((await api('DELETE', `/report_links/${id}`)).status).toBe(404);
    expect((await api('GET', '/report_links')).body[0].revoked_at).not.toBeNull();
    const lines = (await api('GET', `/audit?entity=report_link&entity_id=${id}`)).body;
    expect(each(lines, 'action')).toEqual(['delete']);
  });

  it('is not made for an unknown advertiser, or for figures that an advertiser does not have', async () => {
    for (const [body, pointer] of [
      [{ advertiser_id: 4_000, query: QUERY }, '/advertiser_id'],
      [{ advertiser_id: 2 ** 40, query: QUERY }, '/advertiser_id'],
      [{ advertiser_id: advertiser, query: 'metrics=requests' }, '/query'],
      [{ advertiser_id: advertiser, query: QUERY, days: 1000 }, '/days'],
    ] as const) {
      const answer = await api('POST', '/report_links', body);
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
    }
  });
});
