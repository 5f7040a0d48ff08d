import { isIP } from 'node:net';
import { problem, type Problem } from '../problems/problem.ts';

/**
 * Refuses a request by its Host header; undefined: accepted. Two headers get 400 (RFC 9112, section
 * 3.2), because a proxy and this server could read different ones; the server must join them
 * (`joinDuplicateHeaders`).
 *
 * A web page can let its own host name resolve to an address of this server and call it with the
 * rights of a visitor inside the network (DNS rebinding). Its Host header is then the page's name,
 * so only known names are accepted, besides addresses and `*.localhost`, which no page can claim.
 *
 * @param known lower case, without ports; undefined: every name
 */
export const createHostCheck = (known: readonly string[] | undefined): ((host: string | undefined) => Problem | undefined) => {
  const names = known && new Set(known);
  return (host) => {
    if (host === undefined) return undefined;
    if (host.includes(',')) return problem('invalid_request', 'A request must have one Host header.');
    return names === undefined || isKnown(names, host) ? undefined : problem('unknown_host', UNKNOWN_HOST);
  };
};

const UNKNOWN_HOST = 'This server does not know the host name of the request. Add the name to ALLOWED_HOSTS if it is yours.';

const isKnown = (names: ReadonlySet<string>, host: string): boolean => {
  const [, address, name = ''] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host) ?? [];
  if (isIP(address ?? name) !== 0) return true;
  const plain = name.toLowerCase().replace(/\.$/, '');
  return names.has(plain) || plain === 'localhost' || plain.endsWith('.localhost');
};
