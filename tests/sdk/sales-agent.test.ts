import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { writePython } from '../../scripts/clients/write-python.ts';
import { createOpenApiDocument } from '../../src/api/openapi-document.ts';
import { STAFF_API } from '../../src/trafficking/trafficking-api.ts';
import type { Json } from '../api/api-client.ts';
import { callWith, MACHINE, tokenOf } from '../people/staff.ts';
import { startReplica } from '../setup/start-replica.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

const ROOT = path.resolve(__dirname, '../..');
const MAX_RUN_MS = 110_000;

test("what buyers of Prebid's Sales Agent buy is booked once, changed, and refused in words where it cannot be kept", async () => {
  const stores = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl() };
  const { url } = await startReplica({ env: { ...stores, NODE_ENV: 'production', ADMIN_TOKEN: MACHINE, ROLE: 'tool' } });
  const machine = callWith(url, MACHINE);
  const made = async (to: string, body: object): Promise<Json> => (await machine('POST', to, body)).body;
  const { id: publisher } = await made('/publishers', { name: 'The Gazette', domain: 'gazette.example' });
  for (const id of ['top', 'side'])
    await made('/placements', { id, publisher_id: publisher, width: 300, height: 250, formats: ['html', 'banner'] });
  const { id: advertiser } = await made('/advertisers', { name: 'Acme' });
  const token = await tokenOf(machine, 'sales agent', ['trafficker'], null);

  const folder = temporaryFolder();
  await cp(path.join(ROOT, 'sdk/clients/python/ad_server_client'), path.join(folder, 'ad_server_client'), { recursive: true });
  await cp(path.join(ROOT, 'sdk/salesagent/ad_server_salesagent'), path.join(folder, 'ad_server_salesagent'), { recursive: true });
  await cp(path.join(__dirname, 'sales-agent'), folder, { recursive: true });
  for (const [name, text] of Object.entries(writePython(createOpenApiDocument(STAFF_API, ''))))
    await writeFile(path.join(folder, 'ad_server_client', name), text);
  const env = { ...process.env, API: url, TOKEN: token, PUBLISHER: String(publisher), ADVERTISER: String(advertiser) };
  const ran = await promisify(execFile)('python3', ['scenario.py'], { cwd: folder, env, timeout: MAX_RUN_MS });
  const { campaign, ...told } = JSON.parse(ran.stdout);

  expect(told).toEqual({
    again: true,
    states: ['pending_creative', 'active'],
    creatives: [['approved', 'failed', 'failed'], ['approved'], 2],
    paused: [['p2', true]],
    delivered: ['USD', 0, 0, ['p1', 'p2']],
    refused: [
      ['AdCPCapabilityNotSupportedError', expect.stringContaining('cannot be targeted by geo_metros')],
      ['AdCPAdapterError', expect.stringContaining('/line_items/0/fields/placement_ids')],
      ['AdCPCapabilityNotSupportedError', expect.stringContaining('cpcv')],
      ['AdCPCapabilityNotSupportedError', expect.stringContaining('approve_order is not done')],
      ['AdCPCapabilityNotSupportedError', 'The media buy has no package p9.'],
      ['AdCPCapabilityNotSupportedError', 'There is no media buy gam_5.'],
    ],
  });
  const campaigns = (await machine('GET', '/campaigns')).body as readonly Json[];
  expect(campaigns).toMatchObject([{ id: campaign, advertiser_id: advertiser, order_number: 'PO-7', budget: 190 }]);
  const items = (await machine('GET', `/line_items?campaign_id=${campaign as number}&sort=id`)).body as readonly Json[];
  expect(items).toMatchObject([
    {
      ...{ name: 'Package p1', active: true, cpm: 8, budget: 120, goal_impressions: 15_000, priority: 2, placement_ids: ['top', 'side'] },
      targeting: { countries: ['DE'] },
    },
    { name: 'Package p2', active: false, cpm: 3.5, budget: 70, goal_impressions: null, priority: 3, placement_ids: ['top'] },
  ]);
  const creatives = (await machine('GET', `/creatives?line_item_id=${items[0].id as number}`)).body as readonly Json[];
  expect(creatives).toMatchObject([{ name: 'Boots 2', content: '<b>Boots</b>', width: 300, height: 250 }]);
});
