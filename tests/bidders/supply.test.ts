import { createServer, type RequestListener } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { adsTxtFaults, adsTxtRecords, writeAdsTxt } from '../../src/bidders/supply/ads-txt.ts';
import { checkSupply } from '../../src/bidders/supply/check-supply.ts';
import { createSiteFiles } from '../../src/bidders/supply/site-files.ts';
import { ambiguousSellers, sellersJsonFaults, sellersOf } from '../../src/bidders/supply/sellers-json.ts';
import type { PublisherSupply, SellingBidder } from '../../src/catalog/postgres/read-supply.ts';
import type { SellerNode } from '../../src/catalog/model/seller-node.ts';
import { atEnd } from '../setup/at-end.ts';

const NODE: SellerNode = { asi: 'ads.example', sid: 'p-${PUBLISHER_ID}', name: null, domain: null };
const selling = (schain: SellerNode | null, ...adsTxt: string[]): SellingBidder => ({ schain, adsTxt });
const publisher = (id: number, bidders: readonly SellingBidder[], more: Partial<PublisherSupply> = {}): PublisherSupply => ({
  ...{ id, name: `Paper ${id}`, domain: `paper${id}.example`, origins: [] },
  bidders,
  ...more,
});
const AGENCY = { ...NODE, sid: '9', name: 'Agency', domain: 'Agency.example' };
const RECORD = 'Exchange.example , pub-1,reseller, F08C # asked for by the exchange';

test('the lines of a publisher name its account, that of a company in between, and what bidders ask for, each once', () => {
  const supply = publisher(7, [
    selling(NODE, RECORD, 'x'),
    selling(NODE, 'exchange.example, pub-1, RESELLER, F08C'),
    selling(AGENCY),
    selling(null),
  ]);
  expect(writeAdsTxt(supply).split('\n').slice(1)).toEqual([
    'OWNERDOMAIN=paper7.example',
    'ads.example, p-7, DIRECT',
    'exchange.example, pub-1, RESELLER, F08C',
    'ads.example, 9, RESELLER',
    '',
  ]);
  expect(adsTxtFaults(supply, writeAdsTxt(supply))).toEqual([]);
  expect(adsTxtRecords(publisher(1, [selling(null)]))).toEqual([]);
});

test.each([
  ['other spellings', '\ufeffADS.example,p-7,direct\r\n  exchange.example, pub-1, RESELLER, f08c ; extension\rfoo', []],
  ['nothing', '', ['lacks: ads.example, p-7, DIRECT', 'lacks: exchange.example, pub-1, RESELLER, F08C']],
  [
    'another relation, certification and owner, and an account in another case',
    'OwnerDomain = other.example # us\nads.example, P-7, DIRECT\nads.example, p-7, RESELLER\nexchange.example, pub-1, RESELLER, 99',
    [
      'has RESELLER in place of DIRECT: ads.example, p-7, DIRECT',
      'lacks the certification id: exchange.example, pub-1, RESELLER, F08C',
      'OWNERDOMAIN is other.example, and the domain of the publisher paper7.example',
    ],
  ],
])('an ads.txt with %s', (_, served, faults) => {
  expect(adsTxtFaults(publisher(7, [selling(NODE, RECORD)]), served)).toEqual(faults);
});

test('sellers.json names who is paid at each account of a system; an account of two companies is a fault', () => {
  const supplies = [publisher(1, [selling(NODE), selling(AGENCY)]), publisher(2, [selling(NODE), selling(AGENCY)]), publisher(3, [])];
  const sellers = sellersOf(supplies).get('ads.example')!;
  expect(sellers).toEqual([
    { seller_id: 'p-1', name: 'Paper 1', domain: 'paper1.example', seller_type: 'PUBLISHER' },
    { seller_id: '9', name: 'Agency', domain: 'agency.example', seller_type: 'INTERMEDIARY' },
    { seller_id: 'p-2', name: 'Paper 2', domain: 'paper2.example', seller_type: 'PUBLISHER' },
  ]);
  expect(ambiguousSellers(sellers)).toEqual([]);
  const shared = { ...NODE, sid: '5' };
  const two = sellersOf([publisher(1, [selling(shared)]), publisher(2, [selling(shared)])]).get('ads.example')!;
  expect(ambiguousSellers(two)).toMatchObject([expect.stringContaining('5 is Paper 1 (paper1.example) and Paper 2 (paper2.example)')]);

  expect(sellersJsonFaults(sellers, { sellers })).toEqual([]);
  const others = [
    { seller_id: 'p-1', seller_type: 'intermediary', domain: 'PAPER1.example' },
    { seller_id: '9', seller_type: 'BOTH', is_confidential: 1 },
    null,
  ];
  expect(sellersJsonFaults(sellers, { sellers: others })).toEqual([
    'p-1 has the type intermediary in place of PUBLISHER',
    'lacks: p-2, Paper 2 (paper2.example), PUBLISHER',
  ]);
  for (const wrong of [undefined, [], 'x', { sellers: {} }]) expect(sellersJsonFaults(sellers, wrong)).toHaveLength(1);
});

