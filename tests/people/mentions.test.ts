import { isNamedIn } from '../../src/people/mentions/mention-store.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startMailSink, type ReceivedMail } from '../setup/start-receivers.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { book, each, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { browserAt, type TestBrowser } from './browser.ts';
import { callWith, MACHINE, tokenOf } from './staff.ts';

const PASSWORD = 'a long enough pass phrase';

let replica: Replica;
let machine: ApiCall;
let mails: readonly ReceivedMail[];
let booked: Booked;
let other: Booked;
let [ann, ben, dan]: TestBrowser[] = [];

const person = async (name: string, publishers: readonly number[] | null, roles = ['trafficker']): Promise<TestBrowser> => {
  const invited = await machine('POST', '/people', { email: `${name}@gazette.example`, name: `${name} Example`, roles, publishers });
  const secret = /adsl_\w+/.exec(invited.body.link)?.[0];
  const browser = browserAt(replica.url);
  expect((await browser.call('POST', '/auth/password', { secret, password: PASSWORD })).status).toBe(200);
  return browser;
};
const inboxOf = async (one: TestBrowser | undefined): Promise<Json> => (await one?.call('GET', '/api/me/inbox'))?.body;
const comment = (text: string) => ann!.call('POST', `/api/line_items/${booked.lineItem}/comments`, { text });

beforeAll(async () => {
  const mailbox = await startMailSink();
  ({ mails } = mailbox);
  replica = await startReplica({
    env: {
      ...{ DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: MACHINE },
      ...{ SMTP_URL: mailbox.url, TRUST_PROXY_HOPS: '1', TOOL_URL: 'https://ads.gazette.example' },
    },
  });
  machine = callWith(replica.url, MACHINE);
  booked = await book(machine, 'mentioned');
  other = await book(machine, 'mentioned-elsewhere');
  ann = await person('ann', null);
  ben = await person('ben', [booked.publisher.id]);
  dan = await person('dan', [other.publisher.id]);
});

test.each([
  ['@ben', true],
  ['Look, @BEN EXAMPLE: now', true],
  ['(@ben@gazette.example)', true],
  ['ben', false],
  ['@benno', false],
  ['mail to x@ben', false],
  ['@ben Exam', true],
  ['', false],
])('“%s” names Ben Example: %s', (text, isNamed) => {
  expect(isNamedIn(text, { name: 'Ben Example', email: 'ben@gazette.example' })).toBe(isNamed);
});

test('who is mentioned finds it in the inbox and in the mail, until it is taken out; who does not read the record, does not', async () => {
  expect((await comment('@ben and @dan, and @ann: is this right?')).status).toBe(201);
  expect(await inboxOf(ben)).toEqual({
    proofs: [],
    approvals: 0,
    mentions: [
      {
        ...{ id: expect.any(Number), at: expect.any(String), by: 'ann@gazette.example', text: '@ben and @dan, and @ann: is this right?' },
        ...{ entity: 'line_item', entity_id: booked.lineItem, name: 'Boots' },
      },
    ],
  });
  for (const one of [ann, dan]) expect((await inboxOf(one)).mentions).toEqual([]);
  const mentioned = () => mails.filter(({ text }) => text.includes('mentioned you in a comment'));
  for (const deadline = Date.now() + 10_000; mentioned().length === 0 && Date.now() < deadline;)
    await new Promise((wake) => setTimeout(wake, 50));
  expect(mentioned().map(({ to }) => to)).toEqual([['ben@gazette.example']]);
  expect(mentioned()[0]?.text).toContain(`https://ads.gazette.example/static/admin.html#/line_items/${booked.lineItem}`);

  const [{ id }] = (await inboxOf(ben)).mentions;
  expect((await dan!.call('DELETE', `/api/me/mentions/${id}`)).status).toBe(404);
  expect((await ben!.call('DELETE', `/api/me/mentions/${id}`)).status).toBe(204);
  expect((await inboxOf(ben)).mentions).toEqual([]);
});

test('a mention is shown as long as the record may be read, and goes with its comment', async () => {
  const { body: first } = await comment('@ben, first');
  expect((await comment('@ben, second')).status).toBe(201);
  expect(each((await inboxOf(ben)).mentions, 'text')).toEqual(['@ben, second', '@ben, first']);
  expect((await ann!.call('DELETE', `/api/comments/${first.id}`)).status).toBe(204);
  expect(each((await inboxOf(ben)).mentions, 'text')).toEqual(['@ben, second']);
  const id = (await ben!.call('GET', '/api/me')).body.id;
  expect((await machine('PATCH', `/people/${id}`, { publishers: [other.publisher.id] })).status).toBe(200);
  expect((await inboxOf(ben)).mentions).toEqual([]);
  expect((await machine('PATCH', `/people/${id}`, { publishers: [booked.publisher.id] })).status).toBe(200);
});

test('who has a record open sees the others who have it, and nobody sees those of another publisher', async () => {
  const open = { kind: 'line_items', id: booked.lineItem };
  expect((await ann!.call('PUT', '/api/me/presence', open)).body).toEqual({ others: [] });
  expect((await ben!.call('PUT', '/api/me/presence', open)).body.others).toMatchObject([{ name: 'ann Example' }]);
  expect((await ann!.call('PUT', '/api/me/presence', open)).body.others).toMatchObject([{ name: 'ben Example' }]);
  expect((await ann!.call('PUT', '/api/me/presence', { ...open, id: other.lineItem })).body).toEqual({ others: [] });
  expect((await dan!.call('PUT', '/api/me/presence', open)).status).toBe(404);
  expect((await ann!.call('PUT', '/api/me/presence', { kind: 'people', id: 1 })).status).toBe(400);
});

test('staff see who reads a record; tokens have an empty inbox', async () => {
  const readers = (await ann!.call('GET', `/api/line_items/${booked.lineItem}/readers`)).body;
  expect(each(readers, 'email')).toEqual(['ann@gazette.example', 'ben@gazette.example']);
  expect((await dan!.call('GET', `/api/line_items/${booked.lineItem}/readers`)).status).toBe(404);
  const token = callWith(replica.url, await tokenOf(machine, 'robot', ['administrator'], null));
  expect((await token('GET', '/me/inbox')).body).toEqual({ approvals: 0, mentions: [], proofs: [] });
});
