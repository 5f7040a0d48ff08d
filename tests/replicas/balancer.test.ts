import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { startBalancer } from '../../testkit/start-balancer.ts';

/** Longer than a server of Node keeps a connection by default. */
const IDLE_MS = 6_500;

test('the balancer of the proofs keeps idle connections, and says nothing of those to its replicas', async () => {
  const replica = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  replica.keepAliveTimeout = 75_000;
  await once(replica, 'listening');
  const balancer = await startBalancer([(replica.address() as AddressInfo).port]);
  const client = new Client(balancer.url, { keepAliveTimeout: 60_000 });
  let closed = 0;
  client.on('disconnect', () => closed++);
  const ask = async () => {
    const { statusCode, headers, body } = await client.request({ method: 'POST', path: '/ad', body: '{}' });
    await body.dump();
    return { statusCode, keepAlive: headers['keep-alive'] };
  };
  expect(await ask()).toEqual({ statusCode: 200, keepAlive: undefined });
  await sleep(IDLE_MS);
  expect(await ask()).toEqual({ statusCode: 200, keepAlive: undefined });
  expect(closed).toBe(0);
  await client.destroy();
  await balancer.stop();
  replica.closeAllConnections();
  replica.close();
});
