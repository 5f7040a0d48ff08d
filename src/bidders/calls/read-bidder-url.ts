import { isIP } from 'node:net';
import { isOwnNetworkAddress, isPublicAddress } from './is-public-address.ts';

export interface AddressPolicy {
  /** Development only: plain http and private addresses are let through; metadata addresses never are. */
  readonly allowPrivateAddresses: boolean;
}

/** Longer than any real endpoint or notice; a stored billing URL also travels through Redis. */
const MAX_URL_LENGTH = 2048;

/** Names that only ever lead inside: never worth a look-up, whatever a resolver says. */
const INSIDE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/;

/** May a socket go to this address under this policy? */
export const isAllowedAddress = (address: string, policy: AddressPolicy): boolean =>
  policy.allowPrivateAddresses ? isOwnNetworkAddress(address) : isPublicAddress(address);

/**
 * An endpoint or notice URL that may be called as far as its text tells, or why not. The URL parser has by then turned every spelling of an IPv4
 * address (decimal, octal, hexadecimal, shortened) into dotted form. Names are judged again, by address, where the socket connects.
 */
export const readBidderUrl = (text: string, policy: AddressPolicy): URL | 'bad_endpoint' | 'forbidden_address' => {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowPrivateAddresses))) return 'bad_endpoint';
  if (url.username !== '' || url.password !== '') return 'bad_endpoint';
  const host = bareHost(url.hostname);
  if (isIP(host) !== 0) return isAllowedAddress(host, policy) ? url : 'forbidden_address';
  return !policy.allowPrivateAddresses && INSIDE_NAME.test(host) ? 'forbidden_address' : url;
};

/** `[::1]` → `::1` */
export const bareHost = (hostname: string): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
