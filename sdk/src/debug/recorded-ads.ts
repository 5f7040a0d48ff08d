import type { Fetch } from '../ad-requests.ts';
import type { AdResponse, Bid } from '../contract.ts';

/** A candidate in the server's trace; figures only with a debug grant. */
export interface Candidate {
  readonly creative_id: number;
  readonly line_item_id: number;
  readonly priority?: number;
  /** USD. */
  readonly ecpm?: number;
  /** USD. */
  readonly price?: number;
}

export interface Rejected extends Candidate {
  readonly reason: string;
  readonly nbr: number;
  readonly detail: string;
}

/** `debug.trace.imps[]` of the answer (docs/api.md). */
export interface ImpTrace {
  readonly impid: string;
  readonly steps: readonly { readonly stage: string; readonly creative_ids: readonly number[]; readonly rejected: readonly Rejected[] }[];
  readonly ranking: readonly Candidate[];
  readonly winner: Candidate | null;
  readonly nbr?: number;
  readonly left_out?: number;
}

/** `debug.trace` of the answer. */
export interface Trace {
  readonly snapshot_version: number;
  readonly consent: {
    readonly remember: boolean;
    readonly measure: boolean;
    readonly withheld: readonly { readonly field: string; readonly from: string; readonly why: string }[];
  };
  readonly imps: readonly ImpTrace[];
  readonly timings_ms: Readonly<Record<string, number>>;
  readonly withheld?: string;
}

interface WireImp {
  readonly id: string;
  readonly tagid: string;
  readonly banner?: { readonly format?: readonly { readonly w: number; readonly h: number }[] };
  readonly ext?: { readonly kv?: object };
}

interface WireRequest {
  readonly imp: readonly WireImp[];
  readonly site?: { readonly page?: string };
  readonly user?: { readonly consent?: string };
  readonly regs?: object;
  readonly ext?: { readonly kv?: object };
}

type WireAnswer = Partial<AdResponse> & { readonly debug?: { readonly trace: Trace } };

export interface RecordedHit {
  readonly kind: string;
  /** performance.now() when it was sent. */
  readonly atMs: number;
  /** '': pending. */
  readonly outcome: string;
}

/** One impression that the SDK requested, and what is known of it so far. Times are performance.now(). */
export interface RecordedAd {
  readonly placementId: string;
  readonly imp: WireImp;
  readonly request: WireRequest;
  readonly server: string;
  readonly sentAtMs: number;
  readonly answeredAtMs?: number;
  readonly error?: string;
  readonly bid?: Bid;
  readonly nbr?: number;
  readonly trace?: Trace;
  readonly impTrace?: ImpTrace;
  readonly hits: readonly RecordedHit[];
}

/** Asks for the overlay: `?adsdk_debug`, or `#adsdk_debug=<debug grant>`, which no server sees. */
const PARAMETER = /([?&#])adsdk_debug(?:=([\w.-]*))?(?:&|(?=#|$))/;

/** The debug grant in the page's address; '': there is none. */
export const grantIn = (address: string): string => PARAMETER.exec(address)?.[2] ?? '';

/** A grant in the query must not reach bidders and logs with the page's address. */
const withoutGrant = (address: string): string =>
  address.replace(PARAMETER, (whole, mark: string) => (whole.endsWith('&') ? mark : '')).replace(/\?$/, '');

const tokenIn = (url: string): string => /[?&]t=([^&#]*)/.exec(url)?.[1] ?? '';

/** Sends the SDK's requests with `debug=1` and records them, with their answers and hits. */
export const recordAds = (send: Fetch, grant: string, onChange: () => void) => {
  let ads: readonly RecordedAd[] = [];
  const change = (belongs: (ad: RecordedAd) => boolean, to: (ad: RecordedAd) => RecordedAd): void => {
    ads = ads.map((ad) => (belongs(ad) ? to(ad) : ad));
    onChange();
  };

  const requestAds = async (url: string, init: RequestInit): Promise<Response> => {
    const sent = JSON.parse(init.body as string) as WireRequest;
    const request: WireRequest = { ...sent, ...(sent.site?.page && { site: { ...sent.site, page: withoutGrant(sent.site.page) } }) };
    const server = url.replace(/\/ad$/, '');
    const sentAtMs = performance.now();
    ads = [...ads, ...request.imp.map((imp) => ({ placementId: imp.tagid, imp, request, server, sentAtMs, hits: [] }))];
    onChange();
    const ofRequest = (ad: RecordedAd): boolean => ad.request === request;
    try {
      const response = await send(`${url}?debug=1${grant && `&debug_grant=${grant}`}`, { ...init, body: JSON.stringify(request) });
      const text = await response.clone().text();
      const answeredAtMs = performance.now();
      if (!response.ok) throw new Error(`the ad server answered ${response.status}: ${text.slice(0, 300)}`);
      const { seatbid, nbr, ext, debug } = JSON.parse(text) as WireAnswer;
      change(ofRequest, (ad) => {
        const bid = seatbid?.flatMap((seat) => seat.bid).find(({ impid }) => impid === ad.imp.id);
        const own = bid ? undefined : (ext?.nonbid?.find(({ impid }) => impid === ad.imp.id)?.nbr ?? nbr);
        const impTrace = debug?.trace.imps.find(({ impid }) => impid === ad.imp.id);
        return {
          ...ad,
          answeredAtMs,
          ...(bid && { bid }),
          ...(own !== undefined && { nbr: own }),
          ...(debug && { trace: debug.trace }),
          ...(impTrace && { impTrace }),
        };
      });
      return response;
    } catch (error) {
      change(ofRequest, (ad) => ({
        ...ad,
        answeredAtMs: performance.now(),
        error: error instanceof Error ? error.message : String(error),
      }));
      throw error;
    }
  };

  const recordHit = async (url: string, init: RequestInit, kind: string): Promise<Response> => {
    const ofHit = ({ bid }: RecordedAd): boolean => !!bid && tokenIn(bid.impurl) === tokenIn(url);
    const atMs = performance.now();
    const note = (outcome: string): void =>
      change(ofHit, (ad) => ({ ...ad, hits: [...ad.hits.filter((hit) => hit.atMs !== atMs), { kind, atMs, outcome }] }));
    note('');
    try {
      const response = await send(url, init);
      note(response.ok || response.type === 'opaqueredirect' ? 'accepted' : `refused with ${response.status}`);
      return response;
    } catch (error) {
      note('failed');
      throw error;
    }
  };

  return {
    /** The SDK's requests pass through it. */
    fetch: (url: string, init: RequestInit): Promise<Response> => {
      if (init.method === 'POST' && /\/ad$/.test(url)) return requestAds(url, init);
      const kind = /\/(impression|click|event)\?/.exec(url)?.[1];
      if (!kind) return send(url, init);
      return recordHit(url, init, kind === 'event' ? `event ${/[?&]type=([^&]*)/.exec(url)?.[1] ?? ''}`.trim() : kind);
    },
    /** In the order in which they were requested. Entries are replaced when more is known. */
    all: () => ads,
  };
};
