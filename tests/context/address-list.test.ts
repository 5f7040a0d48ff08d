import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { createAddressList, readAddressList } from '../../src/context/address-list.ts';
import { networkOf } from '../../src/context/network-of.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const fileOf = (text: string): string => {
  const file = path.join(temporaryFolder(), 'list');
  writeFileSync(file, text);
  return file;
};

test('an address is in the list exactly when one of its ranges contains it, in both families', () => {
  const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 4, max: 32 })).map(([address, length]) => `${address}/${length}`);
  const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 4, max: 128 })).map(([address, length]) => `${address}/${length}`);
  fc.assert(
    fc.property(fc.array(fc.oneof(v4, v6), { minLength: 1, maxLength: 20 }), fc.oneof(fc.ipV4(), fc.ipV6()), (ranges, address) => {
      const parsed = ipaddr.parse(address);
      // A mapped address is the IPv4 address, which requests are read as.
      fc.pre(!(parsed.kind() === 'ipv6' && (parsed as ipaddr.IPv6).isIPv4MappedAddress()));
      const expected = ranges
        .map((range) => ipaddr.parseCIDR(range))
        .some(([net, length]) => net.kind() === parsed.kind() && parsed.match(net, length));
      expect(createAddressList(ranges).has(address)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test('of a network it says whether the list has all, some or none of it', () => {
  const list = createAddressList(['192.0.2.0/25', '198.51.100.0/23', '2001:db8:1::/48']);
  expect(['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8:1::/48', '2001:db8::/48'].map(list.partOf)).toEqual([
    ...['some', 'all', 'none', 'all', 'none'],
  ]);
});

test('a file has a range or an address per line, and comments', async () => {
  const list = await readAddressList(fileOf('# clouds\n192.0.2.0/24 # one\n\n2001:db8::1\r\n'));
  expect([list.size, list.has('192.0.2.200'), list.has('2001:db8::1'), list.has('2001:db8::2'), list.has(null)]).toEqual([
    2,
    true,
    true,
    false,
    false,
  ]);
});

test.each([
  ['192.0.2.0/33\nnonsense\n10.0.0.0/8', /2 lines .* line 1: 192\.0\.2\.0\/33; line 2: nonsense/],
  ['# nothing\n', /is empty/],
])('a file with other lines, or without any, is refused: %j', async (text, message) => {
  await expect(readAddressList(fileOf(text))).rejects.toThrow(message);
});

test('an address is cut to its /24 or /48', () => {
  expect(['192.0.2.77', '2001:db8:12:ffff::1', '::1'].map(networkOf)).toEqual(['192.0.2.0/24', '2001:db8:12::/48', '0:0:0::/48']);
});
