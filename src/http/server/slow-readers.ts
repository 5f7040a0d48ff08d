import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface SlowReaderOptions {
  /** How long the answers of a connection may wait for its client to read them. */
  readonly maxUnreadMs?: number;
  /** Bytes that may wait on all connections together. */
  readonly maxUnreadBytes?: number;
  /** Interval of the check. */
  readonly everyMs?: number;
}

/** A phone on a slow network reads the largest file, 1.4 MB, in this time. */
export const MAX_UNREAD_MS = 60_000;
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
const CHECK_EVERY_MS = 1_000;
/**
 * Requests of one connection that wait for the answer to an earlier one. Browsers and proxies send
 * one at a time.
 */
export const MAX_PIPELINED = 16;

/**
 * Closes connections whose clients do not read their answers, which the service would keep in
 * memory: after `maxUnreadMs`, and sooner, the largest first, when more than `maxUnreadBytes` wait.
 * A request costs one comparison; a pipelined one is counted.
 */
export const closeSlowReaders = (
  server: Server,
  { maxUnreadMs = MAX_UNREAD_MS, maxUnreadBytes = MAX_UNREAD_BYTES, everyMs = CHECK_EVERY_MS }: SlowReaderOptions = {},
): void => {
  const sockets = new Set<Socket>();
  const waitingSince = new WeakMap<Socket, number>();
  const pipelined = new WeakMap<Socket, number>();

  const check = (): void => {
    const now = performance.now();
    const unread: Socket[] = [];
    let unreadBytes = 0;
    for (const socket of sockets) {
      if (socket.writableLength === 0) {
        waitingSince.delete(socket);
        continue;
      }
      const since = waitingSince.get(socket) ?? now;
      waitingSince.set(socket, since);
      if (now - since >= maxUnreadMs) socket.destroy();
      else {
        unread.push(socket);
        unreadBytes += socket.writableLength;
      }
    }
    if (unreadBytes <= maxUnreadBytes) return;
    for (const socket of unread.sort((a, b) => b.writableLength - a.writableLength)) {
      if (unreadBytes <= maxUnreadBytes) return;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  };

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // Before Express. An answer without a socket waits for an earlier one of its connection.
  server.prependListener('request', ({ socket }: { readonly socket: Socket }, res: ServerResponse) => {
    if (res.socket !== null) return;
    const waiting = (pipelined.get(socket) ?? 0) + 1;
    pipelined.set(socket, waiting);
    res.once('close', () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1));
    if (waiting > MAX_PIPELINED) socket.destroy();
  });
  const timer = setInterval(check, everyMs).unref();
  server.once('close', () => clearInterval(timer));
};
