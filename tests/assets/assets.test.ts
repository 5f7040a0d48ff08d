import { connect } from 'node:net';
import { createHash } from 'node:crypto';
import { withClient } from '../../testkit/databases.ts';
import { png } from '../../testkit/png.ts';
import { html5Ad, svg, zip } from '../uploads/sample-files.ts';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { apiOf, askForAd, book, each, serveAd, type ApiCall, type Json } from '../api/api-client.ts';

const ASSETS_URL = 'https://cdn.example/ads';
let databaseUrl: string;
let replica: Replica;
/** Has a CDN in front of its files, and 1 MB for the files of a publisher. */
let other: Replica;
let api: ApiCall;

beforeAll(async () => {
  databaseUrl = await testDatabase();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: await testRedisUrl() };
  replica = await startReplica({ env });
  other = await startReplica({
    env: { ...env, ASSETS_URL, ASSET_STORE_MB: '1', PUBLIC_URL: 'https://ads.example', CREATIVE_ORIGIN: 'http://creatives.localhost' },
  });
  api = apiOf(replica.url);
});

const put = async (bytes: Buffer, query = '', { url } = replica, headers = {}): Promise<{ status: number; body: Json }> => {
  const answer = await fetch(`${url}/api/assets${query}`, { method: 'PUT', body: new Uint8Array(bytes), headers });
  return { status: answer.status, body: await answer.json() };
};
const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const rows = (query: string): Promise<readonly Json[]> => withClient(databaseUrl, async (client) => (await client.query(query)).rows);
const stored = async (): Promise<unknown> =>
  (await rows('select (select count(*) from assets)::int a, (select count(*) from asset_files)::int f'))[0];

