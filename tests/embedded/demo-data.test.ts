import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

test('DEMO_DATA fills a configured database, and the command that is printed returns an ad', async () => {
  const state = await mkdtemp(path.join(tmpdir(), 'ad-server-state-'));
  atEnd(() => rm(state, { recursive: true }));
  const env = { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), DEMO_DATA: 'true', STATE_DIR: state };
  const replica = await startReplica({ env });
  expect((await fetch(`${replica.url}/static/demo/demo-config.js`)).status).toBe(200);
  const [, key = '', body = ''] = await replica.logged(/-H 'X-API-Key: (\S+)' -d '(.*)'/);
  const answer = await fetch(`${replica.url}/ad`, { method: 'POST', headers: { 'X-API-Key': key }, body });
  expect(await answer.json()).toMatchObject({ cur: 'USD', seatbid: [{ bid: [{ impid: '1' }] }] });
  // Its flight never ends, so a budget spread over it would leave a few ads a day.
  const delivery = await fetch(`${replica.url}/api/line_items/1/delivery`);
  expect(await delivery.json()).toMatchObject({ pacing: { mode: 'Even', goal: 50_000 } });
});