describe('the files of sites', () => {
  const serve = async (listener: RequestListener): Promise<number> => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    atEnd(() => (server.closeAllConnections(), void server.close()));
    return (server.address() as AddressInfo).port;
  };
  /** Every name leads here. */
  const filesOfThisMachine = (allowPrivateAddresses = true) => {
    const files = createSiteFiles({
      ...{ allowPrivateAddresses, timeoutMs: 2_000 },
      resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    atEnd(() => files.close());
    return files;
  };

  test('are read over redirects within the site, and one that leaves it', async () => {
    const port: number = await serve((request, response) => {
      const { host = '', url = '' } = { host: request.headers.host, url: request.url };
      const to = (location: string): unknown => response.writeHead(302, { location }).end();
      if (url === '/inside') return to('/ads.txt');
      if (url === '/www') return to(`http://www.site.example:${port}/outside`);
      if (url === '/outside') return to(`http://other.example:${port}/ads.txt`);
      if (url === '/twice') return to(`http://other.example:${port}/outside`);
      if (url === '/loop') return to('/loop');
      if (url === '/file') return to('file:///etc/passwd');
      if (url === '/page') return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
      if (url === '/silent') return undefined;
      return url === '/ads.txt' ? response.end(`from ${host.replace(/:.*/, '')}`) : response.writeHead(404).end();
    });
    const files = filesOfThisMachine();
    const read = (path: string) => files.read(new URL(path, `http://site.example:${port}`));
    expect(await read('/inside')).toEqual({ text: 'from site.example' });
    expect(await read('/www')).toEqual({ text: 'from other.example' });
    expect(await read('/twice')).toEqual({ fault: `redirects outside of the site twice, to other.example:${port}` });
    expect(await read('/loop')).toEqual({ fault: 'redirects more than 5 times' });
    expect(await read('/file')).toEqual({ fault: 'redirects to null, which is not called' });
    expect(await read('/page')).toEqual({ fault: 'is a web page' });
    expect(await read('/none')).toEqual({ fault: 'answers 404' });
    expect(await read('/silent')).toEqual({ fault: 'does not answer within 2 s' });
    expect(await filesOfThisMachine(false).read(new URL('https://site.example/ads.txt'))).toEqual({
      fault: 'cannot be read: address not allowed for bidders',
    });
  });

  test('are compared for the domain and the other sites of each publisher, and once for each system', async () => {
    const supplies = [
      publisher(1, [selling(NODE)], {
        origins: ['https://www.paper1.example', 'https://*.weekly.example:8443', 'http://10.0.0.1', 'http://localhost:3000'],
      }),
      publisher(2, [selling(null)]),
    ];
    const asked: string[] = [];
    const checked = await checkSupply(supplies, (url) => {
      asked.push(url.href);
      if (url.pathname === '/sellers.json') return Promise.resolve({ text: 'no JSON' });
      return Promise.resolve(url.hostname === 'paper1.example' ? { text: 'ads.example, p-1, DIRECT' } : { fault: 'answers 404' });
    });
    expect(asked).toEqual(['https://paper1.example/ads.txt', 'https://weekly.example/ads.txt', 'https://ads.example/sellers.json']);
    expect(checked.map(({ faults }) => faults)).toEqual([[], ['answers 404'], ['is not a sellers.json: it has no list "sellers"']]);
  });
});
