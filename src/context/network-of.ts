import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The network of an address in canonical form, which several people share: its /24 in IPv4, its /48
 * in IPv6. `203.0.113.9` → `203.0.113.0/24`.
 */
export const networkOf = (address: string): string =>
  isIPv6(address)
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`).toString()}/48`
    : `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
