import { browse, BROWSER_HEADERS } from '../../testkit/person.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';

interface Answer {
  readonly seatbid: { readonly bid: { readonly impurl: string }[] }[];
  readonly nbr?: number;
}

/** At this replica a client holds 4 ads without the ledger, and then a page of 20. */
const UNEARNED = 24;

it('a client that renders nothing holds a page of ads, whatever it claims to be; visitors are served, and it too when it renders', async () => {
  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'P',
        domain: 'p.example',
        api_key: 'key',
        placements: ['capped', 'free'].map((id) => ({ id, width: 300, height: 250, formats: ['html'] })),
        campaigns: [
          { line_items: [{ name: 'capped', cpm: 5, daily_impression_cap: 100, creatives: [{ placement_id: 'capped' }] }] },
          { line_items: [{ name: 'free', creatives: [{ placement_id: 'free' }] }] },
        ],
      },
    ],
  });
  const stores = await openPrivateStores('earned-holds');
  atEnd(stores.stop);
  const { url } = await stores.startRedis();
  const replica = await startReplica({
    env: { DATABASE_URL: databaseUrl, REDIS_URL: url, EARNED_HOLDS: 'true', TRUST_PROXY_HOPS: '1' },
  });
  let requests = 0;
  const ask = async (
    address: string,
    tagid = 'capped',
  ): Promise<{ readonly impurl: string | undefined; readonly nbr: number | undefined }> => {
    const n = ++requests;
    const response = await fetch(`${replica.url}/ad`, {
      method: 'POST',
      headers: { ...BROWSER_HEADERS, 'X-API-Key': 'key', 'X-Forwarded-For': `203.0.113.${n}, ${address}` },
      body: JSON.stringify({
        id: String(n),
        imp: [{ id: '1', tagid }],
        user: { id: `user-${n}` },
        device: { ip: `192.0.2.${n}` },
        ext: { publisher_id: 1 },
      }),
    });
    expect(response.status).toBe(200);
    const { seatbid, nbr } = (await response.json()) as Answer;
    return { impurl: seatbid[0]?.bid[0]?.impurl, nbr };
  };

  const got: string[] = [];
  const refused: (number | undefined)[] = [];
  for (let i = 0; i < 40; i++) {
    // Another address of the same network each time.
    const { impurl, nbr } = await ask(`198.51.100.${i + 1}`);
    if (impurl === undefined) refused.push(nbr);
    else got.push(impurl);
  }
  expect(got).toHaveLength(UNEARNED);
  expect(new Set(refused)).toEqual(new Set([515]));
  expect((await ask('198.51.100.7', 'free')).impurl).toBeDefined();
  expect((await ask('100.64.1.1')).impurl).toBeDefined();

  for (const impurl of got.slice(0, 3)) expect((await browse(replica.url + impurl)).status).toBe(200);
  // A replica remembers a refusal for a second.
  await eventually(async () => expect((await ask('198.51.100.7')).impurl).toBeDefined());
});
