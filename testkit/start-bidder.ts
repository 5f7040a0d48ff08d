import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Bidder {
  readonly endpoint: string;
  /** Of the requests so far. */
  readonly headers: readonly IncomingHttpHeaders[];
  close(): void;
}

/** Starts a bidder that bids for every impression it is asked for. `nextCpm`: USD per thousand impressions. */
export const startBidder = async (nextCpm: () => number): Promise<Bidder> => {
  const answer = (body: string): object => {
    const { id, imp } = JSON.parse(body) as { readonly id: string; readonly imp: readonly { readonly id: string }[] };
    const bid = imp.map(({ id: impid }) => ({ id: `bid-${impid}`, impid, price: nextCpm(), crid: 'bidder', mtype: 1, adm: '<b>bid</b>' }));
    return { id, cur: 'USD', seatbid: [{ bid }] };
  };
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    text(request).then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(body))),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
