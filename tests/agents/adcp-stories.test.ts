import { createHmac } from 'node:crypto';
import knexOf, { type Knex } from 'knex';
import { runConformance } from '@adcp/sdk/conformance';
import { listAllComplianceStoryboards, runStoryboard } from '@adcp/sdk/testing';
import { eventually } from '../../testkit/until.ts';
import type { ApiCall, Json } from '../api/api-client.ts';
import { browserAt, type TestBrowser } from '../people/browser.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startWebhookReceiver } from '../setup/start-receivers.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { account, callSeller, daysAhead, purchase as buy, SELLING, startSelling } from './buyer-calls.ts';
import { APPLY, NOT_APPLICABLE, withOurs } from './adcp-stories.ts';

const banner = { width: 300, height: 250, formats: ['banner'] };
const video = { width: 640, height: 360, formats: ['video'] };
const OPEN_PLACES = [
  { id: 'display-top', ...banner },
  { id: 'lifestyle_display_q2', ...banner },
  { id: 'sports_preroll_q2', ...video },
  { id: 'sports_display_auction', ...banner, width: 728, height: 90, floor: 5 },
  { id: 'outdoor_video_auction', ...video, height: 361, floor: 10 },
];
const DECIDED_PLACES = [
  { id: 'sports_preroll_q2_guaranteed', ...video },
  { id: 'outdoor_ctv_q2_guaranteed', ...video },
];

let replica: Replica;
let machine: ApiCall;
let knex: Knex;
let approver: TestBrowser;
/** Of a publisher that leaves purchases to agents, and of one that decides on them. */
let free: string;
let decided: string;

beforeAll(async () => {
  const database = await testDatabase();
  knex = knexOf({ client: 'pg', connection: database });
  const env = {
    ...{
      DATABASE_URL: database,
      REDIS_URL: await testRedisUrl(),
      NODE_ENV: 'production',
      ADMIN_TOKEN: MACHINE,
      ROLE: 'tool',
      ACCOUNTS: 'true',
    },
    ...{ ...SELLING, AGENT_CALLS: '5000', BIDDER_ALLOW_PRIVATE: 'true' },
  };
  replica = await startReplica({ env });
  machine = callWith(replica.url, MACHINE);
  free = (await startSelling({ machine, knex }, 'The Gazette', OPEN_PLACES, { approval_of_media_buys: false })).token;
  decided = (await startSelling({ machine, knex }, 'The Herald', DECIDED_PLACES)).token;
  const invited = await machine('POST', '/people', { email: 'ann@gazette.example', name: 'Ann', roles: ['approver'], publishers: null });
  approver = browserAt(replica.url);
  await approver.call('POST', '/auth/password', {
    secret: /adsl_\w+/.exec(invited.body.link as string)?.[0],
    password: 'a long enough pass phrase',
  });
});
afterAll(() => knex.destroy());

/** The SDK reads all of them from their files for each that it is asked for. */
const STORIES = listAllComplianceStoryboards();

/** What a story finds wrong. */
const faultsOf = async (id: string, token: string): Promise<readonly string[]> => {
  const story = STORIES.find((one) => one.id === id);
  if (!story) throw new Error(`There is no story ${id}.`);
  const { phases } = await runStoryboard(`${replica.url}/adcp`, withOurs(story), {
    protocol: 'mcp',
    auth: { type: 'bearer', token },
    brand: { domain: 'acmeoutdoor.example' },
    sandbox: false,
    allow_http: true,
    skip_controller_seeding: true,
    test_kit: { auth: { api_key: token, probe_task: 'list_creatives' } },
    webhook_receiver: {},
  });
  return phases
    .flatMap(({ steps }) => steps)
    .filter(({ passed, skipped }) => !passed && skipped !== true)
    .map(({ step_id: step, error, validations, response }) => {
      const wrong = validations.filter(({ passed }) => !passed).map(({ description, error: why }) => `${description}: ${why}`);
      return JSON.stringify({ step, error, wrong, response }).slice(0, 1_500);
    });
};

const call = (token: string | undefined, name: string, given: object = {}) => callSeller(replica.url, token, name, given);

test('every story of the SDK for sellers of media is run, or has a reason why not', () => {
  const known = new Set([...APPLY, 'sales_guaranteed', ...Object.keys(NOT_APPLICABLE)]);
  const ofSellers = STORIES.filter(
    ({ id, track }) =>
      ['core', 'error_handling', 'security', 'security_transport', 'media_buy', 'reporting'].includes(track ?? '') ||
      /^(sales|media)_/.test(id),
  );
  expect(ofSellers.map(({ id }) => id).filter((id) => !known.has(id))).toEqual([]);
});

test.each(APPLY)('the story %s passes', async (id) => {
  expect(await faultsOf(id, free)).toEqual([]);
});

