import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Below the ports that the kernel gives to connections (Linux: 32768 to 60999, ip(7), ip_local_port_range): a connection would take one
 * of those before the program that it is meant for listens, which may be minutes later.
 */
const RANGE = [15_000, 32_000] as const;
const MAX_TRIES = 50;

/**
 * A port of 127.0.0.1 that is free now, and that no other call gives, in this process or another, while this process lives: also not
 * between the end of a program and its next start. Rejects when none is found.
 *
 * @param range its first port, and the one after its last
 */
export async function freePort([first, end]: readonly [first: number, end: number] = RANGE): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(first, end);
    if ((await isFree(port)) && (await reserve(port))) return port;
  }
  throw new Error(`No port from ${first} to ${end - 1} was free in ${MAX_TRIES} tries.`);
}

/** Binds the UDP port of the same number, which TCP has no use for. The kernel gives it back when this process ends, however it ends. */
const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      resolve(true);
    });
  });

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
