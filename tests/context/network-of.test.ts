import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { isLocal } from '../../src/context/network-of.ts';

/** By the registry that ipaddr.js has (RFC 6890). */
const LOCAL = ['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat', 'unspecified'];

test('an address is local where the registry of special addresses says so', () => {
  const edges = [0, 1, 9, 10, 11, 15, 16, 31, 32, 63, 64, 100, 127, 128, 168, 169, 172, 192, 254, 255];
  const number = fc.oneof(fc.constantFrom(...edges), fc.nat(255));
  const ipv4 = fc.array(number, { minLength: 4, maxLength: 4 }).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(fc.oneof({ arbitrary: ipv4, weight: 9 }, fc.ipV6()), (text) => {
      const address = ipaddr.parse(text).toString();
      expect([address, isLocal(address)]).toEqual([address, LOCAL.includes(ipaddr.parse(address).range())]);
    }),
    { numRuns: 5_000, seed: 1 },
  );
});
