import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface AddressClues {
  /** `device.ip` of the ad request. */
  readonly deviceIp: string | undefined;
  /** The `X-Forwarded-For` header as Node gives it. */
  readonly forwardedFor: string | readonly string[] | undefined;
  /** The socket's remote address. */
  readonly remoteAddress: string | undefined;
  /**
   * undefined: the first valid address among the first 32 entries of the header; n: the n-th entry from the right; 0: the
   * header is not trusted.
   */
  readonly trustProxyHops: number | undefined;
}

/**
 * The visitor's address in canonical form (IPv4 instead of IPv4-mapped IPv6, no port, no zone), or
 * null when no address is given. Order: the publisher's `device.ip`, the proxies' header, the
 * socket. Invalid addresses are skipped.
 *
 * With a number of trusted hops only the entry at that position counts, because the client wrote
 * the entries left of it. If that entry is missing or invalid, the request took another route than
 * configured, and the socket's address is used.
 */
export const clientAddress = ({ deviceIp, forwardedFor, remoteAddress, trustProxyHops }: AddressClues): string | null =>
  addressOf(deviceIp) ?? forwardedAddress(forwardedFor, trustProxyHops) ?? addressOf(remoteAddress);

/**
 * What one client is counted by: an IPv4 address, or the /64 of an IPv6 address, within which a
 * client chooses its addresses (RFC 4941).
 */
export const addressPrefix = (address: string): string =>
  isIP(address) === 6
    ? (ipaddr.parse(address) as ipaddr.IPv6).parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : address;

/** Entries of the header that are read. A chain of proxies has a few. */
const MAX_HOPS = 32;

const forwardedAddress = (header: AddressClues['forwardedFor'], hops: number | undefined): string | null => {
  if (header === undefined || header.length === 0 || hops === 0) return null;
  const list = typeof header === 'string' ? header : header.join(',');
  if (hops !== undefined) return addressOf(entryFromRight(list, hops));
  let from = 0;
  for (let hop = 0; hop < MAX_HOPS && from <= list.length; hop++) {
    const comma = list.indexOf(',', from);
    const end = comma < 0 ? list.length : comma;
    const address = addressOf(list.slice(from, end));
    if (address !== null) return address;
    from = end + 1;
  }
  return null;
};

/** Reads no more of the header than it needs; undefined when it has fewer entries. */
const entryFromRight = (list: string, hops: number): string | undefined => {
  let end = list.length;
  for (let hop = 1; ; hop++) {
    const comma = end < 1 ? -1 : list.lastIndexOf(',', end - 1);
    if (hop === hops) return list.slice(comma + 1, end);
    if (comma < 0) return undefined;
    end = comma;
  }
};

/** `[v6]:port`, `[v6]`, `v4:port`: forms that proxies write besides the plain address. */
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;

/**
 * An address has at most 45 characters; quotes, brackets, a port and a zone fit into twice that.
 */
const MAX_ADDRESS_LENGTH = 90;

const addressOf = (text: string | undefined): string | null => {
  if (text === undefined || text.length > MAX_ADDRESS_LENGTH) return null;
  const bare = text.trim().replace(/^"(.*)"$/, '$1');
  const [, inside] = BRACKETED.exec(bare) ?? WITH_PORT.exec(bare) ?? [];
  const address = (inside ?? bare).replace(/%.*$/, '');
  // Node decides what is an address: ipaddr.js also accepts `1`, `0x7f.1` and `127.1`, which
  // proxies do not write and which parsers read differently.
  const family = isIP(address);
  if (family === 4) return address;
  return family === 6 ? ipaddr.process(address).toString() : null;
};
