import knexFactory, { type Knex } from 'knex';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startMailSink, type ReceivedMail } from '../setup/start-receivers.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { book, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { browserAt, type TestBrowser } from './browser.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

const PASSWORD = 'a long enough pass phrase';

let replica: Replica;
let mails: readonly ReceivedMail[];
let knex: Knex;
let machine: ApiCall;
let ann: TestBrowser;
let ben: TestBrowser;
let cid: TestBrowser;
let booked: Booked;

const person = async (name: string, roles: readonly string[], publishers: readonly number[] | null): Promise<TestBrowser> => {
  const invited = await machine('POST', '/people', { email: `${name}@gazette.example`, name, roles, publishers });
  const secret = /adsl_\w+/.exec(invited.body.link)?.[0];
  const browser = browserAt(replica.url);
  expect((await browser.call('POST', '/auth/password', { secret, password: PASSWORD })).status).toBe(200);
  return browser;
};

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const mailbox = await startMailSink();
  ({ mails } = mailbox);
  const env = {
    ...{ DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_ENABLED: 'true' },
    ...{
      ADMIN_TOKEN: MACHINE,
      ACCOUNTS: 'true',
      TOOL_URL: 'https://ads.gazette.example',
      TRUST_PROXY_HOPS: '1',
      SMTP_URL: mailbox.url,
      SMTP_FROM: 'ads@gazette.example',
    },
  };
  replica = await startReplica({ env });
  machine = callWith(replica.url, MACHINE);
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  booked = await book(machine, 'approved-top');
  await machine('PATCH', `/publishers/${booked.publisher.id}`, {
    ...{ approval_price_below: 2, approval_discount_over: 20, approval_budget_above: 500 },
    ...{ approval_of_priority_1: true, approval_of_closing: true, approval_of_unblocking: true },
  });
  const own = [booked.publisher.id];
  [ann, ben, cid] = [
    await person('ann', ['trafficker', 'approver', 'finance'], own),
    await person('ben', ['approver'], own),
    await person('cid', ['approver', 'trafficker'], own),
  ];
});
afterAll(() => knex.destroy());

const line = () => `/api/line_items/${booked.lineItem}`;
const proposal = (body: object, path = `/line_items/${booked.lineItem}`) => ({
  operations: [{ method: 'PATCH', path, body }],
  note: 'agreed',
});
const reasonsOf = ({ body }: { readonly body: Json }): unknown => (body.errors as { pointer: string }[]).map(({ pointer }) => pointer);

test.each([
  ['a price below the floor', { cpm: 1.5 }, ['/cpm', '/cpm']],
  ['a discount of more than 20% above it', { cpm: 1.99 }, ['/cpm', '/cpm']],
  ['priority 1', { priority: 1 }, ['/priority']],
  ['a budget above 500 USD', { budget: 501 }, []],
])('%s is refused with its reasons, and nothing is changed', async (_, change, pointers) => {
  const before = (await ann.call('GET', line())).body;
  const refused = await ann.call('PATCH', line(), change);
  // A first budget limits what had no limit.
  if (pointers.length === 0) expect(refused.status).toBe(200);
  else expect([refused.status, refused.body.code, reasonsOf(refused)]).toEqual([409, 'approval_required', pointers]);
  if (pointers.length > 0) expect((await ann.call('GET', line())).body).toEqual(before);
  await machine('PATCH', `/line_items/${booked.lineItem}`, { budget: null });
});

/** Mails to someone with a word in them, once there is one. Lines of mails are wrapped. */
const mailTo = async (name: string, word: RegExp): Promise<string> => {
  for (const deadline = Date.now() + 10_000; ; await new Promise((wake) => setTimeout(wake, 50))) {
    const found = mails.filter(({ to, text }) => to.join() === `${name}@gazette.example` && word.test(text));
    if (found.length > 0 || Date.now() > deadline) return found.map(({ text }) => text.replaceAll('=\r\n', '')).join();
  }
};

test('a pause, a higher price and a lower budget never wait', async () => {
  for (const change of [{ active: false }, { active: true }, { cpm: 3 }, { budget: 400 }, { budget: 300 }, { end_date: '2998-12-31' }])
    expect([change, (await ann.call('PATCH', line(), change)).status]).toEqual([change, 200]);
  expect((await ann.call('PATCH', `/api/campaigns/${booked.campaign}`, { archived: false })).status).toBe(200);
});

