import { RecentMap } from '../../base/recent-map.ts';
import type { Publisher } from '../../catalog/model/entities.ts';
import { hashApiKey } from '../../catalog/model/hash-api-key.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';

/** Longer than any issued key; longer ones are not hashed. */
const MAX_KEY_LENGTH = 256;

/**
 * The publisher of a key. A missing key and a wrong one both give undefined. A body may only name
 * this publisher; the answer to any other is the same as to a wrong key, because different answers
 * would reveal which publishers exist.
 */
export const createAuthenticate = ({ cacheSize = 10_000 } = {}) => {
  const hashes = new RecentMap<string, string>(cacheSize);
  return (snapshot: Snapshot, key: string | undefined): Publisher | undefined => {
    if (key === undefined || key === '' || key.length > MAX_KEY_LENGTH) return undefined;
    const known = hashes.get(key);
    const hash = known ?? hashApiKey(key);
    const publisher = snapshot.publisherByKeyHash.get(hash);
    // Keys that are not known are not kept: a stranger could fill the cache with them.
    if (publisher && known === undefined) hashes.set(key, hash);
    return publisher;
  };
};
