import { Pool } from 'undici';
import type { Booking } from './book.ts';

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

export interface AdReply {
  /** 0: no answer came. */
  readonly status: number;
  readonly bids: readonly PageBid[];
  readonly nbr: number | undefined;
  readonly text: string;
}

/** What pages do: ask for ads and request tracking URLs, over kept-alive connections. No call rejects. */
export interface Page {
  ask(booking: Booking, userId: string, changes?: { readonly placementIds?: readonly string[] }): Promise<AdReply>;
  /** Requests a tracking URL; resolves to the status, 0 when no answer came. */
  hit(url: string): Promise<number>;
  close(): Promise<void>;
}

let requests = 0;

export const createPage = (origin: string, connections = 64): Page => {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: 20_000, bodyTimeout: 20_000, connectTimeout: 5_000 });
  return {
    ask: async ({ publisherId, apiKey, placementId }, userId, changes = {}) => {
      const body = JSON.stringify({
        id: `r${++requests}`,
        imp: (changes.placementIds ?? [placementId]).map((tagid, i) => ({ id: String(i), tagid })),
        user: { id: userId },
        ext: { publisher_id: publisherId },
      });
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
      try {
        const answer = await pool.request({ method: 'POST', path: '/ad', headers, body });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) return { status: answer.statusCode, bids: [], nbr: undefined, text };
        const { seatbid, nbr } = JSON.parse(text) as { seatbid: { bid: PageBid[] }[]; nbr?: number };
        return { status: 200, bids: seatbid.flatMap(({ bid }) => bid), nbr, text };
      } catch (fault) {
        return { status: 0, bids: [], nbr: undefined, text: String(fault) };
      }
    },
    hit: async (url) => {
      try {
        const answer = await pool.request({ method: 'GET', path: url });
        await answer.body.dump();
        return answer.statusCode;
      } catch {
        return 0;
      }
    },
    close: () => pool.destroy(),
  };
};
