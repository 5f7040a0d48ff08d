import ipaddr from 'ipaddr.js';

/**
 * The network of a valid address, which several people share: its /24 in IPv4, its /48 in IPv6.
 * `203.0.113.9` → `203.0.113.0/24`.
 */
export const networkOf = (address: string): string => `${truncateAddress(address)}/${address.includes(':') ? 48 : 24}`;

/** The network around it, of one operator mostly: its /16 in IPv4, its /32 in IPv6. `203.0.113.9` → `203.0`. */
export const wideNetworkOf = (address: string): string => address.split(address.includes(':') ? ':' : '.', 2).join('.');

/** The first address of its network. `203.0.113.9` → `203.0.113.0`. */
export const truncateAddress = (address: string): string => {
  if (!address.includes(':')) return `${address.slice(0, address.lastIndexOf('.'))}.0`;
  const [a = 0, b = 0, c = 0] = (ipaddr.parse(address) as ipaddr.IPv6).parts;
  return `${[a, b, c].map((part) => part.toString(16)).join(':')}::`;
};

const LOCAL_RANGES: ReadonlySet<string> = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat', 'unspecified']);

/** The same in IPv4 (RFC 6890), in 0.1 instead of 1 µs: it is asked of most ads. */
const LOCAL_IPV4 = /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** Not routed on the internet. A proxy that is not trusted has such an address, and every visitor behind it. */
export const isLocal = (address: string): boolean =>
  address.includes(':') ? LOCAL_RANGES.has(ipaddr.parse(address).range()) : LOCAL_IPV4.test(address);
