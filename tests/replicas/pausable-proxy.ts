import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a store that can be cut in the cruellest manner: connections stay open and nothing comes through any more. */
export interface PausableProxy {
  readonly url: string;
  hang(): void;
  stop(): void;
}

/** @param target a postgres:// or redis:// URL; the proxy's own is the same with another port */
export const startPausableProxy = async (target: string): Promise<PausableProxy> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let hung = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => hung || to.write(chunk));
      from.on('close', () => hung || to.destroy());
      from.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    hang: () => (hung = true),
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
