import { hash } from 'node:crypto';
import { copyText } from '../base/copy-text.ts';
import { RecentMap } from '../base/recent-map.ts';
import { isLocal, networkOf, wideNetworkOf } from './network-of.ts';
import { BROWSERS, type Browser } from '../catalog/model/choices.ts';

/** Where an ad was served to: in its token, so that a hit from elsewhere is seen. */
export type VisitorSeal = ReturnType<typeof createVisitorSeal>;

/** null: unknown, which differs from nothing. */
export interface SealedVisitor {
  readonly browser: Browser | null;
  readonly ip: string | null;
  readonly origin: string | null;
}

const UNKNOWN = '.';
/** In the place of the version of IP: behind an address of a private network may be everybody (ledger/settle/actor.ts). */
const LOCAL = 'L';
/** 24 bits: one in 16 million other values has the same. */
const PART_LENGTH = 4;
const NO_PART = UNKNOWN.repeat(PART_LENGTH);
const UNKNOWN_NETWORK = UNKNOWN + NO_PART;
/** Begins the name of a client's wide network, at the end of the client's; lua/clients.lua looks for it. */
const WIDE_MARK = '~';
/** One in 260,000 other wide networks has the same. */
const WIDE_LENGTH = 3;
const [NETWORK_AT, ORIGIN_AT, USER_AT] = [1, 6, 10];

/** The parts are cached by network and by origin: 0.1 µs, and 1.5 µs for a new one. */
export const createVisitorSeal = ({ cacheSize = 50_000 } = {}) => {
  const known = new RecentMap<string, string>(cacheSize);
  /** @param name of the value among those of all kinds */
  const partOf = (key: string, name: string, value: string, seal: (key: string, value: string) => string): string => {
    let part = known.get(name);
    if (part === undefined) {
      part = seal(key, value);
      known.set(copyText(name), part);
    }
    return part;
  };
  const networkPart = (key: string, ip: string): string => partOf(key, networkNameOf(ip), ip, sealedNetwork);
  const widePart = (key: string, ip: string): string => partOf(key, WIDE_MARK + wideNetworkOf(ip), ip, sealedWideNetwork);
  return {
    /**
     * The network of a client and the wide network around it, in nine characters, which reveal nothing without the key.
     * null: unknown, one client of many.
     */
    client: (key: string, ip: string | null): string =>
      ip === null ? UNKNOWN_NETWORK : networkPart(key, ip) + WIDE_MARK + widePart(key, ip),
    /**
     * Ten characters that reveal nothing without the key, and four of the user hash where there is one.
     * @param userHash null: unknown, or the id may not be used
     */
    seal: (key: string, { browser, ip, origin }: SealedVisitor, userHash: string | null): string => {
      const network = ip === null ? UNKNOWN_NETWORK : networkPart(key, ip);
      const of = origin === null ? NO_PART : partOf(key, origin, origin, sealedPart);
      const user = userHash === null ? '' : userHash.slice(0, PART_LENGTH);
      return (browser === null ? UNKNOWN : String(BROWSERS.indexOf(browser))) + network + of + user;
    },
  };
};

/** Its network in IPv4, as soon as it is read; in IPv6 the address, because it takes as long to find the network as to seal it. */
const networkNameOf = (ip: string): string => (ip.includes(':') ? ip : ip.slice(0, ip.lastIndexOf('.')));

const sealedPart = (key: string, value: string): string => hash('sha256', `${key}:seal:${value}`, 'base64url').slice(0, PART_LENGTH);

/** After the version of IP, or LOCAL. */
const sealedNetwork = (key: string, ip: string): string =>
  (isLocal(ip) ? LOCAL : ip.includes(':') ? '6' : '4') + sealedPart(key, networkOf(ip));

const sealedWideNetwork = (key: string, ip: string): string => sealedPart(key, WIDE_MARK + wideNetworkOf(ip)).slice(0, WIDE_LENGTH);

/** What differs between two seals for certain. @param seen of a hit, which names no user */
export const compareSeals = (served: string, seen: string) => {
  if (served.startsWith(seen)) return SAME;
  const differs = (from: number, to: number): boolean =>
    served[from] !== UNKNOWN && seen[from] !== UNKNOWN && served.slice(from, to) !== seen.slice(from, to);
  return {
    browser: differs(0, NETWORK_AT),
    /** The network, within the same version of IP. */
    network: served[NETWORK_AT] === seen[NETWORK_AT] && differs(NETWORK_AT, ORIGIN_AT),
    origin: differs(ORIGIN_AT, USER_AT),
  };
};

const SAME = { browser: false, network: false, origin: false };
