import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface PrebidCache {
  /** Where Prebid.js and Prebid Server put bids, and players get them: `?uuid=`. */
  readonly url: string;
  /** The kept texts, in the order in which they came. */
  readonly kept: readonly string[];
  close(): void;
}

interface Puts {
  readonly puts: readonly { readonly type: string; readonly value: unknown }[];
}

/** A stand-in for Prebid Cache, which is in no registry of packages: what is put into it with type `xml` players get as it was. */
export const startPrebidCache = async (): Promise<PrebidCache> => {
  const byId = new Map<string, string>();
  const keep = ({ type, value }: Puts['puts'][number]): { readonly uuid: string } => {
    const uuid = randomUUID();
    if (type === 'xml' && typeof value === 'string') byId.set(uuid, value);
    return { uuid };
  };
  const server = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*').setHeader('Access-Control-Allow-Credentials', 'true');
    if (request.method === 'POST')
      return void text(request).then(
        (body) =>
          response
            .setHeader('Content-Type', 'application/json')
            .end(JSON.stringify({ responses: (JSON.parse(body) as Puts).puts.map(keep) })),
        () => response.destroy(),
      );
    const found = byId.get(new URL(request.url ?? '', 'http://cache').searchParams.get('uuid') ?? '');
    return found === undefined ? response.writeHead(404).end() : response.setHeader('Content-Type', 'application/xml').end(found);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cache`,
    get kept() {
      return [...byId.values()];
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
