import { browse } from '../../testkit/person.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { withClient } from '../../testkit/databases.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';

/** Of a replica with an answer of Redis. */
const PATIENCE_MS = 100;

interface Answer {
  readonly seatbid: { readonly bid: { readonly crid: string; readonly impurl: string }[] }[];
  readonly nbr?: number;
}

it('while Redis is down, serves line items without limits, pauses those with limits and keeps every hit; recovers when Redis is back', async () => {
  const databaseUrl = await testDatabase();
  const creatives = (placement_id: string) => [{ placement_id }];
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'P',
        domain: 'p.example',
        api_key: 'key',
        placements: ['free', 'budgeted', 'both'].map((id) => ({ id, width: 300, height: 250, formats: ['html'] })),
        campaigns: [
          { line_items: [{ name: 'free', creatives: [...creatives('free'), ...creatives('both')] }] },
          { line_items: [{ name: 'budgeted', cpm: 5, budget: 100, creatives: [...creatives('budgeted'), ...creatives('both')] }] },
        ],
      },
    ],
  });
  const stores = await openPrivateStores('without-redis');
  atEnd(stores.stop);
  const first = await stores.startRedis();
  const replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: first.url } });
  const ask = async (tagid: string): Promise<Answer & { readonly ms: number }> => {
    const begun = performance.now();
    const response = await fetch(`${replica.url}/ad`, {
      method: 'POST',
      headers: { 'X-API-Key': 'key' },
      body: JSON.stringify({ id: '1', imp: [{ id: '1', tagid }], user: { id: 'ann' }, ext: { publisher_id: 1 } }),
    });
    expect(response.status).toBe(200);
    return { ...((await response.json()) as Answer), ms: performance.now() - begun };
  };
  const winner = ({ seatbid }: Answer) => seatbid[0]?.bid[0]?.crid;
  expect(winner(await ask('both'))).toBe('4');

  await first.stop();
  const free = await ask('free');
  expect(winner(free)).toBe('1');
  expect(await ask('budgeted')).toMatchObject({ seatbid: [], nbr: 513 });
  expect(winner(await ask('both'))).toBe('2');
  expect((await browse(replica.url + free.seatbid[0]!.bid[0]!.impurl)).status).toBe(200);
  expect((await fetch(`${replica.url}/health`)).status).toBe(200);
  // The time limit of a call of Redis would delay each of them; a busy machine delays some.
  const answerMs: number[] = [];
  for (let i = 0; i < 20; i++) answerMs.push((await ask('both')).ms);
  expect(Math.min(...answerMs)).toBeLessThan(PATIENCE_MS);

  await stores.startRedis('', { port: Number(new URL(first.url).port) });
  await eventually(async () => expect(winner(await ask('both'))).toBe('4'));
  const counts = `select line_item_id, serves::int, impressions::int from daily_counts where impressions > 0`;
  await withClient(databaseUrl, (postgres) =>
    eventually(async () => expect((await postgres.query(counts)).rows).toEqual([{ line_item_id: 1, serves: 1, impressions: 1 }])),
  );
});
