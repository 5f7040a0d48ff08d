import { bookCatalog } from '../../testkit/book-catalog.ts';
import { BROWSER_HEADERS } from '../../testkit/person.ts';
import { openPrivateStores } from '../../testkit/private-stores.ts';
import { eventually } from '../../testkit/until.ts';
import { atEnd } from '../setup/at-end.ts';
import { startReplica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';

interface Answer {
  readonly seatbid: {
    readonly bid: { readonly impid: string; readonly crid: string; readonly impurl: string; readonly evturl: string }[];
  }[];
  readonly nbr?: number;
  readonly ext: { readonly nonbid?: { readonly impid: string; readonly nbr: number }[] };
  readonly debug?: { readonly trace: { readonly imps: readonly unknown[] } };
}
interface Asking {
  readonly page?: string;
  /** All placements of the page view. */
  readonly placements?: readonly string[];
  readonly userId?: string;
  readonly debug?: boolean;
  readonly sizes?: Readonly<Record<string, number>>;
}

const PLACEMENTS = ['top', 'side', 'foot', 'story'];
/** A main ad and its companion, in three sets; a part of the last one waits for approval. */
const SETS = ['A', 'B', 'C'];
const WITH_SETS = ['lead', 'tail'];
const HEADERS = { ...BROWSER_HEADERS, 'Content-Type': 'application/json' };
const FILM = ['film', 'still'];
const TAKEOVER = ['1', '2', '3'];

/** Roadblock 1 on three placements, at priority 1; line item 2 on all; roadblock 3, with a cap of four ads, on two. */
const book = async (databaseUrl: string): Promise<void> =>
  bookCatalog(databaseUrl, {
    publishers: [
      {
        ...{ name: 'P', domain: 'p.example', api_key: 'key' },
        placements: [...PLACEMENTS, ...WITH_SETS, ...FILM].map((id) => ({ id, width: 300, height: 250, formats: ['html'] })),
        campaigns: [
          {
            line_items: [
              {
                ...{ name: 'takeover', priority: 1, roadblock: true, targeting: { key_values: { section: ['sport'] } } },
                creatives: ['top', 'side', 'foot'].map((placement_id) => ({ placement_id, width: 300 })),
              },
              { name: 'others', priority: 3, creatives: PLACEMENTS.map((placement_id) => ({ placement_id })) },
              {
                ...{ name: 'capped', priority: 2, roadblock: true, daily_impression_cap: 4 },
                creatives: [{ placement_ids: ['side', 'story'] }, { placement_ids: ['side', 'story'] }],
              },
              {
                ...{ name: 'sets', roadblock: true },
                creatives: SETS.flatMap((companion_set) =>
                  WITH_SETS.map((placement_id) => ({
                    ...{ placement_id, companion_set, status: companion_set === 'C' && placement_id === 'tail' ? 'pending' : 'approved' },
                  })),
                ),
              },
              {
                ...{ name: 'film', roadblock: true, budget_type: 'CPCV', cpm: null, cpcv: 0.02, daily_impression_cap: 10 },
                creatives: FILM.map((placement_id) => ({ placement_id })),
              },
            ],
          },
        ],
      },
    ],
  });

const start = async (redisUrl: string) => {
  const databaseUrl = await testDatabase();
  await book(databaseUrl);
  const { url } = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } });
  let requests = 0;
  const ask = async (tagids: readonly string[], { page, placements, userId = 'ann', debug = false, sizes = {} }: Asking = {}) => {
    const imp = tagids.map((tagid, i) => ({ id: String(i), tagid, ...(sizes[tagid] ? { w: sizes[tagid] } : {}) }));
    const ext = { publisher_id: 1, kv: { section: 'sport' }, page_view: page, page_placements: placements };
    const response = await fetch(`${url}/ad${debug ? '?debug=1' : ''}`, {
      method: 'POST',
      headers: { 'X-API-Key': 'key' },
      body: JSON.stringify({ id: `r${++requests}`, imp, user: { id: userId }, ext }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  };
  /** The creative of each impression, or why it has none. */
  const shown = async (...asking: Parameters<typeof ask>): Promise<readonly string[]> => {
    const { seatbid, ext } = await ask(...asking);
    const bids = seatbid.flatMap(({ bid }) => bid);
    return asking[0].map((_, i) => {
      const reason = ext.nonbid?.find(({ impid }) => impid === String(i))?.nbr;
      return bids.find(({ impid }) => impid === String(i))?.crid ?? `none ${reason}`;
    });
  };
  return { url, ask, shown };
};

const openReplica = async () => {
  const stores = await openPrivateStores('roadblock');
  atEnd(stores.stop);
  const redis = await stores.startRedis();
  return { redis, stores, ...(await start(redis.url)) };
};

it('shows a roadblock on all its placements of a page or on none, also over several requests, and says why', async () => {
  const { ask, shown } = await openReplica();
  expect(await shown(['foot', 'top', 'side'])).toEqual(['3', '1', '2']);
  expect(await shown(['story', 'top', 'side', 'foot'])).toEqual(['7', ...TAKEOVER]);

  // The page asks for fewer, or for a size that one of its creatives does not fit.
  expect(await shown(['top', 'foot'])).toEqual(['4', '6']);
  expect(await shown(['top', 'side', 'foot'], { sizes: { side: 200 } })).toEqual(['4', '5', '6']);
  const traced = JSON.stringify((await ask(['top', 'foot'], { debug: true })).debug);
  expect(traced).toContain('roadblock_incomplete');
  expect(traced).toContain('all its placements or none: the page does not ask for side');
  const unfit = JSON.stringify((await ask(['top', 'side', 'foot'], { debug: true, sizes: { side: 200 } })).debug);
  expect(unfit).toContain('none of its creatives may be shown on side');

  // Each placement has one of its ads.
  expect(await shown(['top', 'top', 'side', 'foot'])).toEqual(['1', '4', '2', '3']);

  // A page view that says which placements it asks for, in three requests.
  const placements = ['top', 'side', 'foot'];
  const inTurn: string[] = [];
  for (const [i, tagid] of placements.entries()) inTurn.push(...(await shown([tagid], { page: 'v', placements, userId: `user ${i}` })));
  expect(inTurn).toEqual(TAKEOVER);
  const together = await Promise.all(placements.map((tagid) => shown([tagid], { page: 'w', placements })));
  expect(together.flat()).toEqual(TAKEOVER);
  // Two requests of three placements, and a page that has shown another ad on one of them.
  expect(await shown(['top', 'side'], { page: 'x', placements })).toEqual(TAKEOVER.slice(0, 2));
  expect(await shown(['foot'], { page: 'x', placements })).toEqual(['3']);
  expect(await shown(['top'], { page: 'y', placements: ['top', 'story'] })).toEqual(['4']);
  expect(await shown(['side', 'foot'], { page: 'y', placements })).toEqual(['5', '6']);

  // What is left of a cap is less than the roadblock.
  const pairs = async () => (await shown(['story', 'side'])).map((crid) => (crid === '8' || crid === '9' ? 'capped' : crid));
  expect(await pairs()).toEqual(['capped', 'capped']);
  expect(await pairs()).toEqual(['capped', 'capped']);
  expect(await pairs()).toEqual(['7', '5']);

  // Companions follow the main ad of their set, also in another request, and are never shown alone.
  const sets = new Set<string>();
  for (let i = 0; i < 24; i++) sets.add((await shown(['tail', 'lead'])).join());
  expect([...sets].sort()).toEqual(['11,10', '13,12']);
  expect([await shown(['tail']), await shown(['lead'])]).toEqual([['none 525'], ['none 525']]);
  const view = { page: 'z', placements: WITH_SETS };
  expect(['10,11', '12,13']).toContain([...(await shown(['lead'], view)), ...(await shown(['tail'], view))].join());
});

it('bills the rest of a roadblock at the price at which it was kept, although the price has changed since', async () => {
  const { url, ask } = await openReplica();
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) });
    expect([path, response.status]).toEqual([path, 200]);
    return response.headers.get('content-type')?.includes('json') ? ((await response.json()) as Record<string, unknown>) : {};
  };
  const view = { page: 'film', placements: FILM };
  const [first] = (await ask([FILM[0]!], view)).seatbid.flatMap(({ bid }) => bid);
  await call('PATCH', '/api/line_items/5', { cpcv: 0.05 });
  const [rest] = (await ask([FILM[1]!], view)).seatbid.flatMap(({ bid }) => bid);
  for (const { impurl, evturl } of [first!, rest!]) {
    await call('GET', impurl);
    await call('GET', `${evturl}&type=complete`);
  }
  expect(await call('GET', '/api/line_items/5/delivery')).toMatchObject({ today: { impressions: 2, spend: 0.04, held: 0 } });
});

it('while Redis is away, shows the ads of a page view, and what they exclude within an answer', async () => {
  const { redis, stores, shown } = await openReplica();
  const placements = ['top', 'side', 'foot'];
  expect(await shown(['top'], { page: 'v', placements })).toEqual(['1']);
  await redis.stop();
  // The rest of the roadblock is not known; one that the answer shows as a whole is.
  expect(await shown(['side', 'foot'], { page: 'v', placements })).toEqual(['5', '6']);
  expect(await shown(['side', 'foot', 'top'], { page: 'v', placements })).toEqual(['2', '3', '1']);
  expect(await shown(['top', 'top'], { page: 'v' })).toEqual(['4', 'none 509']);
  await stores.startRedis('', { port: Number(new URL(redis.url).port) });
  await eventually(async () => expect(await shown(['foot'], { page: 'z', placements })).toEqual(['3']));
  expect(await shown(['side', 'top'], { page: 'z', placements })).toEqual(['2', '1']);
});
