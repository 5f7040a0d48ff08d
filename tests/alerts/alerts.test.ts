import { createHmac } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { createGuardedDispatchers } from '../../src/bidders/calls/guarded-dispatcher.ts';
import { ALERT_KIND_NAMES } from '../../src/catalog/model/alert-kinds.ts';
import { underReconcileLock, writeReconciliation } from '../../src/events/postgres/reconciliation.ts';
import { createAlertStore } from '../../src/alerts/alert-store.ts';
import { createDigestStore } from '../../src/alerts/digest-store.ts';
import { createFindAlerts } from '../../src/alerts/find-alerts.ts';
import { createRecipientStore } from '../../src/alerts/recipient-store.ts';
import { createSendAlerts } from '../../src/alerts/send-alerts.ts';
import { createSendDigest } from '../../src/alerts/send-digest.ts';
import { createWatchBookings } from '../../src/alerts/watch-bookings.ts';
import type { LineItemStatus } from '../../src/delivery/status/status.ts';
import type { ReadStatuses } from '../../src/delivery/status/read-statuses.ts';
import { createForecastStore } from '../../src/forecast/forecast-store.ts';
import type { ShortLineItem } from '../../src/forecast/short-line-items.ts';
import { createSecretBox } from '../../src/base/secret-box.ts';
import { createSendMail } from '../../src/mail/send-mail.ts';
import { eventually } from '../../testkit/until.ts';
import { startMailSink, startWebhookReceiver, type WebhookReceiver } from '../setup/start-receivers.ts';
import { startReplica, TOKEN_SECRET, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, askForAd, book, each, itemsOf, serveAd, type ApiCall, type Booked, type Json } from '../api/api-client.ts';

const TOKENS = { alice: 'the-token-of-alice-and-nobody-else', bob: 'the-token-of-bob-and-no-one-besides' };
const NOON = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 43_200_000;
const DAY = new Date(NOON).toISOString().slice(0, 10);

let replica: Replica;
let knex: Knex;
let api: ApiCall;
let asBob: ApiCall;
let mailbox: Awaited<ReturnType<typeof startMailSink>>;
let hook: WebhookReceiver;
let reconciling: Promise<void>;
let end: () => void;

beforeAll(async () => {
  [mailbox, hook] = await Promise.all([startMailSink(), startWebhookReceiver()]);
  const databaseUrl = await testDatabase();
  knex = knexFactory({ client: 'pg', connection: databaseUrl });
  // The replica would look at its own time.
  await knex('alert_checks').update({ checked_at: 'infinity' });
  // It would also compare the books now, which is not the time of these alerts.
  const ended = new Promise<void>((resolve) => (end = resolve));
  await new Promise<void>((taken) => {
    reconciling = underReconcileLock(knex, { wait: true }, () => (taken(), ended));
  });
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ADMIN_TOKEN: `alice:${TOKENS.alice},bob:${TOKENS.bob}` };
  replica = await startReplica({ env: { ...env, SMTP_URL: mailbox.url, PUBLIC_URL: 'https://ads.example' } });
  const as =
    (name: keyof typeof TOKENS): ApiCall =>
    (method, path, body, headers) =>
      apiOf(replica.url)(method, path, body, { Authorization: `Bearer ${TOKENS[name]}`, ...headers });
  [api, asBob] = [as('alice'), as('bob')];
});
afterAll(async () => {
  end();
  await reconciling;
  await knex.destroy();
});

/** As the replica has them. */
const readStatuses: ReadStatuses = async (ids) =>
  new Map(
    Object.entries((await api('GET', `/statuses?line_item_ids=${ids.join()}`)).body.line_items as Record<string, LineItemStatus>).map(
      ([id, status]) => [Number(id), status],
    ),
  );
/** What has passed of the day's traffic. */
let shareOfDay = 0.5;

