import ipaddr from 'ipaddr.js';

/**
 * Public-looking addresses of cloud metadata services (Azure's host agent); link-local ones are
 * excluded by their range.
 */
const CLOUD_HOSTS: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * What a development machine may call: itself and its network, never link-local (metadata)
 * addresses, multicast or "this network".
 */
const OWN_NETWORK: ReadonlySet<string> = new Set(['unicast', 'loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);
const METADATA_V6 = 'fd00:ec2::254';

/**
 * May a socket connect to this IP address? Public means globally routable unicast (IANA
 * special-purpose registries): an IPv6 address must be in 2000::/3 and outside the tunnels that
 * embed an IPv4 address (6to4, Teredo); a NAT64 address (64:ff9b::/96) counts as the IPv4 address
 * in it, as does ::ffff:a.b.c.d. Anything that is not an IP address is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  const ip = effectiveAddress(address);
  if (ip?.range() !== 'unicast' || CLOUD_HOSTS.has(ip.toString())) return false;
  return ip.kind() === 'ipv4' || (ip as ipaddr.IPv6).match(GLOBAL_UNICAST);
};

/** The rule when the development setting allows private endpoints. */
export const isOwnNetworkAddress = (address: string): boolean => {
  const ip = effectiveAddress(address);
  return ip !== null && OWN_NETWORK.has(ip.range()) && ip.toString() !== METADATA_V6 && !CLOUD_HOSTS.has(ip.toString());
};

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

const effectiveAddress = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | null => {
  if (!ipaddr.isValid(address)) return null;
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv6' && (ip as ipaddr.IPv6).match(NAT64)) return new ipaddr.IPv4(ip.toByteArray().slice(12));
  return ip;
};
