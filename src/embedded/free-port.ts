import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that the kernel gives to connections (Linux: 32768 to 60999, ip(7), ip_local_port_range): a connection would take one
 * of those before the program that it is meant for listens, which may be minutes later.
 */
const [FIRST, END] = [15_000, 32_000];
const MAX_TRIES = 50;

/** A port of 127.0.0.1 that is free now. Another process may take it first, so callers must be ready to retry. Rejects when none is found. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${FIRST} to ${END - 1} was free in ${MAX_TRIES} tries.`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
