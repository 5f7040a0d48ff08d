import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** The databases and the log of a run of all tests take about a gigabyte. */
const MIN_FREE_BYTES = 4 * 2 ** 30;

/**
 * The parent of what ends with a run of the tests: memory, where Linux has a file system in it with room to spare, else the folder for temporary
 * files. A database is a thousand files. Soon after others were deleted, as tests do, ext4 takes 0.2 to 0.8 s of CPU time to create them, because
 * it looks at each inode that became free (`recently_deleted` in its ialloc.c); memory takes 0.04 s.
 */
export const transientFolder = (): string => (hasRoom() ? MEMORY : tmpdir());

const hasRoom = (): boolean => {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false; // Not Linux, or not ours to write.
  }
};