const openApprovals = async (): Promise<Json> => (await approver.call('GET', '/api/approvals?state=open')).body;
const approve = (id: number) => approver.call('POST', `/api/approvals/${id}/approve`, { words: '' });

test('the story sales_guaranteed passes while a person approves', async () => {
  const running = faultsOf('sales_guaranteed', decided);
  await eventually(async () => expect(await openApprovals()).toHaveLength(1));
  const [{ id, changes, proposed_by: by }] = await openApprovals();
  expect([by, (changes as readonly Json[]).map(({ entity }) => entity)]).toEqual([
    'token:buyer at The Herald',
    ['campaign', 'line_item', 'line_item'],
  ]);
  expect((await approve(id as number)).status).toBe(200);
  expect(await running).toEqual([]);
});

test('a media buy that waits books nothing; its webhook is told, signed, of the approval', async () => {
  const hook = await startWebhookReceiver();
  const credentials = 'a secret of the buyer of 32 characters or more';
  const config = { url: hook.url, authentication: { schemes: ['HMAC-SHA256'], credentials } };
  const campaigns = async (): Promise<number> => Number((await machine('GET', '/campaigns')).headers.get('x-total-count'));
  const before = await campaigns();
  const wanted = (budget: number) => buy({ product_id: 'sports_preroll_q2_guaranteed', budget }, { push_notification_config: config });
  const { value } = await call(decided, 'create_media_buy', wanted(80));
  expect([value.status, value.media_buy_id, await campaigns()]).toEqual(['submitted', undefined, before]);
  const { value: refused } = await call(decided, 'create_media_buy', wanted(81));
  const [second, first] = await openApprovals();
  await approver.call('POST', `/api/approvals/${second.id as number}/send_back`, { words: 'Not in December' });
  await approve(first.id as number);
  const task = await call(decided, 'tasks/get', { task_id: value.task_id });
  expect([task.value.status, task.value.result.packages[0].impressions, await campaigns()]).toEqual(['completed', 10_000, before + 1]);
  const other = await call(decided, 'tasks/get', { task_id: refused.task_id });
  expect([other.value.status, other.value.message]).toEqual(['rejected', 'Not in December']);
  await eventually(() => expect(hook.calls).toHaveLength(2));
  for (const { headers, body } of hook.calls) {
    const signed = createHmac('sha256', credentials)
      .update(`${String(headers['x-adcp-timestamp'])}.${body}`)
      .digest('hex');
    expect(headers['x-adcp-signature']).toBe(`sha256=${signed}`);
  }
  expect((await call(free, 'tasks/get', { task_id: value.task_id })).value.adcp_error.code).toBe('REFERENCE_NOT_FOUND');
});

