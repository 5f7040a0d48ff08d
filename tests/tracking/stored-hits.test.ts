import { Redis } from 'ioredis';
import { Client } from 'pg';
import { eventually } from '../../testkit/until.ts';
import { browse, lookAtAd } from '../../testkit/person.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

let replica: Replica;
let postgres: Client;
let redis: Redis;
beforeAll(async () => {
  const databaseUrl = await testDatabase();
  const redisUrl = await testRedisUrl();
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'P',
        domain: 'p.example',
        api_key: 'key',
        placements: [{ id: 'top', width: 300, height: 250, formats: ['html'] }],
        campaigns: [{ line_items: [{ cpm: 1.333, creatives: [{ placement_id: 'top' }] }] }],
      },
    ],
  });
  postgres = new Client({ connectionString: databaseUrl });
  await postgres.connect();
  redis = new Redis(redisUrl);
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } });
});
afterAll(async () => {
  redis.disconnect();
  await postgres.end();
});
beforeEach(async () => {
  await postgres.query('truncate events, event_batches, daily_counts, filtered_counts, event_counts, pending_hits');
});

interface BidUrls {
  readonly impurl: string;
  readonly clkurl: string;
  readonly evturl: string;
}

async function ask(): Promise<BidUrls> {
  const response = await fetch(`${replica.url}/ad`, {
    method: 'POST',
    headers: { 'X-API-Key': 'key' },
    body: JSON.stringify({ id: '1', imp: [{ id: '1', tagid: 'top' }], user: { id: 'ann' }, ext: { publisher_id: 1 } }),
  });
  const answer = (await response.json()) as { seatbid: { bid: BidUrls[] }[] };
  return answer.seatbid[0]!.bid[0]!;
}

const hit = async (url: string, headers: Record<string, string> = {}): Promise<number> => (await browse(replica.url + url, headers)).status;
const rows = async (sql: string): Promise<unknown[]> => (await postgres.query<Record<string, unknown>>(sql)).rows;
const KINDS = `select kind, event_type, invalid_reason, billed_micros::int as billed from events order by kind, event_type, invalid_reason`;

describe('a hit answered 200', () => {
  it('gives one row and one count, however often it is repeated', async () => {
    const { impurl, clkurl, evturl } = await ask();
    for (const url of [impurl, clkurl, `${evturl}&type=like`, `${evturl}&type=share`]) {
      if (url === clkurl) await lookAtAd();
      expect(await Promise.all([1, 2, 3].map(() => hit(url)))).toEqual([200, 200, 200]);
    }
    await eventually(async () =>
      expect(await rows(KINDS)).toEqual([
        { kind: 'click', event_type: '', invalid_reason: '', billed: 0 },
        { kind: 'event', event_type: 'like', invalid_reason: '', billed: 0 },
        { kind: 'event', event_type: 'share', invalid_reason: '', billed: 0 },
        { kind: 'impression', event_type: '', invalid_reason: '', billed: 1333 },
      ]),
    );
    await eventually(async () =>
      expect(await rows('select impressions::int, clicks::int, spend_micros::int as spend from daily_counts')).toEqual([
        { impressions: 1, clicks: 1, spend: 1333 },
      ]),
    );
    // The last ones may be counted later than the others.
    await eventually(async () =>
      expect(await rows('select event_type, count::int from event_counts order by 1')).toEqual([
        { event_type: 'like', count: 1 },
        { event_type: 'share', count: 1 },
      ]),
    );
  });

  it('is billed once over a thousand replays', async () => {
    const { impurl } = await ask();
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push(...(await Promise.all(Array.from({ length: 100 }, () => hit(impurl)))));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1000);
    await eventually(async () =>
      expect(await rows('select count(*)::int, sum(billed_micros)::int as billed from events')).toEqual([{ count: 1, billed: 1333 }]),
    );
  });

  it('is stored but not billed when it was prefetched, and the real hit after it counts', async () => {
    const { impurl } = await ask();
    expect(await hit(impurl, { 'Sec-Purpose': 'prefetch;prerender' })).toBe(200);
    expect(await hit(impurl)).toBe(200);
    await eventually(async () =>
      expect(await rows(KINDS)).toEqual([
        { kind: 'impression', event_type: '', invalid_reason: '', billed: 1333 },
        { kind: 'impression', event_type: '', invalid_reason: 'prefetch', billed: 0 },
      ]),
    );
    await eventually(async () => expect(await rows('select impressions::int from daily_counts')).toEqual([{ impressions: 1 }]));
  });

  it('is stored with its reason and not billed when a spider sent it', async () => {
    const { impurl } = await ask();
    await hit(impurl, { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
    await eventually(async () =>
      expect(await rows(KINDS)).toEqual([{ kind: 'impression', event_type: '', invalid_reason: 'spider', billed: 0 }]),
    );
    expect(await rows('select 1 from daily_counts where impressions > 0')).toEqual([]);
  });

  it('is stored in Postgres while Redis does not answer, and is folded back once', async () => {
    const { impurl, clkurl } = await ask();
    await redis.call('CLIENT', 'PAUSE', '1500', 'ALL');
    expect(await Promise.all([hit(impurl), hit(impurl)])).toEqual([200, 200]);
    await lookAtAd();
    expect(await hit(clkurl)).toBe(200);
    await eventually(async () =>
      expect(await rows('select impressions::int, clicks::int from daily_counts')).toEqual([{ impressions: 1, clicks: 1 }]),
    );
    await eventually(async () => expect(await rows('select count(*)::int from pending_hits')).toEqual([{ count: 0 }]));
    expect(await rows('select count(*)::int, sum(billed_micros)::int as billed from events')).toEqual([{ count: 2, billed: 1333 }]);
  });
});
