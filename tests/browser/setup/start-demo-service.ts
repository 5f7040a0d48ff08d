import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startReplica } from '../../setup/start-replica.ts';

/** On a busy machine it takes a while to unpack Postgres and to make a database. */
export const SETUP_MS = 60_000;

export interface DemoService {
  readonly baseUrl: string;
  /** Takes its data away; the service itself ends with the test file. */
  readonly clear: () => Promise<void>;
}

/** The service as someone meets it who has just cloned the project: nothing is set, so it brings its own stores and the demonstration data. */
export const startDemoService = async (): Promise<DemoService> => {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'ad-server-demo-'));
  // Postgres runs as another account, which has to get in.
  await chmod(stateDir, 0o755);
  const { url } = await startReplica({ env: { STATE_DIR: stateDir }, readyWithinMs: SETUP_MS });
  // The stores see the service die and close their files meanwhile.
  return { baseUrl: url, clear: () => rm(stateDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
};
