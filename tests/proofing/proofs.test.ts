import { eventually } from '../../testkit/until.ts';
import { book, each, type ApiCall, type Booked, type Json } from '../api/api-client.ts';
import { browserAt, type TestBrowser } from '../people/browser.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startMailSink, type ReceivedMail } from '../setup/start-receivers.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let replica: Replica;
let machine: ApiCall;
let mails: readonly ReceivedMail[];
let booked: Booked;
let other: Booked;
let advertiser: number;
let ann: TestBrowser;

beforeAll(async () => {
  const mailbox = await startMailSink();
  ({ mails } = mailbox);
  replica = await startReplica({
    env: {
      ...{ DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: MACHINE },
      ...{ SMTP_URL: mailbox.url, TOOL_URL: 'https://ads.gazette.example' },
    },
  });
  machine = callWith(replica.url, MACHINE);
  [booked, other] = [await book(machine, 'proofed', { cpm: 7.77 }), await book(machine, 'proofed-elsewhere')];
  advertiser = (await machine('POST', '/advertisers', { name: 'Boots of the North' })).body.id;
  await machine('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
  const person = { email: 'ann@gazette.example', name: 'Ann Example', roles: ['trafficker'], publishers: null };
  const invited = await machine('POST', '/people', person);
  ann = browserAt(replica.url);
  await ann.call('POST', '/auth/password', { secret: /adsl_\w+/.exec(invited.body.link)?.[0], password: 'a long enough pass phrase' });
});

const share = async (of: object = { campaign_id: booked.campaign }): Promise<Json> => (await ann.call('POST', '/api/proof_links', of)).body;
const shared = async (token: string, path = '', body?: object): Promise<{ readonly status: number; readonly body: Json }> => {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const answer = await fetch(
    `${replica.url}/shared_proof${path}`,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  return { status: answer.status, body: await answer.json() };
};
const bea = { author: 'Bea' };
const sayOf = (creative: number, rest: object) => ({ creative_id: creative, ...bea, ...rest });

test('a link shows each creative in each of its sizes, and nothing of prices, placements or other advertisers', async () => {
  const leaderboard = { id: 'proofed-wide', publisher_id: booked.publisher.id, width: 728, height: 90, formats: ['html'] };
  await machine('POST', '/placements', leaderboard);
  const { body: wide } = await machine('POST', '/creatives', {
    ...{ placement_ids: ['proofed', 'proofed-wide'], line_item_id: booked.lineItem, format: 'html', content: '<b>any size</b>' },
    ...{ name: 'Any', click_url: 'https://boots.example/', status: 'draft' },
  });
  const { token, url } = await share();
  expect(url).toBe(`/static/proof/#${token}`);
  const { body } = await shared(token);
  expect(body).toMatchObject({ title: 'Autumn', publisher: { name: 'The Gazette', domain: 'gazette.example', logo: null } });
  expect(each(body.creatives, 'id')).toEqual([booked.creative, wide.id]);
  const [, any] = body.creatives;
  expect(any).toMatchObject({ name: 'Any', click_url: 'https://boots.example/', verdict: null, remarks: [] });
  expect(any.previews).toEqual([
    { width: 300, height: 250, pages: [], markup: expect.stringContaining('<b>any size</b>'), live: null },
    { width: 728, height: 90, pages: [], markup: expect.stringContaining('<b>any size</b>'), live: null },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/7\.77|proofed|priority|budget|@/);

  await machine('PATCH', `/creatives/${wide.id}`, { archived: true });
  expect(each((await shared(token)).body.creatives, 'id')).toEqual([booked.creative]);
  const one = await share({ creative_id: booked.creative });
  expect(each((await shared(one.token)).body.creatives, 'id')).toEqual([booked.creative]);
  expect((await shared(one.token, '/remarks', sayOf(other.creative, { text: 'x' }))).status).toBe(404);
});

test('what is said stands at the creative until it changes, and reaches history, inbox and mail; staff reply', async () => {
  const { token, id } = await share();
  const versionNow = async () => (await shared(token)).body.creatives[0].version as string;
  const first = await versionNow();
  const asked = await shared(token, '/remarks', sayOf(booked.creative, { verdict: 'changes', text: ' Bigger. ', version: first }));
  expect([asked.status, asked.body]).toEqual([
    201,
    expect.objectContaining({ author: 'Bea', verdict: 'changes', text: 'Bigger.', side: 'advertiser' }),
  ]);
  const proof = async () => (await machine('GET', `/creatives/${booked.creative}/proof`)).body;
  expect((await proof()).verdict).toMatchObject({ verdict: 'changes', is_current: true });

  await machine('PATCH', `/creatives/${booked.creative}`, { content: '<b>BIG ad</b>' });
  expect(await proof()).toMatchObject({ verdict: null, remarks: [{ text: 'Bigger.', is_current: false }] });
  const late = await shared(token, '/remarks', sayOf(booked.creative, { verdict: 'approved', version: first }));
  expect([late.status, late.body.code]).toEqual([409, 'conflict']);
  const reply = await ann.call('POST', `/api/creatives/${booked.creative}/proof`, { text: 'Done.' });
  expect([reply.status, reply.body]).toEqual([201, expect.objectContaining({ author: 'Ann Example', side: 'publisher' })]);
  const approved = await shared(token, '/remarks', sayOf(booked.creative, { verdict: 'approved', version: await versionNow() }));
  expect(approved.status).toBe(201);
  expect((await proof()).verdict).toMatchObject({ verdict: 'approved', text: '' });
  expect(each((await shared(token)).body.creatives[0].remarks, 'text')).toEqual(['Bigger.', 'Done.', '']);
  expect((await machine('GET', `/creatives/${booked.creative}`)).body.status).toBe('approved');

  const { body: lines } = await machine('GET', `/audit?entity=creative&entity_id=${booked.creative}&action=answer_proof`);
  expect(each(lines, 'actor')).toEqual([`Bea, proof link ${id}`, 'ann@gazette.example', `Bea, proof link ${id}`]);
  expect(lines[0].after).toMatchObject({ verdict: 'approved', author: 'Bea', proof_link: id });
  const inbox = async () => (await ann.call('GET', '/api/me/inbox')).body.proofs;
  expect(each(await inbox(), 'verdict')).toEqual(['approved', 'changes']);
  const [{ id: newest }] = await inbox();
  expect((await machine('DELETE', `/me/proof_remarks/${newest}`)).status).toBe(404);
  expect((await ann.call('DELETE', `/api/me/proof_remarks/${newest}`)).status).toBe(204);
  expect(each(await inbox(), 'text')).toEqual(['Bigger.']);
  await eventually(() =>
    expect(mails.map(({ text }) => text).join()).toMatch(/Bea asks for changes of an ad, by the link.*Bigger\..*#\/creatives\//s),
  );
});

test('what says nothing, has no name, or no version is refused', async () => {
  const { token } = await share();
  for (const [said, status, pointer] of [
    [sayOf(booked.creative, { text: ' ' }), 400, '/text'],
    [sayOf(booked.creative, { verdict: 'changes' }), 400, '/text'],
    [sayOf(booked.creative, { text: 'x', author: ' ' }), 400, '/author'],
    [sayOf(booked.creative, { verdict: 'no', text: 'x' }), 400, '/verdict'],
    [sayOf(booked.creative, { verdict: 'approved' }), 409, undefined],
  ] as const) {
    const answer = await shared(token, '/remarks', said);
    expect([said, answer.status, answer.body.errors?.[0]?.pointer]).toEqual([said, status, pointer]);
  }
  for (let said = 0; said < 60; said++) await shared(token, '/remarks', sayOf(booked.creative, { text: `${said}` }));
  expect((await shared(token, '/remarks', sayOf(booked.creative, { text: 'more' }))).status).toBe(429);
});

test('a link ends when it is revoked, or when the campaign is another advertiser’s; nothing else opens a proof', async () => {
  const { token, id } = await share();
  const report = await machine('POST', '/report_links', { advertiser_id: advertiser, query: 'group_by=day' });
  for (const wrong of ['', 'x', report.body.token, `adsp_${'0'.repeat(56)}`]) expect((await shared(wrong)).body.code).toBe('invalid_link');
  const rival = (await machine('POST', '/advertisers', { name: 'Rival' })).body.id;
  await machine('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: rival });
  expect((await shared(token)).status).toBe(401);
  await machine('PATCH', `/campaigns/${booked.campaign}`, { advertiser_id: advertiser });
  expect((await shared(token)).status).toBe(200);
  expect((await machine('DELETE', `/proof_links/${id}`)).status).toBe(204);
  expect((await shared(token)).status).toBe(401);
  expect((await machine('DELETE', `/proof_links/${id}`)).status).toBe(404);
  const { body: links } = await machine('GET', `/proof_links?creative_id=${booked.creative}`);
  expect((links as readonly Json[]).find((one) => one['id'] === id)).toMatchObject({
    created_by: 'ann@gazette.example',
    revoked_at: expect.any(String),
  });
  expect(JSON.stringify(links)).not.toContain(token);
});

test('staff for one publisher share and revoke the links of that publisher alone', async () => {
  const { id } = await share();
  const elsewhere = callWith(replica.url, await tokenOf(machine, 'elsewhere', ['trafficker'], [other.publisher.id]));
  const foreign = await elsewhere('POST', '/proof_links', { campaign_id: booked.campaign });
  expect([foreign.status, foreign.body.errors[0].pointer]).toEqual([400, '/campaign_id']);
  expect((await elsewhere('DELETE', `/proof_links/${id}`)).status).toBe(404);
  expect((await elsewhere('GET', '/proof_links')).body).toEqual([]);
  expect((await elsewhere('POST', '/proof_links', { campaign_id: other.campaign })).status).toBe(201);
  for (const body of [{}, { campaign_id: other.campaign, creative_id: other.creative }])
    expect((await machine('POST', '/proof_links', body)).status).toBe(400);
});

test('pictures of a page are checked and kept, and a proof draws on them: in other colours where there are none in these', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="2560" height="3000"/>';
  const bytes = { 'Content-Type': 'application/octet-stream' };
  const { body: file } = await machine('PUT', `/assets?publisher_id=${booked.publisher.id}&name=page.svg`, svg, bytes);
  const picture = { device: 'desktop', scheme: 'light', picture: file.url, left: 1_200, top: 400, width: 600 };
  const set = (pictures: readonly object[]) => machine('PATCH', '/placements/proofed', { page_pictures: pictures });
  for (const [pictures, pointer] of [
    [[picture, picture], '/page_pictures/1'],
    [[{ ...picture, left: -1 }], '/page_pictures/0/left'],
    [[{ ...picture, picture: 'https://elsewhere.example/a.png' }], '/page_pictures/0/picture'],
    [[{ ...picture, picture: `/static/assets/${'0'.repeat(64)}.png` }], '/page_pictures'],
  ] as const) {
    const { status, body } = await set(pictures);
    expect([pointer, status, body.errors?.[0]?.pointer]).toEqual([pointer, 400, pointer]);
  }
  expect((await set([picture])).body.page_pictures).toEqual([picture]);
  const { token } = await share({ creative_id: booked.creative });
  const place = { device: 'desktop', picture: file.url, left: 1_200, top: 400, scale: 2 };
  expect((await shared(token)).body.creatives[0].previews[0].pages).toEqual([
    { scheme: 'light', ...place },
    { scheme: 'dark', ...place },
  ]);
  const used = await machine('DELETE', `/assets/${file.sha256}`);
  expect([used.status, used.body.detail]).toEqual([409, 'The file is on the page pictures of placements: proofed.']);
  await set([]);
  expect((await machine('DELETE', `/assets/${file.sha256}`)).status).toBe(204);
});
