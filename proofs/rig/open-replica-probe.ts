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
  /** Measures script calls, until `callCosts` says what they cost. */
  measureCalls(): Promise<void>;
  callCosts(): Promise<CallCosts>;
  /** Heap and external memory after a collection, in bytes. */
  heapBytes(): Promise<number>;
  close(): void;
}

/** What calls of scripts cost Redis. No call cost more than the longest by either figure. */
export interface CallCosts {
  /** Of each call: CPU time of the main thread, with what else it did between two questions. */
  readonly cpuMs: readonly number[];
  /** Of the longest: time by Redis's clock, with what other processes did meanwhile. */
  readonly longestMs: number;
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
    callCosts: async () => JSON.parse(await ask('/calls')) as CallCosts,
    heapBytes: async () => Number(await ask('/heap')),
    close: () => agent.destroy(),
  };
};
