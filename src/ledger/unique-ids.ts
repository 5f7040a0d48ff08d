import { randomFillSync } from 'node:crypto';
import { MS_PER_DAY } from '../base/utc-day.ts';

const BYTES_PER_ID = 12;
const IDS_PER_FILL = 512;
/** Two bytes. */
const MOMENTS_PER_DAY = 65_536;

/**
 * Ids of 96 bits, base64url: 16 of the moment of the day, in steps of 1.3 s, and 80 random bits. What is stored of the ids of a moment lies side
 * by side in an index: were all bits random, Postgres would write a page of the index to its log for almost each row of a large day.
 *
 * The bits are drawn from the system in bulk, because a draw per id cost ten times as much.
 */
export const createUniqueIds = (): ((atMs: number) => string) => {
  const pool = Buffer.alloc(BYTES_PER_ID * IDS_PER_FILL);
  let at = pool.length;
  return (atMs) => {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    pool.writeUInt16BE(Math.floor(((atMs % MS_PER_DAY) / MS_PER_DAY) * MOMENTS_PER_DAY), at);
    return pool.toString('base64url', at, (at += BYTES_PER_ID));
  };
};
