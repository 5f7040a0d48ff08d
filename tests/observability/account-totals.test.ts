import { bookCatalog } from '../../testkit/book-catalog.ts';
import { browse, BROWSER_HEADERS } from '../../testkit/person.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';

test('gauges show the money that is billed today and the money that is held, by currency', async () => {
  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'P',
        domain: 'p.example',
        api_key: 'key',
        placements: [{ id: 'top', width: 300, height: 250, formats: ['html'] }],
        campaigns: [{ line_items: [{ name: 'ten', cpm: 10, budget: 100, creatives: [{ placement_id: 'top' }] }] }],
      },
    ],
  });
  const { url } = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), ALLOWANCES: 'off' } });
  const askForAd = async (): Promise<string> => {
    const response = await fetch(`${url}/ad`, {
      method: 'POST',
      headers: { ...BROWSER_HEADERS, 'X-API-Key': 'key' },
      body: JSON.stringify({ id: '1', imp: [{ id: '1', tagid: 'top' }], user: { id: 'ann' }, ext: { publisher_id: 1 } }),
    });
    const answer = (await response.json()) as { seatbid: { bid: { impurl: string }[] }[] };
    return answer.seatbid[0]!.bid[0]!.impurl;
  };
  await askForAd();
  await askForAd();
  await browse(url + (await askForAd()));
  const metrics = await readMetrics({ url });
  const valueOf = (name: string) => metrics.get(`adserver_${name}`);
  // A thousandth of the CPM for each impression.
  expect([valueOf('spend_today{currency="USD"}'), valueOf('held{currency="USD"}'), valueOf('unsettled_reservations')]).toEqual([
    0.01, 0.02, 2,
  ]);
});
