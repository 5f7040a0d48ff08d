import { parseUrl } from '../../base/parse-url.ts';
import { isIP } from 'node:net';
import { isOwnNetworkAddress, isPublicAddress } from './is-public-address.ts';

export interface AddressPolicy {
  /** Development only: allows plain http and private addresses, but never metadata addresses. */
  readonly allowPrivateAddresses: boolean;
}

/** Longer than any real endpoint or notice; billing URLs are also stored in Redis. */
const MAX_URL_LENGTH = 2048;

/** Names reserved for internal use: rejected without a look-up. */
const INSIDE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/;

/** May a socket connect to this address under this policy? */
export const isAllowedAddress = (address: string, policy: AddressPolicy): boolean =>
  policy.allowPrivateAddresses ? isOwnNetworkAddress(address) : isPublicAddress(address);

/**
 * An endpoint or notice URL whose text is allowed, or why not. The URL parser converts every
 * spelling of an IPv4 address (decimal, octal, hexadecimal, shortened) to dotted form. Names are
 * checked again, by address, when the socket connects.
 */
export const readBidderUrl = (text: string, policy: AddressPolicy): URL | 'bad_endpoint' | 'forbidden_address' => {
  const url = text.length <= MAX_URL_LENGTH ? (parseUrl(text) ?? null) : null;
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowPrivateAddresses))) return 'bad_endpoint';
  if (url.username !== '' || url.password !== '') return 'bad_endpoint';
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return isAllowedAddress(host, policy) ? url : 'forbidden_address';
  return !policy.allowPrivateAddresses && INSIDE_NAME.test(host) ? 'forbidden_address' : url;
};

/** `[::1]` → `::1` */
export const bareHost = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
