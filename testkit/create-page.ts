import { Pool, type Dispatcher } from 'undici';
import type { Booking } from './book.ts';
import { BROWSER_HEADERS } from './person.ts';

/** The part of a bid that a page uses. */
export interface PageBid {
  readonly id: string;
  readonly cid: string;
  readonly crid: string;
  readonly adm: string;
  readonly price: number;
  readonly impurl: string;
  readonly clkurl: string;
  readonly evturl: string;
}

/** `status` 0: no answer came, and `text` says why. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** What pages do: ask for ads and request tracking URLs, over kept-alive connections. No call rejects. */
export interface Page {
  ask(booking: Booking, userId: string, changes?: AskChanges): Promise<AdReply>;
  /** Requests a tracking URL; `address` of the visitor, as a proxy would forward it. */
  get(url: string, address?: string): Promise<Reply>;
  /** The same; resolves to the status. */
  hit(url: string, address?: string): Promise<number>;
  close(): Promise<void>;
}

export interface AskChanges {
  readonly placementIds?: readonly string[];
  readonly pageView?: string;
  /** All placements that the page view asks for. */
  readonly pagePlacements?: readonly string[];
  /** Of the visitor, as a proxy would forward it. */
  readonly address?: string;
}

export interface AdReply extends Reply {
  readonly bids: readonly PageBid[];
  readonly nbr: number | undefined;
}

let requests = 0;

export const createPage = (origin: string, connections = 64): Page => {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 20_000, bodyTimeout: 20_000, connectTimeout: 5_000 });
  const send = async (
    options: Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'body'> & { readonly headers?: object },
  ): Promise<Reply> => {
    try {
      const answer = await pool.request({ ...options, headers: { ...BROWSER_HEADERS, ...options.headers } });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (fault) {
      const { code, message } = fault as Error & { readonly code?: string };
      return { status: 0, text: code ?? message };
    }
  };
  const forwardedFor = (address: string | undefined) => (address === undefined ? {} : { 'x-forwarded-for': address });
  const get: Page['get'] = (path, address) => send({ method: 'GET', path, headers: forwardedFor(address) });
  return {
    ask: async ({ publisherId, apiKey, placementId }, userId, changes = {}) => {
      const body = JSON.stringify({
        id: `r${++requests}`,
        imp: (changes.placementIds ?? [placementId]).map((tagid, i) => ({ id: String(i), tagid })),
        user: { id: userId },
        ext: { publisher_id: publisherId, page_view: changes.pageView, page_placements: changes.pagePlacements },
      });
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, ...forwardedFor(changes.address) };
      const reply = await send({ method: 'POST', path: '/ad', headers, body });
      if (reply.status !== 200) return { ...reply, bids: [], nbr: undefined };
      const { seatbid, nbr } = JSON.parse(reply.text) as { seatbid: { bid: PageBid[] }[]; nbr?: number };
      return { ...reply, bids: seatbid.flatMap(({ bid }) => bid), nbr };
    },
    get,
    hit: async (...asked) => (await get(...asked)).status,
    close: () => pool.destroy(),
  };
};