test('an uploaded picture is served by every replica, to pages of every origin, for ever', async () => {
  const picture = png(300, 250);
  const sha256 = sha256Of(picture);
  const { publisher } = await book(api, 'pictured');
  const answer = await put(picture, `?publisher_id=${publisher.id}&name=boots.png`, replica, { 'Content-Type': 'text/plain' });
  const asset = {
    sha256,
    type: 'image/png',
    width: 300,
    height: 250,
    bytes: picture.length,
    name: 'boots.png',
    publisher_id: publisher.id,
    ...{ duration_ms: null, bitrate_kbps: null, codec: null },
  };
  expect(answer).toEqual({ status: 201, body: { url: `/static/assets/${sha256}.png`, ...asset, created_at: expect.any(String) } });
  for (const { url } of [replica, other, other]) {
    const served = await fetch(`${url}/static/assets/${sha256}.png`, { headers: { Origin: 'https://page.example' } });
    expect(Buffer.from(await served.arrayBuffer()).equals(picture)).toBe(true);
    expect(Object.fromEntries(served.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      etag: `"${sha256}"`,
    });
  }
  const again = await fetch(`${replica.url}/static/assets/${sha256}.png`, { headers: { 'If-None-Match': `W/"x", "${sha256}"` } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const head = await fetch(`${replica.url}/static/assets/${sha256}.png`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(picture.length)]);
  // What is stored is found by its bytes; nothing is stored twice.
  const before = await stored();
  expect((await put(picture, '?name=other.png')).body).toEqual(answer.body);
  expect(await stored()).toEqual(before);
  expect((await api('GET', `/audit?entity=asset&entity_id=${sha256}`)).body).toMatchObject([
    { action: 'create', after: { name: 'boots.png' } },
  ]);
});

test.each([
  'x',
  `${'0'.repeat(64)}.png`,
  `${'0'.repeat(64)}/index.html`,
  `${'0'.repeat(64)}`,
  `${'0'.repeat(64)}/..%2f..%2fadmin.html`,
  '%E0%A4%A',
  `${'0'.repeat(64)}/a%00.png`,
])('a file that is not stored (%s) answers 404', async (path) => {
  const answer = await fetch(`${replica.url}/static/assets/${path}`);
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
});

test('an HTML5 ad is served file by file, each on an opaque origin', async () => {
  const ad = html5Ad();
  const { status, body } = await put(ad, '?name=boots.zip');
  const folder = `/static/assets/${sha256Of(ad)}`;
  expect({ status, body }).toMatchObject({
    status: 201,
    body: { url: `${folder}/index.html`, type: 'text/html', width: 300, height: 250, bytes: ad.length },
  });
  for (const [file, type] of [
    ['index.html', 'text/html; charset=utf-8'],
    ['css/ad.css', 'text/css; charset=utf-8'],
    ['img/boots.png', 'image/png'],
  ]) {
    const served = await fetch(`${other.url}${folder}/${file}`, { headers: { Origin: 'null' } });
    expect([served.status, served.headers.get('content-type'), served.headers.get('access-control-allow-origin')]).toEqual([
      200,
      type,
      '*',
    ]);
    expect(served.headers.get('content-security-policy')).toBe('sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox');
  }
  expect((await fetch(`${other.url}${folder}/missing.js`)).status).toBe(404);
});

test('the addresses of files lead to the CDN and the creative origin, wherever a creative names them', async () => {
  const [picture, ad] = [png(300, 250, [1, 2, 3]), html5Ad([{ name: 'other.txt', content: '1' }])];
  const [pictureUrl, adUrl] = [(await put(picture, '', other)).body.url, (await put(ad, '', other)).body.url];
  const [picturePath, adPath] = [`/static/assets/${sha256Of(picture)}.png`, `/static/assets/${sha256Of(ad)}/index.html`];
  expect([pictureUrl, adUrl]).toEqual([`${ASSETS_URL}${picturePath}`, `http://creatives.localhost${adPath}`]);
  const booked = await book(api, 'addressed');
  const shown = async (format: string, content: string, { url } = other): Promise<string> => {
    await api('PATCH', '/placements/addressed', { formats: [format] });
    await api('PATCH', `/creatives/${booked.creative}`, { format, content, click_url: 'https://shop.example/' });
    await fetch(`${url}/reload`, { method: 'POST' });
    return (await serveAd(url, booked)).adm;
  };
  expect(await shown('banner', JSON.stringify({ image: picturePath }))).toContain(`src="${pictureUrl}"`);
  expect(JSON.parse(await shown('native', JSON.stringify({ image: picturePath, icon: '/logo.png' })))).toEqual({
    image: pictureUrl,
    icon: 'https://ads.example/logo.png',
  });
  const markup = `<iframe src="${adPath}#clickTag=\${CLICK_URL_ENC}"></iframe><img srcset="${picturePath} 1x,${picturePath} 2x"><p>see /static/assets</p>`;
  const absolute = markup.replaceAll(picturePath, pictureUrl).replace(adPath, adUrl);
  expect(await shown('html', markup)).toBe(absolute);
  // Without those settings the SDK makes paths absolute.
  expect(await shown('html', markup, replica)).toBe(markup);
  const auction = await fetch(`${other.url}/openrtb2/auction`, {
    method: 'POST',
    headers: { 'X-API-Key': booked.publisher.api_key },
    body: JSON.stringify({ id: 'a', imp: [{ id: '1', tagid: 'addressed', banner: { w: 300, h: 250 } }], user: { id: 'u9' } }),
  });
  const [bid] = (await auction.json()).seatbid[0].bid;
  expect(bid.adm).toContain(`<iframe src="${adUrl}#clickTag=https%3A%2F%2Fads.example%2Fclick`);
});

test('the creative origin serves files, and nothing else of the service', async () => {
  const ad = html5Ad();
  await put(ad);
  const get = async (path: string): Promise<number> => {
    const { request } = await import('node:http');
    return new Promise((resolve, reject) => {
      request(`${other.url}${path}`, { headers: { Host: 'creatives.localhost' } }, (answer) => resolve(answer.resume().statusCode ?? 0))
        .on('error', reject)
        .end();
    });
  };
  expect(await get(`/static/assets/${sha256Of(ad)}/index.html`)).toBe(200);
  expect([await get('/static/admin.html'), await get('/api/assets'), await get('/static/assets/../admin.html')]).toEqual([404, 404, 404]);
});

describe('nothing is stored of', () => {
  test.each([
    ['a text', Buffer.from('hello'), '', 400, /^The file is not a picture that can be read; accepted: PNG/],
    ['an SVG with a script', svg('<script>1</script>'), '', 400, /^The file is an SVG that contains <script>/],
    ['a zip with path tricks', zip([{ name: '../x.html', content: 'x' }]), '', 400, /invalid relative path/],
    ['a bomb', zip([{ name: 'index.html', content: Buffer.alloc(50_000_000) }]), '', 400, /unpacks to more than 8.0 MB/],
    ['more than 2 MB', Buffer.alloc(2_200_000, 1), '', 413, /^The file has 2\.2 MB; at most 2 MB are accepted\.$/],
    ['more than 16 MB', Buffer.alloc(17_000_000, 1), '', 413, /^The file is too large: at most 16 MB are accepted/],
    ['a file of no publisher', png(9, 9), '?publisher_id=999999', 400, /^publisher_id must be the id of a publisher\.$/],
    ['a file of a publisher that is no number', png(9, 9), '?publisher_id=x', 400, /^publisher_id must be/],
  ])('%s', async (_, bytes, query, status, words) => {
    const before = await stored();
    const answer = await put(bytes, query);
    expect([answer.status, answer.body.detail]).toEqual([status, expect.stringMatching(words)]);
    expect(await stored()).toEqual(before);
  });

  test('a file of 4 GB, before its bytes come', async () => {
    const before = await stored();
    const { hostname, port } = new URL(other.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `PUT /api/assets HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: video/mp4\r\nContent-Length: 4294967296\r\n\r\n`,
        ),
      );
      socket.once('data', (data) => {
        resolve(data.toString());
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*The file is too large: at most 16 MB are accepted/);
    expect(await stored()).toEqual(before);
  });

  test('a file for which the publisher has no room, whoever is first', async () => {
    const { publisher } = await book(api, 'full');
    const noise = (seed: number): Buffer => {
      const random = Buffer.alloc(400_000, createHash('sha512').update(String(seed)).digest());
      return zip([{ name: 'index.html', content: random }]);
    };
    const answers = await Promise.all([1, 2, 3, 4].map((seed) => put(noise(seed), `?publisher_id=${publisher.id}`, other)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const refused = answers.find(({ status }) => status === 409)?.body;
    expect(refused.code).toBe('assets_full');
    expect(refused.detail).toMatch(
      new RegExp(
        `^The file needs 401 KB, and of the 1\\.0 MB for publisher ${publisher.id} \\d+ KB are left: delete files that no creative uses\\.$`,
      ),
    );
    const mine = (await apiOf(other.url)('GET', `/assets?publisher_id=${publisher.id}`)).body;
    expect(mine).toHaveLength(2);
    const files = await rows(`select count(*)::int n from asset_files join assets using (sha256) where publisher_id = ${publisher.id}`);
    expect(files).toEqual([{ n: 2 }]);
    // What is deleted makes room.
    expect((await api('DELETE', `/assets/${mine[0].sha256}`)).status).toBe(204);
    expect((await put(noise(5), `?publisher_id=${publisher.id}`, other)).status).toBe(201);
  });
});

test('a file is deleted only while no creative uses it', async () => {
  const picture = png(30, 25, [9, 9, 9]);
  const sha256 = sha256Of(picture);
  await put(picture);
  const booked = await book(api, 'using');
  await api('PATCH', `/creatives/${booked.creative}`, { content: `<img src="/static/assets/${sha256}.png">` });
  const refused = await api('DELETE', `/assets/${sha256}`);
  expect([refused.status, refused.body.detail]).toEqual([409, `The file is used by creatives: ${booked.creative}.`]);
  await api('DELETE', `/creatives/${booked.creative}`);
  expect((await api('DELETE', `/assets/${sha256}`)).status).toBe(204);
  expect((await api('DELETE', `/assets/${sha256}`)).status).toBe(404);
  const gone = await api('PATCH', `/creatives/${(await book(api, 'late')).creative}`, {
    content: `<img src="/static/assets/${sha256}.png">`,
  });
  expect(gone.body.errors).toEqual([{ pointer: '/content', detail: `names a file that is not stored: ${sha256}` }]);
  expect(await rows(`select 1 from asset_files where sha256 = '${sha256}'`)).toEqual([]);
  expect(each((await api('GET', `/audit?entity=asset&entity_id=${sha256}`)).body, 'action')).toEqual(['delete', 'create']);
});

test('the list has the newest first, a page at a time', async () => {
  const { publisher } = await book(api, 'listed');
  for (const side of [11, 12, 13]) await put(png(side, side), `?publisher_id=${publisher.id}&name=${side}.png`);
  const names = async (query: string) => each((await api('GET', `/assets?publisher_id=${publisher.id}${query}`)).body, 'name');
  expect(await names('')).toEqual(['13.png', '12.png', '11.png']);
  expect(await names('&limit=1&offset=1')).toEqual(['12.png']);
  expect((await api('GET', '/assets?limit=0')).status).toBe(400);
  expect((await api('POST', '/assets', {})).headers.get('allow')).toBe('GET, HEAD, PUT');
});

test('a flood of unknown files takes no connection of the ads', async () => {
  const booked = await book(api, 'flooded');
  const flood = Array.from({ length: 300 }, (_, i) => fetch(`${replica.url}/static/assets/${sha256Of(Buffer.from(String(i)))}.png`));
  expect((await askForAd(replica.url, booked)).status).toBe(200);
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 404 && status !== 503)).toEqual([]);
});
