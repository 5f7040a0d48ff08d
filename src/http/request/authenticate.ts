import { LRUCache } from 'lru-cache';
import type { Publisher } from '../../catalog/model/entities.ts';
import { hashApiKey } from '../../catalog/model/hash-api-key.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';

/** Longer than any issued key; longer ones are not hashed. */
const MAX_KEY_LENGTH = 256;

/**
 * The publisher of a key, if it is the one that the body names. A missing key, a wrong one, an
 * unknown publisher and another publisher's key all give undefined: different answers would reveal
 * which publishers exist.
 */
export const createAuthenticate = ({ cacheSize = 10_000 } = {}) => {
  const hashes = new LRUCache<string, string>({ max: cacheSize });
  return (snapshot: Snapshot, key: string | undefined, publisherId: number): Publisher | undefined => {
    if (key === undefined || key === '' || key.length > MAX_KEY_LENGTH) return undefined;
    let hash = hashes.get(key);
    if (hash === undefined) hashes.set(key, (hash = hashApiKey(key)));
    const publisher = snapshot.publisherByKeyHash.get(hash);
    return publisher?.id === publisherId ? publisher : undefined;
  };
};
