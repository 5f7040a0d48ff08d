import knexOf from 'knex';
import { getComplianceStoryboardById, listAllComplianceStoryboards, runStoryboard, type Storyboard } from '@adcp/sdk/testing';
import { atEnd } from '../setup/at-end.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** Stories of the SDK for sellers of media that apply, and pass. */
const APPLY = [
  ...['capability_discovery', 'v3_envelope_integrity', 'schema_validation', 'error_compliance', 'idempotency', 'security_baseline'],
  ...['media_buy_seller', 'media_buy_state_machine', 'get_media_buys_pagination_integrity', 'pagination_integrity_list_accounts'],
  ...['media_buy_seller/invalid_transitions', 'media_buy_seller/pending_creatives_to_start', 'media_buy_seller/refine_products'],
  ...['media_buy_seller/creative_fate_after_cancellation', 'sales_non_guaranteed'],
];

/** Ids that a story seeds by its controller, in place of which the replica has these. */
const OURS: Readonly<Record<string, string>> = {
  ...{ cpm_guaranteed: 'cpm_fixed', cpm_standard: 'cpm_fixed', cpm_guaranteed_fixed: 'cpm_fixed' },
};

let replica: Replica;
let token: string;

const PLACES = [
  { id: 'display-top', width: 300, height: 250, formats: ['banner'] },
  { id: 'lifestyle_display_q2', width: 300, height: 250, formats: ['banner'] },
  { id: 'sports_preroll_q2', width: 640, height: 360, formats: ['video'] },
  { id: 'sports_display_auction', width: 728, height: 90, formats: ['banner'], floor: 5 },
  { id: 'outdoor_video_auction', width: 640, height: 361, formats: ['video'], floor: 10 },
];

beforeAll(async () => {
  const database = await testDatabase();
  const env = {
    ...{ DATABASE_URL: database, REDIS_URL: await testRedisUrl(), NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' },
    ...{ ADCP: 'on', AGENT_CALLS: '5000', TOOL_URL: 'https://ads.example.com', SEAL_KEYS: 'a:seal-key-of-the-tests-with-enough-characters' },
  };
  replica = await startReplica({ env });
  const machine = callWith(replica.url, MACHINE);
  const made = async (path: string, body: object): Promise<number> => {
    const answer = await machine('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.id as number;
  };
  const rates = ['300x250', '640x360'].map((size) => ({ budget_type: 'CPM', price: 8, size }));
  const publisher = await made('/publishers', { name: 'The Gazette', domain: 'gazette.example', rate_card: rates, approval_of_media_buys: false });
  for (const place of PLACES) await made('/placements', { publisher_id: publisher, ...place });
  const advertiser = await made('/advertisers', { name: 'Acme Outdoor', domain: 'acmeoutdoor.example' });
  token = await tokenOf(machine, 'buyer of Acme', ['buyer'], [publisher], [advertiser]);
  const knex = knexOf({ client: 'pg', connection: database });
  atEnd(() => knex.destroy());
  const figures = { available: [50_000_000], sold: [0], p10: [0], p90: [0] };
  await knex('forecast_bases').insert({
    ...{ publisher_id: publisher, made_on: '2999-01-01', catalog_version: 1_000_000 },
    figures: JSON.stringify({ days: ['2999-01-01'], placements: Object.fromEntries(PLACES.map(({ id }) => [id, figures])), bookings: {} }),
  });
});

const withOurs = (story: Storyboard): Storyboard =>
  JSON.parse(JSON.stringify(story), (_, value: unknown) => (typeof value === 'string' ? (OURS[value] ?? value) : value)) as Storyboard;

const faultsOf = async (id: string): Promise<readonly string[]> => {
  const story = getComplianceStoryboardById(id);
  if (!story) throw new Error(`There is no story ${id}.`);
  const options = {
    ...{ protocol: 'mcp' as const, auth: { type: 'bearer' as const, token }, allow_http: true, skip_controller_seeding: true, sandbox: false },
    ...{ brand: { domain: 'acmeoutdoor.example' }, test_kit: { auth: { api_key: token, probe_task: 'list_creatives' } } },
  };
  const { phases } = await runStoryboard(`${replica.url}/adcp`, withOurs(story), options);
  return phases
    .flatMap(({ steps }) => steps)
    .filter(({ passed, skipped }) => !passed && skipped !== true)
    .map(({ step_id: step, error, validations, response }) =>
      JSON.stringify({ step, error, validations: validations.filter(({ passed }) => !passed).map(({ description, error: why }) => `${description}: ${why}`), response }).slice(0, 1500),
    );
};

test.each(APPLY)('the story %s passes', async (id) => {
  expect(await faultsOf(id)).toEqual([]);
});

test('list', () => {
  console.log(listAllComplianceStoryboards().map(({ id, track }) => `${id} ${track}`).join('\n'));
});
