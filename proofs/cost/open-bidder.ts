import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A bidder whose answer is set byte by byte, under several endpoints: after a few failures in a
 * row the service does not call one for a while.
 */
export interface ScriptedBidder {
  readonly origin: string;
  readonly endpoints: number;
  /** A page's address without its number, which `expect` names. */
  readonly pages: string;
  /** Prefixes of placements whose line items call one endpoint each, by format. */
  readonly placements: Readonly<Record<'html' | 'native', string>>;
  /** What to answer to the request of this page. */
  expect(page: number, answer: Buffer): void;
  /** Whether the page was called for, after which it is forgotten. */
  forget(page: number): boolean;
  close(): void;
}

const ENDPOINTS = 20;
const PAGES = 'https://publisher.example/pages/';
const NOTHING = Buffer.from('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');

export const openBidder = async (): Promise<ScriptedBidder> => {
  const answers = new Map<number, Buffer>();
  const called = new Set<number>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let text = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // 'close' follows.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      const page = Number(/"page":"https:\/\/publisher\.example\/pages\/(\d+)"/.exec(text)?.[1] ?? -1);
      const answer = answers.get(page);
      if (answer) called.add(page);
      text = '';
      socket.end(answer ?? NOTHING);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    endpoints: ENDPOINTS,
    pages: PAGES,
    placements: { html: 'bids-html-', native: 'bids-native-' },
    expect: (page, answer) => void answers.set(page, answer),
    forget: (page) => answers.delete(page) && called.delete(page),
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
