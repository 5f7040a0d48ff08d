import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bookCatalog } from '../../testkit/book-catalog.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { requestFaults, responseFaults } from './auction-schemas.ts';
import { judgeAnswer, type AskedAuction } from './prebid-server-caller.ts';

/** An auction as Prebid Server sends it to an adapter's endpoint, and what it makes of the answer. */
interface Exchange {
  readonly name: string;
  readonly path: string;
  readonly gzip?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: AskedAuction;
  readonly accepted: readonly object[];
  readonly refused: readonly string[];
  readonly nonbids: readonly object[];
}

const FOLDER = join(__dirname, 'prebid-server');
const EXCHANGES = readdirSync(FOLDER).flatMap((file) => [JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))].flat() as Exchange[]);
const CLICK = { click_url: 'https://brand.example/', advertiser_domain: 'brand.example' };

let replica: Replica;
beforeAll(async () => {
  const databaseUrl = await testDatabase();
  await bookCatalog(databaseUrl, {
    publishers: [
      {
        name: 'News',
        domain: 'news.example',
        origins: ['https://news.example'],
        api_key: 'key',
        placements: [
          { id: 'top', width: 300, height: 250, formats: ['banner'] },
          { id: 'feed', width: 300, height: 250, formats: ['native'] },
        ],
        campaigns: [
          {
            line_items: [
              {
                cpm: 4.5,
                deal_id: 'autumn',
                creatives: [
                  {
                    placement_id: 'top',
                    format: 'banner',
                    content: '{"image":"/a.png","alt":"Coffee"}',
                    width: 300,
                    height: 250,
                    ...CLICK,
                  },
                  { placement_id: 'feed', format: 'native', content: '{"title":"Coffee","image":"/b.png"}', ...CLICK },
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  const CURRENCY_RATES = join(__dirname, '../contract/rates.json');
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl(), PUBLIC_URL: 'https://ads.example', CURRENCY_RATES };
  replica = await startReplica({ env });
});

test.each(EXCHANGES)('Prebid Server calls: $name', async ({ path, gzip, headers, request, accepted, refused, nonbids }) => {
  expect(requestFaults(request)).toEqual([]);
  const text = JSON.stringify(request);
  const answer = await fetch(replica.url + path, { method: 'POST', headers, body: gzip ? gzipSync(text) : text });
  const body = await answer.text();
  expect(responseFaults(JSON.parse(body))).toEqual([]);
  const judged = judgeAnswer(request, answer.status, body);
  expect(judged.refused).toEqual(refused);
  expect(judged.accepted).toMatchObject(accepted);
  expect(judged.accepted).toHaveLength(accepted.length);
  const { ext } = JSON.parse(body) as { readonly ext: { readonly seatnonbid: readonly { readonly nonbid: readonly object[] }[] } };
  expect(ext.seatnonbid.flatMap(({ nonbid }) => nonbid)).toMatchObject(nonbids);
});

test('Prebid Server names a page of another site, or an unknown publisher: the call is refused', async () => {
  const call = async (path: string, site: object): Promise<number> => {
    const body = JSON.stringify({ id: '1', imp: [{ id: '1', banner: { w: 300, h: 250 } }], site });
    return (await fetch(replica.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json;charset=utf-8' }, body }))
      .status;
  };
  expect(await call('/openrtb2/auction/1', { page: 'https://elsewhere.example/' })).toBe(403);
  expect(await call('/openrtb2/auction/9', { page: 'https://news.example/' })).toBe(401);
});

test('the stand-in for Prebid Server refuses what it refuses', () => {
  const request: AskedAuction = {
    id: '1',
    imp: [{ id: '1', banner: { format: [{ w: 300, h: 250 }] }, secure: 1 }],
    regs: { ext: { dsa: { dsarequired: 2, pubrender: 0 } } },
  };
  const good = { id: 'b', impid: '1', price: 1, crid: 'c', mtype: 1, w: 300, h: 250, adm: 'x', ext: { dsa: { adrender: 1 } } };
  const refusedOf = (changes: object, cur = 'USD') =>
    judgeAnswer(request, 200, JSON.stringify({ cur, seatbid: [{ bid: [{ ...good, ...changes }] }] })).refused;
  expect(refusedOf({})).toEqual([]);
  const changes: readonly object[] = [
    { id: '' },
    { impid: '' },
    { impid: '2' },
    { price: 0 },
    { price: -1 },
    { price: '1' },
    { crid: undefined },
    { mtype: undefined },
    { mtype: 4 },
    { adm: '' },
    { w: 301 },
    { h: undefined },
    { adm: '<img src="http://a.example/b.png">' },
    { adomain: 'brand.example' },
    { ext: undefined },
    { ext: { dsa: { adrender: 0 } } },
    { ext: { dsa: { adrender: 1, behalf: 'x'.repeat(101) } } },
  ];
  expect(changes.filter((change) => refusedOf(change).length !== 1)).toEqual([]);
  expect(refusedOf({}, 'EUR')).toEqual(["Bid currency is not allowed. Was 'EUR', wants: ['USD']"]);
  expect(judgeAnswer(request, 204, '').refused).toEqual([]);
  expect(judgeAnswer(request, 500, '').refused).toHaveLength(1);
});
