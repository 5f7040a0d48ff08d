import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../src/embedded/free-port.ts';

/** Asks a replica, over all its restarts, what its work costs (replica-probe.mjs). */
export interface ReplicaProbe {
  /** For the replica to be probed. `heapBytes` needs --expose-gc, too. */
  readonly nodeFlags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Watches the event loop, until `longestHoldMs` says for how long it was held at most: CPU time of the main thread. */
  watchLoop(): Promise<void>;
  longestHoldMs(): Promise<number>;
  /** Measures script calls, until `callCostsMs` says what each cost the main thread of Redis: CPU time. */
  measureCalls(): Promise<void>;
  callCostsMs(): Promise<readonly number[]>;
  /** Heap and external memory after a collection, in bytes. */
  heapBytes(): Promise<number>;
  close(): void;
}

const PROGRAM = fileURLToPath(new URL('replica-probe.mjs', import.meta.url));

export const openReplicaProbe = async (): Promise<ReplicaProbe> => {
  const port = await freePort();
  const agent = new Agent({ keepAlive: true });
  const ask = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1', path, agent }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => (text += String(chunk)));
        answer.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
  return {
    nodeFlags: ['--import', PROGRAM],
    env: { REPLICA_PROBE_PORT: String(port) },
    watchLoop: async () => void (await ask('/watch')),
    longestHoldMs: async () => Number(await ask('/delay')),
    measureCalls: async () => void (await ask('/calls/begin')),
    callCostsMs: async () => JSON.parse(await ask('/calls')) as readonly number[],
    heapBytes: async () => Number(await ask('/heap')),
    close: () => agent.destroy(),
  };
};
