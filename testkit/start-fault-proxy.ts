import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { createChance, type Chance } from './chance.ts';

/**
 * What happens to the traffic between a client and a server.
 *
 * - `blackhole`: nothing arrives in either direction and no connection ends. What was sent arrives when the mode
 *   changes, as with TCP retransmission.
 * - `drop-replies`: a share of the replies is lost after the server has done the work, together with the
 *   connection, because one reply cannot vanish from the middle of a TCP stream. Every second connection ends only
 *   after a silence that is longer than the command time-out.
 * - `reset`: open connections and new ones are reset.
 */
export type FaultMode =
  | { readonly kind: 'pass' | 'blackhole' | 'reset' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop-replies'; readonly share: number };

export interface FaultProxy {
  /** The target's URL with the host and port of the proxy. */
  readonly url: string;
  set(mode: FaultMode): void;
  /** New connections go to this URL's host and port; open ones keep their server, as when a host name or a service gets a new address. */
  moveTo(target: string): void;
  /** Replies lost so far. */
  dropped(): number;
  close(): Promise<void>;
}

const SILENCE_MS = 150;

/**
 * Starts a TCP proxy whose behaviour can be changed at any moment.
 * @param target a postgres:// or redis:// URL
 * @param chance decides which replies are dropped
 */
export const startFaultProxy = async (target: string, chance: Chance = createChance(1)): Promise<FaultProxy> => {
  let { hostname, port: targetPort } = new URL(target);
  let mode: FaultMode = { kind: 'pass' };
  let dropped = 0;
  const links = new Set<{ readonly cut: () => void; readonly wake: () => void }>();

  const carry = (from: Socket, to: Socket, isReply: boolean): (() => void) => {
    let lost = false;
    const onData = (chunk: Buffer): void => {
      if (lost) return;
      if (mode.kind === 'blackhole') {
        // Read again when the mode changes.
        (from as Readable).pause();
        (from as Readable).unshift(chunk);
        return;
      }
      if (mode.kind === 'drop-replies' && isReply && chance() < mode.share) {
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
    const store = connect(Number(targetPort), hostname);
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
      // 'close' follows and ends the other side.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        links.delete(link);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    set: (next) => {
      mode = next;
      if (mode.kind === 'reset') for (const link of links) link.cut();
      else if (mode.kind !== 'blackhole') for (const link of links) link.wake();
    },
    moveTo: (next) => void ({ hostname, port: targetPort } = new URL(next)),
    dropped: () => dropped,
    close: async () => {
      for (const link of links) link.cut();
      server.close();
      await once(server, 'close');
    },
  };
};
