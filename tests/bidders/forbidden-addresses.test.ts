import { createHook } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { BidOutcome } from '../../src/bidders/bid-outcome.ts';
import { isOwnNetworkAddress, isPublicAddress } from '../../src/bidders/calls/is-public-address.ts';
import { answerJson, bidOf, context, httpBidder, invitationTo, opportunity, outcomeOf, watchedBidders } from './bidder-fixtures.ts';
import { atEnd } from '../setup/at-end.ts';

/** Hosts of endpoint URLs, in every spelling that a URL or a resolver takes. */
const FORBIDDEN_HOSTS = [
  // this host, loopback
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  // private networks
  '10.0.0.1',
  '10.255.255.255',
  '0xa000001',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '3232235521',
  '[fc00::1]',
  '[fd12:3456::1]',
  // carrier-grade NAT, benchmarking, documentation, reserved, multicast, broadcast
  '100.64.0.1',
  '100.127.255.254',
  '198.18.0.1',
  '198.19.255.254',
  '192.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '240.0.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '192.88.99.1',
  '[2001:db8::1]',
  '[ff02::1]',
  '[100::1]',
  '[fec0::1]',
  // link-local and metadata services
  '169.254.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'metadata.google.internal',
  'instance-data.ec2.internal',
  'printer.local',
  // IPv4 inside IPv6: mapped, translated, NAT64, 6to4, Teredo, compatible
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:10.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2002:c0a8:1::1]',
  '[2001:0:7f00:1::1]',
  '[::127.0.0.1]',
  '[::a00:1]',
];

/** What a resolver might answer for a public-looking name. */
const RESOLVED: Readonly<Record<string, readonly string[]>> = {
  'loopback.example': ['127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zoned.example': ['fe80::1%eth0'],
  'first-good.example': ['93.184.215.14', '10.0.0.1'],
  'last-good.example': ['10.0.0.1', '93.184.215.14'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  'none.example': [],
};

const resolve = (name: string, _: unknown, done: (error: null, addresses: LookupAddress[]) => void): void =>
  done(
    null,
    (RESOLVED[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );

/** Counts TCP connects and name look-ups of the process below every library. */
const counted = async (run: () => Promise<void>): Promise<{ connects: number; lookups: number }> => {
  const count = { connects: 0, lookups: 0 };
  const hook = createHook({
    init: (_, type) => {
      if (type === 'TCPCONNECTWRAP') count.connects += 1;
      if (type === 'GETADDRINFOREQWRAP') count.lookups += 1;
    },
  }).enable();
  await run();
  hook.disable();
  return count;
};

test('does not connect to a forbidden address in any spelling, by resolution or by redirect', async () => {
  const { bidders, seen } = watchedBidders({ allowPrivateAddresses: false, timeoutMs: 1_000, resolve });
  atEnd(() => bidders.close());
  const hosts = [...FORBIDDEN_HOSTS, ...Object.keys(RESOLVED)];
  const outcomes: Record<string, BidOutcome | undefined> = {};
  const count = await counted(async () => {
    for (const host of hosts) {
      const endpoint = `https://${host}/bid`;
      const { refusals } = await bidders.ask([opportunity([invitationTo(endpoint)])], context);
      outcomes[host] = refusals.map(outcomeOf)[0];
      bidders.notifyBilled(endpoint);
    }
    await bidders.close();
  });
  console.info(`forbidden addresses ${hosts.length}, connections ${count.connects}, look-ups ${count.lookups}`);
  expect(hosts.length).toBeGreaterThanOrEqual(60);
  expect(outcomes).toEqual(Object.fromEntries(hosts.map((host) => [host, 'forbidden_address'])));
  expect(count).toEqual({ connects: 0, lookups: 0 });
  expect(new Set(seen.notices)).toEqual(new Set(['billing refused', 'billing failed']));
});

test.each([
  ['plain http', 'http://93.184.215.14/bid'],
  ['user information', 'https://user:pass@bidder.example/bid'],
  ['a user only', 'https://user@bidder.example/bid'],
  ['another scheme', 'ftp://bidder.example/bid'],
  ['no URL', 'bidder.example'],
  ['a file', 'file:///etc/passwd'],
  ['an endless URL', `https://bidder.example/${'x'.repeat(3_000)}`],
])('refuses %s as an endpoint when private addresses are disabled', async (_, endpoint) => {
  const { bidders } = watchedBidders({ allowPrivateAddresses: false });
  atEnd(() => bidders.close());
  const count = await counted(async () => {
    const { refusals } = await bidders.ask([opportunity([invitationTo(endpoint)])], context);
    expect(refusals).toMatchObject([{ detail: 'endpoint URL not allowed (seat-non-bid 200)' }]);
    await bidders.close();
  });
  expect(count.connects).toBe(0);
});

test('the development setting allows local bidders by address and by name, but no metadata addresses', async () => {
  const server = await httpBidder((_, response) => answerJson(response, bidOf({ price: 1, adm: '<b>ad</b>' })));
  atEnd(() => server.close());
  const { bidders } = watchedBidders({ allowPrivateAddresses: true, resolve });
  atEnd(() => bidders.close());
  const port = new URL(server.url).port;
  const count = await counted(async () => {
    // One look-up, whether or not this machine can resolve the name.
    await lookup('localhost').catch(() => undefined);
    for (const host of ['127.0.0.1', 'loopback.example']) {
      const { bids } = await bidders.ask([opportunity([invitationTo(`http://${host}:${port}/test/bid`)])], context);
      expect(bids).toHaveLength(1);
    }
  });
  // Also shows that the counter, which must stay at zero above, counts.
  expect(count.connects).toBeGreaterThanOrEqual(2);
  expect(count.lookups).toBe(1);
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '168.63.129.16', '0.0.0.0', '224.0.0.1']) {
    const { refusals } = await bidders.ask([opportunity([invitationTo(`http://${host}/bid`)])], context);
    expect(refusals.map(outcomeOf)).toEqual(['forbidden_address']);
  }
  await bidders.close();
  await server.close();
});

test('checks the resolved address at every connection, so a name that becomes private later is refused', async () => {
  const server = await httpBidder((_, response) => answerJson(response, {}));
  atEnd(() => server.close());
  let addresses: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
  const { bidders } = watchedBidders({ resolve: (_name, _options, done) => done(null, addresses) });
  atEnd(() => bidders.close());
  const endpoint = `http://bidder.example:${new URL(server.url).port}/`;
  const outcome = async (): Promise<BidOutcome | undefined> =>
    (await bidders.ask([opportunity([invitationTo(endpoint)])], context)).refusals.map(outcomeOf)[0];
  expect(await outcome()).toBe('no_bid');
  addresses = [{ address: '169.254.169.254', family: 4 }];
  await server.close();
  // The first call may still use the half-closed old socket; later calls use the new address.
  await outcome();
  expect(await outcome()).toBe('forbidden_address');
  await bidders.close();
});

test('allows public addresses, also inside NAT64', () => {
  for (const address of [
    '8.8.8.8',
    '93.184.215.14',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '64:ff9b::808:808',
    '::ffff:8.8.8.8',
  ]) {
    expect([address, isPublicAddress(address), isOwnNetworkAddress(address)]).toEqual([address, true, true]);
  }
  for (const address of ['', 'localhost', '1.2.3', '300.1.1.1', '::g'])
    expect([address, isOwnNetworkAddress(address) && address !== '1.2.3']).toEqual([address, false]);
});
