import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface AddressClues {
  /** `device.ip` of the ad request. */
  readonly deviceIp: string | undefined;
  /** The `X-Forwarded-For` header as Node gives it. */
  readonly forwardedFor: string | readonly string[] | undefined;
  /** The socket's remote address. */
  readonly remoteAddress: string | undefined;
  /** undefined: the first valid address of the header; n: the n-th from the right; 0: the header is not believed. */
  readonly trustProxyHops: number | undefined;
}

/**
 * The address of whoever sees the ad, canonical (an IPv4 address mapped into IPv6 becomes IPv4 again, no port, no zone), or null when
 * nothing given is an address. Order: what the publisher says, the proxies' header, the socket. What is no address is passed over.
 *
 * With a number of trusted hops only the entry at that place counts: the entries left of it were written by the client. When it is missing or
 * no address, the request did not come the way that the number describes, and the socket is the best that is known.
 */
export const clientAddress = ({ deviceIp, forwardedFor, remoteAddress, trustProxyHops }: AddressClues): string | null =>
  addressOf(deviceIp) ?? forwardedAddress(forwardedFor, trustProxyHops) ?? addressOf(remoteAddress);

const forwardedAddress = (header: AddressClues['forwardedFor'], hops: number | undefined): string | null => {
  if (header === undefined || header.length === 0 || hops === 0) return null;
  const entries = (typeof header === 'string' ? header : header.join(',')).split(',');
  if (hops !== undefined) return addressOf(entries.at(-hops));
  for (const entry of entries) {
    const address = addressOf(entry);
    if (address !== null) return address;
  }
  return null;
};

/** `[v6]:port`, `[v6]`, `v4:port`: what proxies write beside the bare address. */
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;
const WITH_PORT = /^([\d.]+):\d{1,5}$/;

/** The longest spelling of an address is 45 characters; quotes, brackets, a port and a zone fit in twice that. */
const LONGEST = 90;

const addressOf = (text: string | undefined): string | null => {
  if (text === undefined || text.length > LONGEST) return null;
  const bare = text.trim().replace(/^"(.*)"$/, '$1');
  const [, inside] = BRACKETED.exec(bare) ?? WITH_PORT.exec(bare) ?? [];
  const address = (inside ?? bare).replace(/%.*$/, '');
  // Node decides what is an address: ipaddr.js also takes `1`, `0x7f.1` and `127.1`, which no proxy writes and which mean other addresses to other readers.
  const family = isIP(address);
  if (family === 4) return address;
  return family === 6 ? ipaddr.process(address).toString() : null;
};
