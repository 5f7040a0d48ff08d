import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';

/**
 * Absolute path of the Redis server: `redis-server`, or `redis-check-rdb` of Debian's package
 * redis-tools, the same binary, which acts as the server under the name redis-server. null: neither
 * is on the PATH.
 */
export async function findRedisServer(searchPath = process.env['PATH'] ?? ''): Promise<string | null> {
  for (const program of ['redis-server', 'redis-check-rdb']) {
    for (const folder of searchPath.split(path.delimiter).filter(path.isAbsolute)) {
      const candidate = path.join(folder, program);
      const executable = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (executable) return candidate;
    }
  }
  return null;
}
