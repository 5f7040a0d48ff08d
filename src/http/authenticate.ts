import { LRUCache } from 'lru-cache';
import type { Publisher } from '../catalog/model/entities.ts';
import { hashApiKey } from '../catalog/model/hash-api-key.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';

/** Longer than any key of ours; nothing longer is hashed. */
const MAX_KEY_LENGTH = 256;

/**
 * Whose key it is, if it is the key of the publisher that the body names. A missing key, a wrong one, an unknown publisher and
 * another publisher's key are one and the same undefined: an answer that told them apart would say which publishers exist.
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
