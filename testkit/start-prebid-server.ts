import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** What a test reads of a bid request. */
export interface ReceivedBidRequest {
  readonly id?: unknown;
  readonly tmax?: unknown;
  readonly cur?: readonly string[];
  readonly imp?: readonly ReceivedImp[];
  readonly site?: { readonly id?: string; readonly page?: string };
  readonly app?: object;
  readonly dooh?: object;
}

export interface ReceivedImp {
  readonly id?: string;
  readonly banner?: object;
  readonly video?: object;
  readonly audio?: object;
  readonly native?: object;
  readonly pmp?: { readonly deals?: readonly { readonly id?: string }[] };
  readonly ext?: { readonly prebid?: { readonly storedrequest?: { readonly id?: string }; readonly bidder?: object } };
}

export interface PrebidServer {
  readonly endpoint: string;
  /** The requests so far, decompressed, with their headers. */
  readonly received: readonly { readonly headers: IncomingMessage['headers']; readonly body: ReceivedBidRequest }[];
  close(): void;
}

export interface PrebidServerOptions {
  /** Ids of its stored imps. */
  readonly stored: readonly string[];
  /** What a proxy before it asks for in `Authorization`; undefined: nothing. */
  readonly authorization?: string;
  /** Its answer to a valid request; undefined: an answer without bids. */
  readonly answer?: (request: ReceivedBidRequest) => object | undefined;
}

/**
 * A stand-in for Prebid Server, which is in no registry of packages: it refuses what Prebid Server
 * 4.8 refuses of a request, with its texts, and answers what the test wants.
 */
export const startPrebidServer = async ({ stored, authorization, answer }: PrebidServerOptions): Promise<PrebidServer> => {
  const received: { headers: IncomingMessage['headers']; body: ReceivedBidRequest }[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((raw) => {
      if (request.method !== 'POST') return response.writeHead(204).end();
      if (authorization !== undefined && request.headers.authorization !== authorization)
        return response.writeHead(401, { 'Content-Type': 'text/plain' }).end('key required\n');
      const body = JSON.parse((request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()) as ReceivedBidRequest;
      received.push({ headers: request.headers, body });
      const refusal = refusalOf(body, stored);
      if (refusal !== undefined) return response.writeHead(400, { 'Content-Type': 'text/plain' }).end(`Invalid request: ${refusal}\n`);
      const sent = answer?.(body) ?? { id: body.id, cur: body.cur?.[0] ?? 'USD', seatbid: [] };
      return response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(sent));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openrtb2/auction`,
    received,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Why Prebid Server refuses a request; undefined: it does not. */
const refusalOf = (request: ReceivedBidRequest, stored: readonly string[]): string | undefined => {
  if (typeof request.id !== 'string' || request.id === '') return 'request missing required field: "id"';
  if (typeof request.tmax === 'number' && request.tmax < 0) return 'request.tmax must be nonnegative. Got ' + String(request.tmax);
  if (request.imp === undefined || request.imp.length === 0) return 'request.imp must contain at least one element.';
  if (!request.site && !request.app && !request.dooh) return 'request.site, request.app or request.dooh must be defined';
  if (request.site && !request.site.id && !request.site.page)
    return 'request.site should include at least one of request.site.id or request.site.page.';
  return request.imp.map((imp, i) => impRefusal(imp, i, stored)).find((refusal) => refusal !== undefined);
};

const impRefusal = (imp: ReceivedImp, i: number, stored: readonly string[]): string | undefined => {
  const at = `request.imp[${i}]`;
  if (!imp.id) return `${at} missing required field: "id"`;
  if (!imp.banner && !imp.video && !imp.audio && !imp.native)
    return `${at} must contain at least one of "banner", "video", "audio", or "native"`;
  if (imp.pmp?.deals?.some((deal) => !deal.id)) return `${at}.pmp.deals[0] missing required field: "id"`;
  if (!imp.ext) return `${at}.ext is required`;
  const storedId = imp.ext.prebid?.storedrequest?.id;
  if (storedId !== undefined && !stored.includes(storedId)) return `Stored Imp with ID="${storedId}" not found.`;
  if (storedId === undefined && Object.keys(imp.ext.prebid?.bidder ?? {}).length === 0)
    return `${at}.ext.prebid.bidder must be defined and have at least one bidder`;
  return undefined;
};