test('a proposal shows the difference; someone else approves it, and the history has both', async () => {
  const proposed = await ann.call('POST', '/api/approvals', proposal({ cpm: 1 }));
  expect([proposed.status, proposed.body]).toMatchObject([
    201,
    {
      ...{ state: 'open', note: 'agreed', proposed_by: 'ann@gazette.example', publisher_id: booked.publisher.id },
      reasons: [
        { pointer: '/operations/0/body/cpm', detail: 'is below 2 USD' },
        { pointer: '/operations/0/body/cpm', detail: 'is more than 20% below 3 USD' },
      ],
      changes: [{ entity: 'line_item', id: booked.lineItem, before: { cpm: 3 }, after: { cpm: 1 } }],
    },
  ]);
  expect((await ann.call('GET', line())).body.cpm).toBe(3);
  // Each who may approve it is written to alone, and not who asked.
  expect(await mailTo('ben', /has proposed a change/)).toMatch(/is below 2 USD[^]*Why: agreed[^]*#\/approvals\/\d/);
  expect(await mailTo('cid', /has proposed a change/)).toMatch(/is more than 20% below 3 USD/);
  expect(mails.filter(({ to, text }) => to.join().startsWith('ann@') && /has proposed a change/.test(text))).toEqual([]);
  const { id } = proposed.body;
  const own = await ann.call('POST', `/api/approvals/${id}/approve`, {});
  expect([own.status, own.body.detail]).toEqual([403, expect.stringMatching(/someone else/)]);
  const token = callWith(replica.url, await tokenOf(machine, 'robot', ['approver'], [booked.publisher.id]));
  expect((await token('POST', `/approvals/${id}/approve`, {})).status).toBe(403);

  const approved = await ben.call('POST', `/api/approvals/${id}/approve`, { words: 'fine' });
  expect([approved.status, approved.body]).toMatchObject([200, { state: 'approved', decided_by: 'ben@gazette.example', words: 'fine' }]);
  expect((await ann.call('GET', line())).body.cpm).toBe(1);
  expect(await mailTo('ann', /has approved/)).toMatch(/ben@gazette\.example has approved your change\. It was made/);
  const audited = await knex('audit').where({ entity: 'line_item' }).orderBy('id', 'desc').first();
  expect(audited).toMatchObject({ actor: 'ann@gazette.example', approved_by: 'ben@gazette.example', action: 'update' });
  const [shown] = (await ann.call('GET', '/api/audit?entity=line_item&q=ben')).body;
  expect(shown).toMatchObject({ actor: 'ann@gazette.example', approved_by: 'ben@gazette.example', note: 'agreed', network: null });
  // Made by the call of who approved it: what ann does herself says from where.
  expect((await ann.call('PATCH', line(), { name: 'by ann' })).status).toBe(200);
  const [herself] = (await ann.call('GET', '/api/audit?entity=line_item')).body;
  expect(herself).toMatchObject({ network: '203.0.113.0/24', device: 'Firefox on Linux' });
  const robot = callWith(replica.url, await tokenOf(machine, 'renamer', ['trafficker'], [booked.publisher.id]));
  await robot(
    'PATCH',
    `/line_items/${booked.lineItem}`,
    { name: 'by a robot' },
    { 'User-Agent': 'curl/8.5.0', 'X-Forwarded-For': '198.51.100.7' },
  );
  const [robots] = (await ann.call('GET', '/api/audit?entity=line_item')).body;
  expect(robots).toMatchObject({ actor: 'token:renamer', network: '198.51.100.0/24', device: 'curl/8.5.0' });
});

test('of two people who approve at the same time, one does, and the change is made once', async () => {
  const creation = {
    ...{ campaign_id: booked.campaign, name: 'cheap', active: true, cpm: 0.5 },
    ...{ start_date: '2026-01-01', end_date: '2999-12-31' },
  };
  const { body } = await ann.call('POST', '/api/approvals', {
    operations: [{ method: 'POST', path: '/line_items', body: creation }],
  });
  expect(body.changes).toMatchObject([{ id: null, before: null, after: { name: 'cheap', cpm: 0.5 } }]);
  const answers = await Promise.all([ben, cid, ben, cid].map((browser) => browser.call('POST', `/api/approvals/${body.id}/approve`, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  expect(await knex('line_items').where({ name: 'cheap' })).toHaveLength(1);
});

test('a proposal whose record has changed since is not carried out, and can be sent back in words', async () => {
  const { body } = await ann.call('POST', '/api/approvals', proposal({ priority: 1 }));
  expect((await ann.call('PATCH', line(), { name: 'renamed' })).status).toBe(200);
  const stale = await ben.call('POST', `/api/approvals/${body.id}/approve`, {});
  expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
  expect((await ben.call('POST', `/api/approvals/${body.id}/send_back`, {})).body.errors).toEqual([
    { pointer: '/words', detail: 'say why' },
  ]);
  const back = await ben.call('POST', `/api/approvals/${body.id}/send_back`, { words: 'look again' });
  expect(back.body).toMatchObject({ state: 'sent_back', words: 'look again', decided_by: 'ben@gazette.example' });
  expect((await ben.call('POST', `/api/approvals/${body.id}/approve`, {})).status).toBe(409);
  expect((await ann.call('GET', line())).body.priority).not.toBe(1);
});

test('a proposal ends after its time, and its author withdraws it', async () => {
  const { body: old } = await ann.call('POST', '/api/approvals', proposal({ priority: 1 }));
  await knex('approvals')
    .where({ id: old.id })
    .update({ expires_at: new Date(Date.now() - 1000) });
  expect((await ben.call('GET', `/api/approvals/${old.id}`)).body.state).toBe('expired');
  expect((await ben.call('POST', `/api/approvals/${old.id}/approve`, {})).status).toBe(409);
  const { body } = await ann.call('POST', '/api/approvals', proposal({ priority: 1 }));
  expect((await cid.call('POST', `/api/approvals/${body.id}/withdraw`)).status).toBe(403);
  expect((await ann.call('POST', `/api/approvals/${body.id}/withdraw`)).body.state).toBe('withdrawn');
  const open = (await ben.call('GET', '/api/approvals?state=open')).body as Json[];
  expect(open.map(({ id }) => id)).not.toEqual(expect.arrayContaining([body.id]));
});

test.each([
  ['nothing that needs a second person', () => proposal({ name: 'x' }), 409],
  ['a value that is refused', () => proposal({ cpm: -1 }), 400],
  ['a record that does not exist', () => proposal({ cpm: 1 }, '/line_items/999999'), 400],
  ['a change of a publisher', () => proposal({ name: 'x' }, '/publishers/1'), 400],
  ['no write', () => ({ operations: [{ method: 'GET', path: '/line_items/1' }] }), 400],
  ['too much', () => ({ operations: Array.from({ length: 51 }, () => ({ method: 'PATCH', path: '/line_items/1', body: {} })) }), 400],
])('a proposal of %s is refused', async (_, body, status) => {
  expect((await ann.call('POST', '/api/approvals', body())).status).toBe(status);
});

test('proposals are listed by who asked, and by the record that they would change', async () => {
  const { body } = await ann.call('POST', '/api/approvals', proposal({ priority: 1 }));
  const idsBy = async (query: string): Promise<unknown[]> =>
    ((await ben.call('GET', `/api/approvals?${query}`)).body as Json[]).map(({ id }) => id);
  expect(await idsBy('proposed_by=ann@gazette.example&state=open')).toContain(body.id);
  expect(await idsBy('proposed_by=ben@gazette.example')).toEqual([]);
  expect(await idsBy(`state=open&entity=line_item&entity_id=${booked.lineItem}`)).toContain(body.id);
  expect(await idsBy(`state=open&entity=campaign&entity_id=${booked.lineItem}`)).toEqual([]);
  expect((await ann.call('POST', `/api/approvals/${body.id}/withdraw`)).status).toBe(200);
});

test('unblocking a creative and closing a month wait for a second person', async () => {
  const creative = `/creatives/${booked.creative}`;
  expect((await ben.call('POST', `/api${creative}/block`)).status).toBe(200);
  expect((await cid.call('POST', `/api${creative}/unblock`)).body.code).toBe('approval_required');
  const { body } = await cid.call('POST', '/api/approvals', { operations: [{ method: 'POST', path: `${creative}/unblock` }] });
  expect((await ben.call('POST', `/api/approvals/${body.id}/approve`, {})).body.state).toBe('approved');
  expect((await ann.call('GET', `/api${creative}`)).body.blocked_at).toBeNull();

  const month = { publisher_id: booked.publisher.id, month: '2026-01' };
  expect((await ann.call('POST', '/api/finance/close', month)).body.code).toBe('approval_required');
  const closing = await ann.call('POST', '/api/approvals', { operations: [{ method: 'POST', path: '/finance/close', body: month }] });
  expect(closing.status).toBe(201);
  const decisions = await Promise.all([ben, cid].map((one) => one.call('POST', `/api/approvals/${closing.body.id}/approve`, {})));
  expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409]);
  const closed = (await ann.call('GET', `/api/finance?publisher_id=${month.publisher_id}&month=${month.month}`)).body;
  expect(closed.closed_by).toBe('ann@gazette.example');
  const audited = await knex('audit').where({ action: 'close_month' }).first();
  expect([audited.actor, audited.approved_by]).toEqual(['ann@gazette.example', expect.stringMatching(/^(ben|cid)@/)]);
});

test('people of another publisher see none of it, and machines need no second person', async () => {
  const other = await book(machine, 'approved-other');
  const dan = await person('dan', ['approver', 'trafficker'], [other.publisher.id]);
  const { body } = await ann.call('POST', '/api/approvals', proposal({ priority: 1 }));
  expect((await dan.call('GET', '/api/approvals')).body).toEqual([]);
  for (const [method, path, sent] of [
    ['GET', '', undefined],
    ['POST', '/approve', {}],
    ['POST', '/send_back', { words: 'no' }],
    ['POST', '/withdraw', undefined],
  ] as const)
    expect([path, (await dan.call(method, `/api/approvals/${body.id}${path}`, sent)).status]).toEqual([path, 404]);
  expect((await dan.call('POST', '/api/approvals', proposal({ priority: 1 }))).status).toBe(400);
  expect((await machine('PATCH', `/line_items/${booked.lineItem}`, { priority: 1 })).status).toBe(200);
});
