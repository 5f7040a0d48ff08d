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

interface AskedImp {
  readonly id: string;
  readonly video?: object;
}

/** A video of 15 seconds. */
export const BIDDER_VAST =
  '<VAST version="3.0"><Ad id="b"><InLine><AdSystem>b</AdSystem><AdTitle>t</AdTitle><Impression>https://bidder.example/i</Impression>' +
  '<Creatives><Creative><Linear><Duration>00:00:15</Duration><MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="640" height="360">' +
  'https://cdn.example/b.mp4</MediaFile></MediaFiles></Linear></Creative></Creatives></InLine></Ad></VAST>';

/**
 * Starts a bidder that bids for every impression it is asked for. `nextCpm`: USD per thousand impressions. `vastAt`: where its VAST is;
 * undefined: in the bid.
 */
export const startBidder = async (nextCpm: () => number, vastAt: () => string | undefined = () => undefined): Promise<Bidder> => {
  const markupFor = ({ video }: AskedImp): object => {
    const nurl = vastAt();
    if (!video) return { mtype: 1, adm: '<b>bid</b>' };
    return { mtype: 2, ...(nurl === undefined ? { adm: BIDDER_VAST } : { nurl }) };
  };
  const answer = (body: string): object => {
    const { id, imp } = JSON.parse(body) as { readonly id: string; readonly imp: readonly AskedImp[] };
    const bid = imp.map((one) => ({ id: `bid-${one.id}`, impid: one.id, price: nextCpm(), crid: 'bidder', ...markupFor(one) }));
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