/** Looks once, at noon of today unless said otherwise, and sends what is due. */
const watch = async (atMs = NOON): Promise<void> => {
  const dispatchers = createGuardedDispatchers({
    ...{ allowPrivateAddresses: true, connections: 1, maxOrigins: 10, idleMs: 1_000, connectTimeoutMs: 1_000, maxResponseBytes: 1_024 },
  });
  const bookings = createWatchBookings({
    alerts: createAlertStore({ knex }),
    recipients: createRecipientStore({ knex }),
    findAlerts: createFindAlerts({ knex, readStatuses, shareBefore: () => shareOfDay, complaintLimit: 3 }),
    sendAlerts: createSendAlerts({
      secretBox: createSecretBox([{ kid: 'default', secret: TOKEN_SECRET }]),
      ...{ allowPrivateAddresses: true, dispatchers, sendMail: createSendMail(mailbox.url, 'ads@gazette.example') },
      ...{ publicUrl: 'https://ads.example', now: Date.now },
    }),
    digests: createDigestStore({ knex }),
    sendDigest: createSendDigest({
      ...{ knex, readStatuses, publicUrl: 'https://ads.example' },
      sendMail: createSendMail(mailbox.url, 'ads@gazette.example'),
    }),
    writer: {
      block: async ({ id }) => {
        await knex('creatives').where({ id }).update({ blocked_at: knex.fn.now() });
        return { ok: true, record: { id } };
      },
    },
    dispatchers,
    now: () => atMs,
    onBlocked: () => undefined,
    onFailure: (fault) => {
      throw fault;
    },
    onNotSent: () => undefined,
  });
  do await knex('alert_checks').update({ checked_at: '-infinity' });
  while ((await bookings.look()) === undefined);
  // No replica looks again within a minute.
  expect(await bookings.look()).toBeUndefined();
  await bookings.send();
  await bookings.sendDigests();
  await bookings.stop();
};
const alertsOf = async (call: ApiCall = api): Promise<Json[]> =>
  itemsOf((await call('GET', '/alerts')).body).filter(({ closed_at }) => closed_at === null);
const delivered = ({ publisher, campaign, lineItem, creative }: Booked, counts: object) =>
  knex('daily_counts').insert({
    day: DAY,
    publisher_id: publisher.id,
    campaign_id: campaign,
    line_item_id: lineItem,
    creative_id: creative,
    ...counts,
  });

test('bookings that are behind, end soon or have spent their budget are alerts, with words that say so', async () => {
  const soon = new Date(NOON + 86_400_000).toISOString().slice(0, 10);
  const [yesterday, nextWeek] = [-1, 7].map((days) => new Date(NOON + days * 86_400_000).toISOString().slice(0, 10));
  const behind = await book(api, 'behind', { name: 'Boots', goal_impressions: 10_000, start_date: yesterday, end_date: nextWeek });
  const shown = await book(api, 'shown', { name: 'Boots', goal_impressions: 10_000, start_date: yesterday, end_date: nextWeek });
  await serveAd(replica.url, shown);
  const ending = await book(api, 'ending', { name: 'Hats', end_date: soon });
  const spent = await book(api, 'spent', { name: 'Coats', budget: 10 });
  const paused = await book(api, 'paused', { active: false, budget: 10, end_date: soon });
  const fine = await book(api, 'fine', { budget: 10 });
  await delivered(spent, { spend_micros: 9_998_000 });
  await delivered(paused, { spend_micros: 10_000_000 });
  await delivered(fine, { impressions: 1_150, spend_micros: 9_000_000 });
  // Early in the day no line item is said to be behind.
  shareOfDay = 0.2;
  await watch();
  expect(each(await alertsOf(), 'kind').toSorted()).toEqual(['budget_spent', 'ends_soon']);
  shareOfDay = 0.5;
  await watch();
  const found = await alertsOf();
  expect(found.map(({ kind, entity_id, words, publisher_id }) => [kind, entity_id, words, publisher_id]).sort()).toEqual([
    ['budget_spent', String(spent.lineItem), '“Coats” has spent its budget of $10.00 and does not serve any more.', spent.publisher.id],
    ['ends_soon', String(ending.lineItem), `“Hats” ends in 36 hours, with ${soon}.`, ending.publisher.id],
    // What was never shown is behind like what was shown too little.
    ...[behind, shown].map(({ lineItem, publisher }) => [
      'under_delivery',
      String(lineItem),
      expect.stringMatching(/^“Boots” is behind by 100%: 0 of 10,000 impressions, [\d,]+ due by now\./),
      publisher.id,
    ]),
  ]);
  // What is open stays open in the night, and is closed an hour after it was last the case.
  shareOfDay = 0.1;
  await knex('alerts').update({ seen_at: new Date(Date.now() - 2 * 3_600_000) });
  await watch();
  expect(each(await alertsOf(), 'kind')).toContain('under_delivery');
  for (const { lineItem } of [behind, shown]) await api('PATCH', `/line_items/${lineItem}`, { goal_impressions: null });
  await knex('alerts').update({ seen_at: new Date(Date.now() - 2 * 3_600_000) });
  await watch();
  expect(each(await alertsOf(), 'kind')).not.toContain('under_delivery');
  expect(itemsOf((await api('GET', '/alerts')).body).at(-1)).toMatchObject({ kind: 'under_delivery', closed_at: expect.any(String) });
});

