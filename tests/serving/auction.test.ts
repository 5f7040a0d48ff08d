import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { browse } from '../../testkit/person.ts';
import { atEnd } from '../setup/at-end.ts';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { eventually } from '../../testkit/until.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';

/** USD CPM, one of them for each of five line items, in every order. */
const PRICES = [0.5, 1.25, 2, 3.75, 8];
const orders = permutations(PRICES);

let replica: Replica;
let redisUrl: string;
let bidder: Server;
const notices: string[] = [];

beforeAll(async () => {
  bidder = createServer((req, res) => {
    const url = new URL(req.url as string, 'http://localhost');
    if (req.method === 'GET') {
      notices.push(url.pathname + url.search);
      res.writeHead(204).end();
      return;
    }
    let text = '';
    req.on('data', (chunk) => (text += chunk));
    req.on('end', () => {
      const request = JSON.parse(text) as { id: string; imp: { id: string }[] };
      const price = Number(url.searchParams.get('price'));
      const at = `http://${req.headers.host}`;
      const notices = {
        nurl: `${at}/win?price=\${AUCTION_PRICE}`,
        burl: `${at}/billed?price=\${AUCTION_PRICE}`,
        lurl: `${at}/lost?price=${price}&code=\${AUCTION_LOSS}`,
      };
      const bid = request.imp.map(({ id }) => ({ id: '1', impid: id, price, adm: `<i>${price}</i>`, crid: 'c', ...notices }));
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ id: request.id, cur: 'USD', seatbid: [{ bid }] }));
    });
  });
  await new Promise<void>((resolve) => bidder.listen(0, '127.0.0.1', resolve));
  const endpoint = (price: number) => `http://127.0.0.1:${(bidder.address() as AddressInfo).port}/?price=${price}`;

  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'P',
        domain: 'p.example',
        api_key: 'key',
        placements: orders.map((_, i) => ({ id: `slot-${i}`, width: 300, height: 250, formats: ['html'] })),
        campaigns: [
          {
            line_items: orders.flatMap(([one, two, three, four, five], i) => [
              ...[one, two, three].map((price) => ({
                name: 'bidder',
                type: 'programmatic',
                cpm: null,
                endpoint: endpoint(price!),
                creatives: [{ placement_id: `slot-${i}` }],
              })),
              ...[four, five].map((cpm) => ({ name: 'direct', cpm, creatives: [{ placement_id: `slot-${i}`, content: `<i>${cpm}</i>` }] })),
            ]),
          },
        ],
      },
    ],
  });
  redisUrl = await testRedisUrl();
  replica = await startReplica({ env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, BIDDER_TIMEOUT: '2s' } });
});
afterAll(() => new Promise((resolve) => bidder.close(resolve)));

interface Answer {
  readonly seatbid: { readonly bid: { readonly adm: string; readonly price: number; readonly impurl: string }[] }[];
  readonly debug: {
    readonly trace: { readonly imps: { readonly ranking: { readonly ecpm: number; readonly programmatic: boolean }[] }[] };
  };
}

const ask = async (slot: string): Promise<Answer> => {
  const response = await fetch(`${replica.url}/ad?debug=1`, {
    method: 'POST',
    headers: { 'X-API-Key': 'key' },
    body: JSON.stringify({ id: '1', imp: [{ id: '1', tagid: slot }], user: { id: 'ann' }, ext: { publisher_id: 1 } }),
  });
  return (await response.json()) as Answer;
};

it('sends win and billing notices to the winner, and loss notices with the reason to the losers', async () => {
  const won = orders.findIndex((order) => order.indexOf(8) < 3 && order.indexOf(0.5) < 3 && order.indexOf(2) < 3);
  const answer = await ask(`slot-${won}`);
  await eventually(() => expect([...notices].sort()).toEqual(['/lost?price=0.5&code=102', '/lost?price=2&code=102', '/win?price=8']));
  await browse(replica.url + answer.seatbid[0]!.bid[0]!.impurl);
  await browse(replica.url + answer.seatbid[0]!.bid[0]!.impurl);
  await eventually(() => expect(notices).toContain('/billed?price=8'));
  expect(notices.filter((notice) => notice.startsWith('/billed'))).toHaveLength(1);
});

it('sends the billing notice of an impression that Postgres stored while Redis did not answer', async () => {
  const answer = await ask(`slot-${orders.findIndex((order) => order.indexOf(8) < 3)}`);
  const billed = () => notices.filter((notice) => notice.startsWith('/billed'));
  const before = billed().length;
  const redis = new Redis(redisUrl);
  atEnd(() => redis.disconnect());
  await redis.call('CLIENT', 'PAUSE', '1000', 'ALL');
  expect((await browse(replica.url + answer.seatbid[0]!.bid[0]!.impurl)).status).toBe(200);
  expect(billed()).toHaveLength(before);
  await eventually(() => expect(billed()).toHaveLength(before + 1));
});

it('ranks three bidders and two direct line items by price, in every order of prices', async () => {
  for (const [i, order] of orders.entries()) {
    const answer = await ask(`slot-${i}`);
    const ranking = answer.debug.trace.imps[0]!.ranking;
    expect([order, ranking.map(({ ecpm }) => ecpm)]).toEqual([order, [8, 3.75, 2, 1.25, 0.5]]);
    expect([order, ranking.map(({ programmatic }) => programmatic)]).toEqual([
      order,
      [8, 3.75, 2, 1.25, 0.5].map((price) => order.indexOf(price) < 3),
    ]);
    expect([order, answer.seatbid[0]!.bid[0]]).toMatchObject([order, { adm: '<i>8</i>', price: 8 }]);
  }
});

function permutations(items: readonly number[]): number[][] {
  return items.length < 2 ? [[...items]] : items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}
