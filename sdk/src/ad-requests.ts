import type { AdResponse, AdSDKOptions, Bid, KeyValues } from './contract.ts';
import { onServer, trackingUrl } from './server-address.ts';

export type Fetch = NonNullable<AdSDKOptions['fetch']>;

/** One placement to fill. Placements with the same other fields can share a request. */
export interface AdRequest {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly publisherId: number;
  readonly placementId: string;
  readonly keyValues: KeyValues | undefined;
}

interface Waiting {
  readonly placementId: string;
  readonly resolve: (answer: AdResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** The server rejects requests with more impressions. */
const MAX_IMPS = 20;
/** The status that says that the publisher does not accept pages of this origin. */
const FOREIGN_ORIGIN = 403;
const TIMEOUT_MS = 10_000;

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

/**
 * Requests ads. Placements requested in the same tick share one request (per server, publisher and
 * key-values). Each caller receives the answer for its own placement, with absolute tracking URLs.
 * Rejects when the server cannot be reached, or answers with an error or with anything that is not
 * an ad response.
 */
export const createAdRequests = (
  send: Fetch,
  userId: () => string,
  newId: () => string,
  nextTick: (run: () => void) => void = (run) => setTimeout(run),
): ((request: AdRequest) => Promise<AdResponse>) => {
  const open = new Map<string, Waiting[]>();

  const sendRequest = async ({ baseUrl, apiKey, publisherId, keyValues }: AdRequest, waiting: readonly Waiting[]): Promise<AdResponse> => {
    const response = await send(onServer(baseUrl, '/ad'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey ?? '' },
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout?.(TIMEOUT_MS),
      body: JSON.stringify({
        id: newId(),
        imp: waiting.map(({ placementId }, index) => ({ id: String(index + 1), tagid: placementId })),
        user: { id: userId() },
        ext: { publisher_id: publisherId, kv: keyValues },
      }),
    });
    // The body says what is wrong; left unread, it would keep the request open.
    if (!response.ok) {
      const answered = `the ad server answered ${response.status}: ${await response.text()}`;
      if (response.status === FOREIGN_ORIGIN)
        console.error(`AdSDK: ${location.origin} is not in the publisher's list of web origins, so its pages get no ads; ${answered}`);
      throw new Error(answered);
    }
    const answer = (await response.json()) as AdResponse;
    if (!Array.isArray(answer?.seatbid)) throw new Error('the answer of the ad server is not an ad response');
    return answer;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      const { placementId, ...shared } = request;
      const key = JSON.stringify(shared);
      const batch = open.get(key);
      if (batch && batch.length < MAX_IMPS) {
        batch.push({ placementId, resolve, reject });
        return;
      }
      const waiting = [{ placementId, resolve, reject }];
      open.set(key, waiting);
      nextTick(() => {
        if (open.get(key) === waiting) open.delete(key);
        sendRequest(request, waiting)
          .then((answer) => waiting.forEach((one, index) => one.resolve(answerFor(answer, String(index + 1), request.baseUrl))))
          .catch((error: unknown) => waiting.forEach((one) => one.reject(error)));
      });
    });
};