test('a line item that is expected to miss its goal is an alert weeks before, with what helps most, until it is forecast to reach it', async () => {
  const [yesterday, end] = [-1, 20].map((days) => new Date(NOON + days * 86_400_000).toISOString().slice(0, 10));
  const { publisher, lineItem } = await book(api, 'short', {
    name: 'Scarves',
    goal_impressions: 50_000,
    start_date: yesterday,
    end_date: end,
  });
  const expected = async () => (await alertsOf()).filter(({ kind }) => kind === 'will_under_deliver');
  const keep = (short: readonly ShortLineItem[]): Promise<void> => {
    const figures = { version: 1, days: [], placements: {}, lineItems: {}, bookings: {}, warning: null, widening: 1 };
    return createForecastStore({ knex }).keepBase(publisher.id, DAY, figures, short);
  };
  const remedy = { change: 'higher_priority', words: 'give it priority 1', p50: 47_500, fields: { priority: 1 } } as const;
  const short = { lineItemId: lineItem, goal: 50_000, due: 48_000, expected: 31_000, remedy };
  await keep([short]);
  await watch();
  expect(await expected()).toMatchObject([
    {
      ...{ entity: 'line_item', entity_id: String(lineItem), publisher_id: publisher.id },
      words: `“Scarves” is expected to deliver 31,000 of 48,000 impressions that are due by ${end} (64%). What helps most: give it priority 1, for about 47,500.`,
    },
  ]);
  // Staff have lowered the goal: that forecast says nothing about it.
  await api('PATCH', `/line_items/${lineItem}`, { goal_impressions: 30_000 });
  await knex('alerts').update({ seen_at: new Date(Date.now() - 2 * 3_600_000) });
  await watch();
  expect(await expected()).toEqual([]);
  await keep([{ ...short, goal: 30_000, due: 28_000, expected: 20_000, remedy: null }]);
  await watch();
  expect(each(await expected(), 'words')).toEqual([expect.stringContaining('book it on more placements')]);
  await keep([{ ...short, goal: 30_000, due: 28_000, expected: 0, remedy: null, lacksCreative: true }]);
  await watch();
  expect(each(await expected(), 'words')).toEqual([expect.stringContaining('(0%). It has no creative that may serve.')]);
  await keep([]);
  await knex('alerts').update({ seen_at: new Date(Date.now() - 2 * 3_600_000) });
  await watch();
  expect(await expected()).toEqual([]);
});

test('a change that waits for a second person is an alert until it is decided', async () => {
  const { publisher, lineItem } = await book(api, 'approval', { name: 'Boots' });
  const changes = [{ entity: 'line_item', id: lineItem, before: { name: 'Boots', cpm: 3 }, after: { name: 'Boots', cpm: 1 } }];
  const [row] = await knex('approvals')
    .insert({
      ...{ publisher_id: publisher.id, operations: '[]', changes: JSON.stringify(changes), reasons: '[]', note: '', proposed_by: 'ann' },
      expires_at: new Date(NOON + 86_400_000),
    })
    .returning<{ id: number }[]>('id');
  const waiting = async () => (await alertsOf()).filter(({ kind }) => kind === 'approval_waits');
  await watch();
  expect(await waiting()).toMatchObject([
    {
      ...{ entity: 'approval', entity_id: String(row?.id), publisher_id: publisher.id },
      words: 'ann has proposed a change of line item “Boots”, which waits for a second person.',
    },
  ]);
  await knex('approvals').where({ id: row?.id }).update({ state: 'approved', decided_by: 'ben', decided_at: new Date() });
  await knex('alerts').update({ seen_at: new Date(Date.now() - 2 * 3_600_000) });
  await watch();
  expect(await waiting()).toEqual([]);
});

