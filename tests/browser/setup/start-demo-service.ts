import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReplica } from '../../setup/start-replica.ts';

export interface DemoService {
  readonly baseUrl: string;
  /** Deletes the data; the service itself ends with the test file. */
  readonly clear: () => Promise<void>;
}

/**
 * Starts the service as after a fresh clone: without settings, with embedded stores and demo data.
 */
export const startDemoService = async (): Promise<DemoService> => {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'ad-server-demo-'));
  // Postgres runs as another account, which must be able to enter the folder.
  await chmod(stateDir, 0o755);
  const { url } = await startReplica({ env: { STATE_DIR: stateDir } });
  // The stores end with the service and close their files first.
  return { baseUrl: url, clear: () => rm(stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
};
