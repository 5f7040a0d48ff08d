import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, book } from '../api/api-client.ts';

test('ads.txt and sellers.json are written from the bidders of line items, and the command compares them with what is served', async () => {
  const databaseUrl = await testDatabase();
  const replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() } });
  const api = apiOf(replica.url);
  const bidder = await api('POST', '/bidders', {
    ...{ name: 'PBS', endpoint: 'https://pbs.example/auction', schain_asi: 'Ads.example', schain_sid: '${PUBLISHER_ID}' },
    ads_txt: ['exchange.example, pub-1, RESELLER, f08c'],
  });
  expect([bidder.status, bidder.body.errors]).toEqual([201, undefined]);
  const { publisher } = await book(api, 'sold', { type: 'programmatic', cpm: null, bidder_id: bidder.body.id });
  const other = await book(api, 'direct');

  const adsTxt = await fetch(`${replica.url}/ads.txt?publisher=${publisher.id}`);
  expect([adsTxt.status, adsTxt.headers.get('content-type'), adsTxt.headers.get('cache-control')]).toEqual([
    ...[200, 'text/plain; charset=utf-8', 'public, max-age=60'],
  ]);
  const lines = await adsTxt.text();
  const records = ['OWNERDOMAIN=gazette.example', `ads.example, ${publisher.id}, DIRECT`, 'exchange.example, pub-1, RESELLER, f08c', ''];
  expect(lines.split('\n').slice(1)).toEqual(records);
  expect((await (await fetch(`${replica.url}/ads.txt?publisher=${other.publisher.id}`)).text()).split('\n').slice(1)).toEqual([
    records[0],
    '',
  ]);
  expect((await fetch(`${replica.url}/ads.txt`)).status).toBe(400);
  expect((await fetch(`${replica.url}/ads.txt?publisher=99`)).status).toBe(404);
  expect((await fetch(`${replica.url}/sellers.json`, { method: 'POST' })).status).toBe(405);
  const sellers = [{ seller_id: String(publisher.id), name: 'The Gazette', domain: 'gazette.example', seller_type: 'PUBLISHER' }];
  const sellersJson = await (await fetch(`${replica.url}/sellers.json`)).text();
  expect(JSON.parse(sellersJson)).toEqual({ version: '1.0', sellers });
  expect(await (await fetch(`${replica.url}/sellers.json?asi=other.example`)).json()).toEqual({ version: '1.0', sellers: [] });

  const site = createServer(({ url }, response) => response.end(url === '/ads.txt' ? lines : sellersJson)).listen(0, '127.0.0.1');
  await once(site, 'listening');
  atEnd(() => (site.closeAllConnections(), void site.close()));
  const here = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const command = path.resolve(__dirname, '../../dist/commands/check-supply.js');
  const at = ['--at', `gazette.example=${here}`, '--at', `ads.example=${here}`];
  const check = () =>
    promisify(execFile)(process.execPath, [command, ...at], { env: { ...process.env, DATABASE_URL: databaseUrl } }).catch(
      (failed: { code: number; stdout: string }) => failed,
    );
  expect((await check()).stdout).toBe('https://gazette.example/ads.txt: complete\nhttps://ads.example/sellers.json: complete\n');
  await api('PATCH', `/bidders/${bidder.body.id}`, {
    ads_txt: ['exchange.example, pub-2, DIRECT'],
    schain_name: 'Agency',
    schain_domain: 'agency.example',
  });
  expect(await check()).toMatchObject({
    code: 1,
    stdout:
      `https://gazette.example/ads.txt:\n  has DIRECT in place of RESELLER: ads.example, ${publisher.id}, RESELLER\n  lacks: exchange.example, pub-2, DIRECT\n` +
      `https://ads.example/sellers.json:\n  ${publisher.id} has the type PUBLISHER in place of INTERMEDIARY\n  ${publisher.id} has the domain gazette.example in place of agency.example\n`,
  });
});
