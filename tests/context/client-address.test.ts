import fc from 'fast-check';
import { isIP } from 'node:net';
import { clientAddress } from '../../src/context/client-address.ts';

const clues = { deviceIp: undefined, forwardedFor: undefined, remoteAddress: '9.9.9.9', trustProxyHops: undefined };

describe('client address', () => {
  test('the publisher’s device.ip comes before the header and the socket', () => {
    expect(clientAddress({ ...clues, deviceIp: '8.8.8.8', forwardedFor: '7.7.7.7' })).toBe('8.8.8.8');
  });

  test('an IPv4 address mapped into IPv6 is the IPv4 address', () => {
    expect(clientAddress({ ...clues, remoteAddress: '::ffff:1.2.3.4' })).toBe('1.2.3.4');
    expect(clientAddress({ ...clues, deviceIp: '2001:DB8:0:0::1' })).toBe('2001:db8::1');
  });

  test.each([
    ['unknown, 1.1.1.1, 2.2.2.2', '1.1.1.1'],
    ['"[2001:db8::1]:4711", 2.2.2.2', '2001:db8::1'],
    ['1.1.1.1:4711', '1.1.1.1'],
    ['[2001:db8::2]', '2001:db8::2'],
    ['fe80::1%eth0', 'fe80::1'],
    ['1, 0x7f.1, 127.1, 3.3.3.3', '3.3.3.3'],
    ['_hidden, , ;drop', '9.9.9.9'],
    ['', '9.9.9.9'],
  ])('without trusted hops %j gives %s', (forwardedFor, expected) => {
    expect(clientAddress({ ...clues, forwardedFor })).toBe(expected);
  });

  test.each([
    [1, '3.3.3.3'],
    [2, '2.2.2.2'],
    [3, '1.1.1.1'],
    [4, '9.9.9.9'],
    [0, '9.9.9.9'],
  ])('with %i trusted hops the entry at that place from the right counts, else the socket', (trustProxyHops, expected) => {
    expect(clientAddress({ ...clues, forwardedFor: '1.1.1.1, 2.2.2.2, 3.3.3.3', trustProxyHops })).toBe(expected);
  });

  test('entries before the trusted one are ignored, even when it is not an address', () => {
    expect(clientAddress({ ...clues, forwardedFor: ['6.6.6.6', 'unknown'], trustProxyHops: 1 })).toBe('9.9.9.9');
  });

  test('any input gives a plain address or null', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()),
        fc.option(fc.nat(4), { nil: undefined }),
        (deviceIp, header, hops) => {
          const address = clientAddress({ deviceIp, forwardedFor: header, remoteAddress: undefined, trustProxyHops: hops });
          expect(address === null || isIP(address) > 0).toBe(true);
        },
      ),
    );
  });
});
