import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { bareHost, isAllowedAddress, type AddressPolicy } from './read-bidder-url.ts';

export interface GuardedDispatchersOptions extends AddressPolicy {
  /** Sockets per origin. */
  readonly connections: number;
  /** Pools kept; the least recently used origin is evicted. */
  readonly maxOrigins: number;
  /** A pool unused for this long is closed. */
  readonly idleMs: number;
  readonly connectTimeoutMs: number;
  /** Longer responses fail with UND_ERR_RES_EXCEEDED_MAX_SIZE; counted on the wire. */
  readonly maxResponseBytes: number;
  /** Name resolution with `all: true`; the system's by default. */
  readonly resolve?: (name: string, options: LookupOptions & { all: true }, done: ResolveCallback) => void;
}

export type ResolveCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

const FORBIDDEN = 'ERR_BIDDER_ADDRESS_FORBIDDEN';

export const isForbiddenAddressError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === FORBIDDEN;

/**
 * Pools of sockets, one for each origin, that never connect to an address outside the policy. See
 * docs/adr/0007-guard-addresses-at-connect.md.
 */
export const createGuardedDispatchers = (options: GuardedDispatchersOptions) => {
  const connect = createGuardedConnector(options);
  const closing = new Set<Promise<void>>();
  const retire = (pool: Pool): void => {
    const closed = pool.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const pools = new LRUCache<string, Pool>({
    max: options.maxOrigins,
    ttl: options.idleMs,
    updateAgeOnGet: true,
    dispose: retire,
  });
  return {
    /**
     * The keep-alive pool of the URL's origin. Connecting to a forbidden address fails with an error
     * that `isForbiddenAddressError` detects.
     */
    of: ({ origin }: URL): Dispatcher => {
      const known = pools.get(origin);
      if (known) return known;
      const pool = new Pool(origin, {
        connections: options.connections,
        pipelining: 1,
        connect,
        maxResponseSize: options.maxResponseBytes,
        // The caller's abort signal is the only deadline, headers and body included; undici's
        // coarse timers are off.
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveMaxTimeout: 60_000,
      });
      pools.set(origin, pool);
      return pool;
    },
    /** Closes the pools that were idle for `idleMs`. */
    sweep: () => void pools.purgeStale(),
    /** Waits for the requests under way, then closes every socket. */
    close: async (): Promise<void> => {
      pools.clear();
      await Promise.allSettled(closing);
    },
  };
};

export type GuardedDispatchers = ReturnType<typeof createGuardedDispatchers>;

const createGuardedConnector = (options: GuardedDispatchersOptions): buildConnector.connector => {
  // net.connect connects to the addresses that `lookup` returns, so there is no second resolution
  // that could differ.
  const connect = buildConnector({ timeout: options.connectTimeoutMs, lookup: guardLookup(options), autoSelectFamily: true });
  return (target, callback) => {
    const host = bareHost(target.hostname);
    // net.connect does not look up IP addresses, so they are checked here.
    if (isIP(host) !== 0 && !isAllowedAddress(host, options)) callback(forbidden(), null);
    else connect(target, callback);
  };
};

const guardLookup = (options: GuardedDispatchersOptions): LookupFunction => {
  const resolve = options.resolve ?? systemLookup;
  return (name, lookupOptions, done) =>
    resolve(name, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      // One forbidden address rejects the name: the next resolution might return only that one.
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowedAddress(address, options))) return done(forbidden(), []);
      return lookupOptions.all ? done(null, addresses) : done(null, first.address, first.family);
    });
};

const forbidden = (): NodeJS.ErrnoException => Object.assign(new Error('address not allowed for bidders'), { code: FORBIDDEN });