test('complaints about malware of several clients block a creative; one client cannot, and staff can unblock it', async () => {
  const booked = await book(api, 'malware');
  const report = async (client: string): Promise<void> => {
    const bid = (await askForAd(replica.url, booked, client)).body.seatbid[0].bid[0];
    const token = new URL(bid.repturl ?? bid.impurl, 'https://ads.example').searchParams.get('t');
    const answer = await fetch(`${replica.url}/report`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': client },
      body: JSON.stringify({ token, reason: 'malware' }),
    });
    expect(answer.status).toBe(201);
  };
  const isBlocked = async () => (await api('GET', `/creatives/${booked.creative}`)).body.blocked_at !== null;
  for (let i = 0; i < 4; i++) await report('203.0.113.7');
  await watch(Date.now());
  expect(await isBlocked()).toBe(false);
  await report('198.51.100.7');
  await report('192.0.2.7');
  await watch(Date.now());
  expect(await isBlocked()).toBe(true);
  expect((await alertsOf()).find(({ kind }) => kind === 'complaints')).toMatchObject({
    entity_id: String(booked.creative),
    words: `3 clients reported malware in creative ${booked.creative}: it is blocked. Look at it, and talk to its advertiser.`,
  });
  // What was reported before is settled when somebody unblocks it.
  expect((await api('POST', `/creatives/${booked.creative}/unblock`)).status).toBe(200);
  await watch(Date.now());
  expect(await isBlocked()).toBe(false);
});

test('counts that differed, and a comparison that does not run, are alerts', async () => {
  await writeReconciliation(knex, 'accounts', 2);
  await writeReconciliation(knex, 'accounts', 0);
  await writeReconciliation(knex, 'counts', 0);
  await knex('reconciliation')
    .where({ scope: 'counts' })
    .update({ compared_at: new Date(Date.now() - 3_600_000) });
  await watch(Date.now());
  const drift = (await alertsOf()).filter(({ kind }) => kind === 'drift');
  expect(each(drift, 'words')).toEqual([
    'The counts have not been compared with the event rows for 15 minutes.',
    '2 accounts differed from the event rows within the last hour, and were corrected.',
  ]);
});

test('new alerts are sent once, by mail and signed webhook; what fails is sent again, and what a person mutes is not', async () => {
  await knex('alerts').delete();
  const called = await api('POST', '/alert_recipients', { kinds: ['budget_spent'], webhook: hook.url });
  expect([called.status, called.body.owner]).toEqual([201, 'alice']);
  expect((await api('POST', '/alert_recipients', { kinds: ['budget_spent'], emails: ['sales@gazette.example'] })).status).toBe(201);
  const bobs = await asBob('POST', '/alert_recipients', { emails: ['bob@gazette.example'] });
  expect(bobs.body.kinds).toEqual(ALERT_KIND_NAMES);
  expect((await asBob('PUT', '/alert_mutes', { kind: 'budget_spent' })).body).toEqual([
    { kind: 'budget_spent', entity_id: '', until: null },
  ]);
  const booked = await book(api, 'sent', { name: 'Gloves', budget: 10 });
  await delivered(booked, { spend_micros: 10_000_000 });
  hook.answers.push(500);
  await watch();
  // The replica sends, too.
  const hookNow = async (): Promise<Json> => (await api('GET', '/alert_recipients')).body[0];
  await eventually(async () => expect(await hookNow()).toMatchObject({ last_fault: 'The webhook answered 500.' }));
  // Only this one: the replica may still be sending the mail, which it has taken until then.
  await knex('alert_recipients').where({ id: called.body.id }).update({ try_at: knex.fn.now() });
  await watch();
  await eventually(async () => expect(await hookNow()).toMatchObject({ last_fault: null }));
  await eventually(async () => expect(await knex('alert_messages')).toEqual([]));
  await watch();

  expect(mailbox.mails.filter(({ to }) => to.includes('sales@gazette.example'))).toHaveLength(1);
  expect(mailbox.mails.filter(({ to, text }) => to.includes('bob@gazette.example') && text.includes('Gloves'))).toEqual([]);
  const [first, second, ...more] = hook.calls;
  expect(more).toEqual([]);
  expect(second?.headers['x-alerts-id']).toBe(first?.headers['x-alerts-id']);
  const [, seconds, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(second?.headers['x-alerts-signature'])) ?? [];
  expect(createHmac('sha256', called.body.webhook_secret).update(`${seconds}.${second?.body}`).digest('hex')).toBe(signature);
  const { alerts } = JSON.parse(second?.body ?? '') as { alerts: Json[] };
  expect(alerts.find(({ words }) => String(words).startsWith('“Gloves”'))).toMatchObject({
    ...{
      kind: 'budget_spent',
      entity_id: String(booked.lineItem),
      url: `https://ads.example/static/admin.html#/line_items/${booked.lineItem}`,
    },
  });

  // Muted for bob, and for bob alone.
  const shown = (call: ApiCall) => alertsOf(call).then((all) => all.find(({ words }) => String(words).startsWith('“Gloves”')).muted);
  expect([await shown(api), await shown(asBob)]).toEqual([false, true]);
  expect((await asBob('DELETE', '/alert_mutes?kind=budget_spent')).body).toEqual([]);
  expect(await shown(asBob)).toBe(false);
  expect((await api('DELETE', `/alert_recipients/${called.body.id}`)).status).toBe(204);
  expect((await api('GET', '/alert_recipients')).body).toHaveLength(2);
});