test('a media buy that cannot be proposed leaves nothing behind; the same call is made again', async () => {
  const stored = async (): Promise<readonly number[]> => {
    const counts = await Promise.all(['media_buys', 'approvals'].map((table) => knex(table).count<{ count: string }[]>('* as count')));
    return counts.map(([row]) => Number(row!.count));
  };
  const before = await stored();
  const given = buy({ product_id: 'sports_preroll_q2_guaranteed', budget: 80 });
  await knex.raw(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`);
  await knex.raw('create trigger refuse before update on media_buys execute function refuse()');
  const { status, value } = await call(decided, 'create_media_buy', given);
  await knex.raw('drop function refuse cascade');
  expect([status, value, await stored()]).toEqual([200, undefined, before]);
  expect((await call(decided, 'create_media_buy', given)).value.status).toBe('submitted');
  expect(await stored()).toEqual(before.map((count) => count + 1));
});

test('media buys that wait for a person may be asked for at the same time', async () => {
  const given = () => buy({ product_id: 'sports_preroll_q2_guaranteed', budget: 80 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => call(decided, 'create_media_buy', given())));
  expect(answers.map(({ value }) => value?.status as string)).toEqual(Array(20).fill('submitted'));
});

test.each([
  ['10^9 impressions', buy({ budget: 8_000_000 }), 'PRODUCT_UNAVAILABLE', undefined],
  ['a budget beyond all amounts', buy({ budget: 1e12 }), 'INVALID_REQUEST', 'packages[0].budget'],
  ['a budget for no impression', buy({ budget: 0.001 }), 'BUDGET_TOO_LOW', 'packages[0].budget'],
  ['an unknown product', buy({ product_id: 'none' }), 'PRODUCT_NOT_FOUND', 'packages[0].product_id'],
  ['a foreign pricing option', buy({ pricing_option_id: 'cpc' }), 'INVALID_REQUEST', 'packages[0].pricing_option_id'],
  [
    'a bid below the floor',
    buy({ product_id: 'sports_display_auction', pricing_option_id: 'cpm_auction', bid_price: 4 }),
    'BUDGET_TOO_LOW',
    'packages[0].bid_price',
  ],
  ['a flight in the past', buy({}, { start_time: daysAhead(-2) }), 'INVALID_REQUEST', 'start_time'],
  [
    'a list of properties',
    buy({ targeting_overlay: { property_list: { list_id: 'x' } } }),
    'UNSUPPORTED_FEATURE',
    'packages[0].targeting_overlay.property_list',
  ],
  ['terms of measurement', buy({ measurement_terms: {} }), 'TERMS_REJECTED', 'packages[0].measurement_terms'],
  ['a brand of others', buy({}, { account: { brand: { domain: 'other.example' } } }), 'ACCOUNT_NOT_FOUND', 'account'],
  ['a test account', buy({}, { account: { ...account, sandbox: true } }), 'ACCOUNT_NOT_FOUND', 'account'],
])('%s is refused in words, and books nothing', async (_, given, code, field) => {
  const before = (await call(free, 'get_media_buys')).value.media_buys.length;
  const { adcp_error: error } = (await call(free, 'create_media_buy', given)).value;
  expect([error.code, field === undefined ? undefined : error.field]).toEqual([code, field]);
  expect((await call(free, 'get_media_buys')).value.media_buys).toHaveLength(before);
});

test('an agent that repeats a purchase a thousand times, a hundred at the same time, has bought once', async () => {
  const given = buy({ targeting_overlay: { geo_countries: ['US'], device_type: ['mobile'] } });
  /** As the protocol has it: a call that has to wait for the end of the first is sent again. */
  const repeated = async (): Promise<Json> => {
    for (;;) {
      const { value } = await call(free, 'create_media_buy', given);
      if (value.adcp_error?.code !== 'CONFLICT' || value.adcp_error.retry_after === undefined) return value;
    }
  };
  const campaigns = async (): Promise<number> => Number((await machine('GET', '/campaigns')).headers.get('x-total-count'));
  const before = await campaigns();
  const answers: Json[] = [];
  for (let i = 0; i < 10; i++) answers.push(...(await Promise.all(Array.from({ length: 100 }, repeated))));
  expect(new Set(answers.map(({ media_buy_id: id }) => id as string)).size).toBe(1);
  expect(answers.filter(({ replayed }) => replayed === false)).toHaveLength(1);
  expect(await campaigns()).toBe(before + 1);
  const [value] = answers;
  const { body } = await machine('GET', `/line_items/${value.packages[0].package_id as string}`);
  expect(body).toMatchObject({ cpm: 8, budget: 800, goal_impressions: 100_000, placement_ids: ['display-top'] });
  expect(body.targeting).toMatchObject({ countries: ['US'], devices: ['mobile'] });
});

test('what the fuzzer of the SDK sends is answered, or refused, as the protocol has it', async () => {
  const { value: bought } = await call(free, 'create_media_buy', buy());
  // The client of the SDK warns of each member that it made up itself and leaves out again.
  const warned = jest.spyOn(console, 'warn').mockReturnValue();
  const report = await runConformance(`${replica.url}/adcp`, {
    ...{ seed: 7, turnBudget: 10, protocol: 'mcp', authToken: free },
    tools: [
      'get_adcp_capabilities',
      'get_products',
      'list_creative_formats',
      'list_creatives',
      'get_media_buys',
      'get_media_buy_delivery',
      'update_media_buy',
    ],
    fixtures: { media_buy_ids: [String(bought.media_buy_id)] },
  });
  expect(warned.mock.calls.filter(([text]) => !String(text).startsWith('[AdCP] Stripping fields'))).toEqual([]);
  warned.mockRestore();
  expect(report.failures.map(({ tool, input, ...more }) => JSON.stringify({ tool, input, more }).slice(0, 2_000))).toEqual([]);
  expect(report.totalRuns).toBeGreaterThan(60);
});

test('without a token, capabilities alone are answered', async () => {
  expect((await call(undefined, 'get_adcp_capabilities')).value.supported_protocols).toEqual(['media_buy']);
  expect((await call(undefined, 'get_products')).status).toBe(401);
  expect((await call(await tokenOf(machine, 'viewer', ['viewer'], null), 'get_products')).value.adcp_error.code).toBe('PERMISSION_DENIED');
});

test('of purchases at the same time that do not fit together, one is booked', async () => {
  const wanted = () => buy({ product_id: 'lifestyle_display_q2', budget: 1_500_000 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(free, 'create_media_buy', wanted())));
  const codes = answers.map(({ value }) => (value.adcp_error?.code ?? value.status) as string).sort();
  expect(codes).toEqual([...Array<string>(4).fill('PRODUCT_UNAVAILABLE'), 'pending_creatives']);
});
