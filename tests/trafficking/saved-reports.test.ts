import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { createReportLinks } from '../../src/trafficking/reports/report-links.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startReplica, TOKEN_SECRET, type Replica } from '../setup/start-replica.ts';
import { apiOf, book, each, type ApiCall, type Booked } from './api-client.ts';
import { withKnex } from '../../testkit/book.ts';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

let replica: Replica;
let api: ApiCall;
let databaseUrl: string;
let booked: Booked;
let advertiser: number;
const mails: { readonly to: readonly string[]; readonly text: string }[] = [];
const calls: Received[] = [];
/** Answers of the webhook; 200 when there are none left. */
const answers: number[] = [];
let webhook = '';

beforeAll(async () => {
  const sink = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => done(address.startsWith('full@') ? new Error('The mailbox is full') : undefined),
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text: Buffer.concat(parts).toString() });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise<void>((resolve) => sink.close(() => resolve())));
  const receiver = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      calls.push({ headers: req.headers, body: Buffer.concat(parts) });
      res.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  atEnd(() => void receiver.close());
  webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?team=1`;
  databaseUrl = await testDatabase();
  const smtp = `smtp://127.0.0.1:${(sink.server.address() as AddressInfo).port}`;
  replica = await startReplica({
    env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), SMTP_URL: smtp, SMTP_FROM: 'Ads <ads@gazette.example>' },
  });
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

test('a due report is sent once, by mail with the file, and by a signed webhook', async () => {
  const saved = await save({ ...daily, emails: ['sales@gazette.example', 'boss@gazette.example'], webhook });
  expect(saved.webhook_secret).toMatch(/^[\w-]{43}$/);
  expect((await api('GET', `/saved_reports/${saved.id}`)).body.webhook_secret).toBeUndefined();
  expect((await api('POST', `/saved_reports/${saved.id}/send`)).status).toBe(202);
  await eventually(async () => {
    const { body } = await api('GET', `/saved_reports/${saved.id}`);
    expect([body.last_fault, typeof body.last_at]).toEqual([null, 'string']);
  }, 30_000);
  const sent = (await api('GET', `/saved_reports/${saved.id}`)).body;
  expect(new Date(sent.due_at).getTime()).toBeGreaterThan(Date.now());
  const [mail] = mails;
  expect([mails.length, mail?.to]).toEqual([1, ['sales@gazette.example', 'boss@gazette.example']]);
  expect(mail?.text).toMatch(/Subject: Morning: \d{4}-/);
  expect(mail?.text).toContain('.csv');
  const [call] = calls;
  expect([calls.length, call?.body.toString()]).toEqual([1, expect.stringContaining('Autumn,4321')]);
  const [, seconds = '', given = ''] = /^t=(\d+),v1=(\w+)$/.exec(String(call?.headers['x-report-signature'])) ?? [];
  expect(given).toBe(createHmac('sha256', saved.webhook_secret).update(`${seconds}.${call?.body.toString()}`).digest('hex'));
  await api('DELETE', `/saved_reports/${saved.id}`);
});

test('what fails says why and is tried again, under the same id', async () => {
  calls.length = 0;
  answers.push(500);
  const saved = await save({ ...daily, format: 'json', webhook }, 'Fragile');
  await api('POST', `/saved_reports/${saved.id}/send`);
  await eventually(
    async () => expect((await api('GET', `/saved_reports/${saved.id}`)).body.last_fault).toBe('The webhook answered 500.'),
    30_000,
  );
  // The first retry comes after a minute.
  await withKnex(databaseUrl, (knex) => knex('saved_reports').where({ id: saved.id }).update({ try_at: knex.fn.now() }));
  await eventually(async () => expect((await api('GET', `/saved_reports/${saved.id}`)).body.last_fault).toBeNull(), 30_000);
  expect(new Set(calls.map(({ headers }) => headers['x-report-id'])).size).toBe(1);
  expect(calls).toHaveLength(2);
  expect(JSON.parse(String(calls[1]?.body)).rows).toContainEqual({ campaign_id: booked.campaign, campaign: 'Autumn', impressions: 4321 });
  await api('DELETE', `/saved_reports/${saved.id}`);
  const full = await save({ ...daily, emails: ['full@gazette.example'] }, 'Full');
  await api('POST', `/saved_reports/${full.id}/send`);
  await eventually(
    async () => expect((await api('GET', `/saved_reports/${full.id}`)).body.last_fault).toMatch(/mailbox is full|recipients/),
    30_000,
  );
  await api('DELETE', `/saved_reports/${full.id}`);
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
  });

  it('is refused when it is forged, expired or of another kind, and opens nothing else', async () => {
    const { token } = await issue();
    const secrets = [{ kid: 'default', secret: TOKEN_SECRET }];
    const one = { advertiserId: advertiser, title: 'x', query: QUERY };
    const expired = createReportLinks(secrets, () => Date.now() - 3 * 86_400_000).issue(one, 1).token;
    const forged = createReportLinks([{ kid: 'default', secret: 'another secret of the same length' }]).issue(one, 1).token;
    const grant = (await api('POST', '/debug_grants', { publisher_id: booked.publisher.id })).body.token;
    for (const wrong of ['', 'x', expired, forged, grant, String(token).slice(0, -2)]) {
      const answer = await shared(wrong);
      expect([answer.status, (await answer.json()).code]).toEqual([401, 'invalid_link']);
    }
    expect(createReportLinks(secrets).read(token)).toMatchObject({ advertiserId: advertiser });
    expect((await fetch(`${replica.url}/impression?t=${token}`)).status).toBe(401);
  });

  it('is not made for an unknown advertiser, or for figures that an advertiser does not have', async () => {
    for (const [body, pointer] of [
      [{ advertiser_id: 4_000, query: QUERY }, '/advertiser_id'],
      [{ advertiser_id: advertiser, query: 'metrics=requests' }, '/query'],
      [{ advertiser_id: advertiser, query: QUERY, days: 1000 }, '/days'],
    ] as const) {
      const answer = await api('POST', '/report_links', body);
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([400, pointer]);
    }
  });
});
