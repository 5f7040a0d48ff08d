import { randomFillSync } from 'node:crypto';

const BYTES_PER_ID = 12;
const IDS_PER_FILL = 512;

/**
 * 96 random bits each, base64url; drawn from the system in bulk, because a draw per id cost ten
 * times as much.
 */
export const createUniqueIds = (): (() => string) => {
  const pool = Buffer.alloc(BYTES_PER_ID * IDS_PER_FILL);
  let at = pool.length;
  return () => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    return pool.toString('base64url', at, (at += BYTES_PER_ID));
  };
};
