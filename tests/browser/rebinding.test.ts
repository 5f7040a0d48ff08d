import { once } from 'node:events';
import { connect } from 'node:net';
import { readFileSync } from 'node:fs';
import { startReplica, type Replica } from '../setup/start-replica.ts';
import { testDatabase } from '../setup/test-database.ts';
import { testRedisUrl } from '../setup/test-redis-url.ts';
import { startBrowser } from './setup/start-browser.ts';
import { startPublisherSite } from './setup/start-publisher-site.ts';

let replica: Replica;
beforeAll(async () => {
  // An empty variable counts as unset: the default of development.
  replica = await startReplica({ env: { DATABASE_URL: await testDatabase(), REDIS_URL: await testRedisUrl(), HOST: '' } });
});

/** Sends bytes and gives the whole answer. */
const exchange = async (text: string): Promise<string> => {
  const socket = connect(replica.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk)));
  socket.write(text);
  await once(socket, 'close');
  return answer;
};

const publishers = async (): Promise<number> => ((await (await fetch(`${replica.url}/api/publishers`)).json()) as unknown[]).length;

test('in development the service listens on loopback only', () => {
  const port = replica.port.toString(16).toUpperCase().padStart(4, '0');
  const LISTEN = '0A';
  const listening = ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(`:${port}`) && state === LISTEN)
    .map(([, local]) => local);
  expect(listening).toEqual([`0100007F:${port}`]);
});

test.each([
  ['another name', 'Host: evil.example\r\n', '421'],
  ['a known name beside another', 'Host: localhost\r\nHost: evil.example\r\n', '400'],
  ['the same name twice', 'Host: localhost\r\nHost: localhost\r\n', '400'],
  ['a known name', 'Host: localhost\r\nConnection: close\r\n', '201'],
])('a raw request with %s as its Host is answered %s', async (_, host, status) => {
  const body = '{"name":"p","domain":"p.example"}';
  const answer = await exchange(`POST /api/publishers HTTP/1.1\r\n${host}Content-Length: ${body.length}\r\n\r\n${body}`);
  expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  if (status !== '201') expect(answer).toContain('application/problem+json');
});

test('a page whose name resolves to this machine can neither read nor write the catalog', async () => {
  const before = await publishers();
  const browser = await startBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1']);
  const page = await browser.newPage();
  const opened = await page.goto(`http://evil.test:${replica.port}/static/demo/landing.html`);
  expect(opened?.status()).toBe(421);
  const answers = await page.evaluate(async () => {
    const read = await fetch('/api/publishers');
    const write = await fetch('/api/publishers', { method: 'POST', body: '{"name":"p","domain":"p.example"}' });
    return [read.status, write.status];
  });
  expect(answers).toEqual([421, 421]);
  expect(await publishers()).toBe(before);
});

test('a page of another site can neither read nor write the catalog', async () => {
  const before = await publishers();
  const site = await startPublisherSite();
  const page = await (await startBrowser()).newPage();
  const blocked: string[] = [];
  await page.goto(site.landing);
  for (const base of [replica.url, `http://localhost:${replica.port}`]) {
    const outcome = await page.evaluate(async (url) => {
      const attempt = (init?: RequestInit) =>
        fetch(`${url}/api/publishers`, init).then(
          ({ type, status }) => `${type} ${status}`,
          () => 'refused',
        );
      const body = '{"name":"p","domain":"p.example"}';
      return [await attempt(), await attempt({ method: 'POST', body }), await attempt({ method: 'POST', body, mode: 'no-cors' })];
    }, base);
    blocked.push(...outcome);
  }
  expect(blocked.filter((outcome) => outcome !== 'refused' && outcome !== 'opaque 0')).toEqual([]);
  expect(await publishers()).toBe(before);
});
