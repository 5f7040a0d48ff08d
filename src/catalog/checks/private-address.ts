import { parseUrl } from '../../base/parse-url.ts';

/**
 * Networks that no visitor reaches, as IP addresses in a URL: of RFC 1918, carriers, links (with the metadata of clouds) and
 * IPv6's own. Loopback is left for development.
 */
const PRIVATE_V4 = /^(0|10|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const PRIVATE_V6 = /^\[(f[cd]|fe[89ab])/i;
const PRIVATE_NAME = /\.(internal|local|lan|home\.arpa)\.?$/i;

/** Whether an address names a host of a private network. Numbers in other bases are normalised first, as browsers do. */
export const isPrivateAddress = (url: string): boolean => {
  const hostname = parseUrl(url)?.hostname ?? '';
  return PRIVATE_V4.test(hostname) || PRIVATE_V6.test(hostname) || PRIVATE_NAME.test(hostname);
};
