import type { AdResponse, AdSDKOptions, Bid, KeyValues, PageContext, Size } from './contract.ts';
import { onServer, trackingUrl } from './server-address.ts';

export type Fetch = NonNullable<AdSDKOptions['fetch']>;

/** One slot to fill. Slots of the same server and publisher share a request. */
export interface AdRequest {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly publisherId: number;
  readonly placementId: string;
  /** The sizes that the slot takes, the preferred one first; empty: the placement's. */
  readonly sizes: readonly Size[];
  readonly keyValues: KeyValues | undefined;
  /** Whether the slot is gone before its request is sent; such a slot is left out. */
  readonly ended?: () => boolean;
}

/** The members of a request that belong to the page: `site`, `user` and `regs`, and those of `ext`. */
export interface PageMembers {
  readonly ext?: PageContext['ext'] | undefined;
  readonly [member: string]: unknown;
}
export type PageFields = () => Promise<PageMembers>;

interface Waiting extends Pick<AdRequest, 'placementId' | 'sizes' | 'keyValues' | 'ended'> {
  readonly resolve: (answer: AdResponse) => void;
  readonly reject: (error: unknown) => void;
}

export interface AdRequestsOptions {
  readonly send: Fetch;
  /** Called once per request, after the tick; slots may join until it has resolved. */
  readonly pageFields: PageFields;
  readonly newId: () => string;
  /** Receives each answer as a whole. */
  readonly onAnswer?: (answer: AdResponse) => void;
  readonly nextTick?: (run: () => void) => void;
}

/** The server rejects requests with more impressions. */
const MAX_IMPS = 20;
const TIMEOUT_MS = 10_000;

const NOTHING: AdResponse = { id: '', seatbid: [] };

/** The part of an answer that belongs to one impression. */
const answerFor = (answer: AdResponse, impid: string, baseUrl: string): AdResponse => {
  const bids = answer.seatbid
    .flatMap((seat) => seat.bid)
    .filter((bid) => bid.impid === impid)
    .map((bid): Bid => {
      const absolute = (url: unknown): string => trackingUrl(baseUrl, url);
      const impurl = absolute(bid.impurl);
      return { ...bid, impurl, clkurl: absolute(bid.clkurl), evturl: absolute(bid.evturl), repturl: absolute(bid.repturl) || impurl };
    });
  const { nbr, ...rest } = answer;
  if (bids.length) return { ...rest, seatbid: [{ bid: bids }] };
  const own = answer.ext?.nonbid?.find((none) => none.impid === impid)?.nbr ?? nbr;
  return { ...rest, seatbid: [], ...(own !== undefined && { nbr: own }) };
};

/** Key-values that all slots have travel once, in the request; others with their impression. */
const impsOf = (waiting: readonly Waiting[]): { readonly imp: readonly object[]; readonly kv: KeyValues | undefined } => {
  const shared = new Set(waiting.map(({ keyValues }) => JSON.stringify(keyValues))).size === 1;
  return {
    kv: shared ? waiting[0]?.keyValues : undefined,
    imp: waiting.map(({ placementId, sizes, keyValues }, index) => ({
      id: String(index + 1),
      tagid: placementId,
      banner: sizes.length ? { format: sizes } : undefined,
      ext: keyValues && !shared ? { kv: keyValues } : undefined,
    })),
  };
};

/**
 * Requests ads. Slots requested in the same tick share one request (per server and publisher), so
 * that the server decides for the page as a whole. Each caller receives the answer for its own
 * placement, with absolute tracking URLs. Rejects when the server cannot be reached, or answers
 * with an error or with anything that is not an ad response.
 */
export const createAdRequests = ({
  send,
  pageFields,
  newId,
  onAnswer,
  nextTick = (run) => setTimeout(run),
}: AdRequestsOptions): ((request: AdRequest) => Promise<AdResponse>) => {
  const open = new Map<string, Waiting[]>();

  const sendRequest = async (
    { baseUrl, apiKey, publisherId }: AdRequest,
    waiting: readonly Waiting[],
    page: PageMembers,
  ): Promise<AdResponse> => {
    const { imp, kv } = impsOf(waiting);
    const response = await send(onServer(baseUrl, '/ad'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey ?? '' },
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout?.(TIMEOUT_MS),
      body: JSON.stringify({ id: newId(), imp, ...page, ext: { ...page.ext, publisher_id: publisherId, kv } }),
    });
    // The body says what is wrong; left unread, it would keep the request open.
    if (!response.ok) throw new Error(`the ad server answered ${response.status}: ${await response.text()}`);
    const answer = (await response.json()) as AdResponse;
    if (!Array.isArray(answer?.seatbid)) throw new Error('the ad server sent no ad response');
    onAnswer?.(answer);
    return answer;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      const { placementId, sizes, keyValues, ended = () => false, ...shared } = request;
      const one = { placementId, sizes, keyValues, ended, resolve, reject };
      const key = JSON.stringify(shared);
      const batch = open.get(key);
      if (batch && batch.length < MAX_IMPS) {
        batch.push(one);
        return;
      }
      const waiting = [one];
      open.set(key, waiting);
      nextTick(() => {
        pageFields()
          .finally(() => open.get(key) === waiting && open.delete(key))
          .then(async (page) => {
            const wanted = waiting.filter((each) => !each.ended());
            const answer = wanted.length ? await sendRequest(request, wanted, page) : NOTHING;
            waiting.forEach((each) => each.resolve(answerFor(answer, String(wanted.indexOf(each) + 1), request.baseUrl)));
          })
          .catch((error: unknown) => waiting.forEach((each) => each.reject(error)));
      });
    });
};
