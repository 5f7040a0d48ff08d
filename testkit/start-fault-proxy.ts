import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * What happens on the way between a replica and a store.
 *
 * - `blackhole`: nothing arrives in either direction and no connection ends; what was sent arrives when it is over, as TCP would have it.
 * - `drop-replies`: a share of the replies is lost after the store has done the work, and the connection with them: a single reply cannot
 *   vanish from the middle of a TCP stream. It ends at once or, every second time, after a silence longer than a command waits.
 * - `reset`: connections are reset and new ones too.
 */
export type FaultMode =
  | { readonly kind: 'pass' | 'blackhole' | 'reset' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop-replies'; readonly share: number };

export interface FaultProxy {
  readonly port: number;
  set(mode: FaultMode): void;
  /** Replies lost so far. */
  dropped(): number;
  close(): Promise<void>;
}

const SILENCE_MS = 150;

/** A TCP proxy on 127.0.0.1 in front of `targetPort` whose behaviour can be changed at any moment. */
export const startFaultProxy = async (targetPort: number, random: () => number): Promise<FaultProxy> => {
  let mode: FaultMode = { kind: 'pass' };
  let dropped = 0;
  const links = new Set<{ readonly cut: () => void; readonly wake: () => void }>();

  const carry = (from: Socket, to: Socket, isReply: boolean): (() => void) => {
    let lost = false;
    const onData = (chunk: Buffer): void => {
      if (lost) return;
      if (mode.kind === 'blackhole') {
        // Read again, and let through, when the hole has closed.
        (from as Readable).pause();
        (from as Readable).unshift(chunk);
        return;
      }
      if (mode.kind === 'drop-replies' && isReply && random() < mode.share) {
        lost = true;
        dropped++;
        setTimeout(() => from.destroy(), dropped % 2 === 0 ? SILENCE_MS : 0);
        return;
      }
      if (mode.kind === 'delay') setTimeout(() => to.writable && to.write(chunk), mode.ms);
      else to.write(chunk);
    };
    from.on('data', onData);
    return () => from.resume();
  };

  const server = createServer((client) => {
    if (mode.kind === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const store = connect(targetPort, '127.0.0.1');
    const link = {
      cut: () => {
        client.resetAndDestroy();
        store.resetAndDestroy();
      },
      wake: () => undefined as void,
    };
    const wakeRequests = carry(client, store, false);
    const wakeReplies = carry(store, client, true);
    link.wake = () => {
      wakeRequests();
      wakeReplies();
    };
    links.add(link);
    for (const [socket, other] of [
      [client, store],
      [store, client],
    ] as const) {
      socket.setNoDelay(true);
      // Its 'close' follows, and ends the other side.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        links.delete(link);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    set: (next) => {
      mode = next;
      if (mode.kind === 'reset') for (const link of links) link.cut();
      else if (mode.kind !== 'blackhole') for (const link of links) link.wake();
    },
    dropped: () => dropped,
    close: async () => {
      for (const link of links) link.cut();
      server.close();
      await once(server, 'close');
    },
  };
};
