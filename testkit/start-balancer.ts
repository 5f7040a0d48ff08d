import { fileURLToPath } from 'node:url';
import { startServer, type Server } from './start-process.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Starts the load balancer of balancer.ts in front of replicas on these ports of 127.0.0.1. */
export const startBalancer = (ports: readonly number[]): Promise<Server> =>
  startServer({
    name: 'the balancer',
    command: [process.execPath, '--import', './scripts/run-typescript.mjs', 'testkit/balancer.ts', ...ports.map(String)],
    cwd: ROOT,
  });
