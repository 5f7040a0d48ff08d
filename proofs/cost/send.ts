import { connect } from 'node:net';

/** What came back for a request. */
export interface Sent {
  /** 0: nothing. */
  readonly status: number;
  readonly bytes: number;
}

/** No answer within this time: the request is incomplete, or the replica is stuck. */
const SILENT_MS = 50;
const STUCK_MS = 60_000;

/**
 * Sends bytes on a connection of their own and reads until it is closed.
 *
 * @param incomplete the service waits for more bytes, so the client gives up soon
 */
export const send = (port: number, bytes: Buffer, incomplete: boolean): Promise<Sent> =>
  new Promise((resolve) => {
    let received = 0;
    let status = 0;
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(), incomplete ? SILENT_MS : STUCK_MS);
    socket.on('data', (chunk: Buffer) => {
      if (status === 0) status = Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.subarray(0, 16).toString('latin1'))?.[1] ?? 0);
      received += chunk.length;
    });
    // 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ status, bytes: received });
    });
  });