test('what is at risk is mailed each morning in the words of home, and nothing when all is well', async () => {
  const [yesterday, nextWeek] = [-1, 7].map((days) => new Date(NOON + days * 86_400_000).toISOString().slice(0, 10));
  const late = await book(api, 'digest', { name: 'Gloves', cpm: 4, goal_impressions: 10_000, start_date: yesterday, end_date: nextWeek });
  await api('PATCH', `/publishers/${late.publisher.id}`, { time_zone: 'UTC' });
  const digest = { kinds: [], digest: true, publisher_id: late.publisher.id, emails: ['morning@gazette.example'] };
  const { id } = (await api('POST', '/alert_recipients', digest)).body;
  const mails = () => mailbox.mails.filter(({ to }) => to.includes('morning@gazette.example'));
  const morning = async (): Promise<void> => {
    await knex('alert_recipients').where({ id }).update({ digest_at: knex.fn.now() });
    await watch();
  };
  await watch();
  expect(mails()).toEqual([]);
  await morning();
  // The replica may have been first to take it.
  await eventually(() => expect(mails()).toHaveLength(1));
  expect(mails()[0]!.text).toMatch(/Subject: \$[\d.]+ at risk/);
  expect(mails()[0]!.text).toContain('Gloves');
  expect(mails()[0]!.text).toContain(`https://ads.example/static/admin.html#/line_items/${late.lineItem}`);
  await eventually(async () =>
    expect(((await api('GET', '/alert_recipients')).body as readonly object[]).at(-1)).toMatchObject({
      id,
      last_fault: null,
      last_at: expect.any(String),
    }),
  );
  const next = await knex('alert_recipients').where({ id }).first<{ digest_at: Date }>('digest_at');
  expect(next.digest_at.getTime()).toBeGreaterThan(Date.now());
  expect(next.digest_at.toISOString()).toContain('T07:00:00');
  await api('PATCH', `/line_items/${late.lineItem}`, { goal_impressions: null });
  await morning();
  expect(mails()).toHaveLength(1);
  expect((await api('DELETE', `/alert_recipients/${id}`)).status).toBe(204);
});

test('recipients and mutes that cannot be are refused with every fault', async () => {
  const faultsOf = ({ status, body }: Json) => [status, each(body.errors, 'pointer')];
  expect(faultsOf(await api('POST', '/alert_recipients', {}))).toEqual([400, ['']]);
  expect(faultsOf(await api('POST', '/alert_recipients', { emails: ['a@b.example'], webhook: hook.url }))).toEqual([400, ['']]);
  expect(faultsOf(await api('POST', '/alert_recipients', { kinds: [], emails: ['a@b.example'] }))).toEqual([400, ['/kinds']]);
  expect(faultsOf(await api('POST', '/alert_recipients', { digest: true, webhook: hook.url }))).toEqual([400, ['/digest']]);
  expect(faultsOf(await api('POST', '/alert_recipients', { kinds: ['weather'], emails: ['a b'], webhook: 'ftp://x' }))).toEqual([
    400,
    ['/kinds/0', '/emails/0', '/webhook'],
  ]);
  expect(faultsOf(await api('PUT', '/alert_mutes', { kind: 'weather', days: 0, who: 'bob' }))).toEqual([400, ['/who', '/kind', '/days']]);
  expect((await api('PUT', '/alert_recipients/999', { emails: ['a@b.example'] })).status).toBe(404);
});
