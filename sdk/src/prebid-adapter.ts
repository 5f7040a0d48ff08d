/**
 * A bid adapter for a stock build of Prebid.js, registered under the name in the script's `data-bidder`
 * (`adserver` by default). Prebid's own build and modules supply consent, floors and first-party data.
 * docs/prebid.md shows how to use it.
 */

interface BidRequest {
  readonly bidId: string;
  readonly params: { readonly placement?: unknown };
  readonly mediaTypes?: {
    readonly banner?: { readonly sizes?: readonly (readonly [w: number, h: number])[] };
    readonly video?: object;
    readonly audio?: object;
  };
  readonly nativeOrtbRequest?: object;
  readonly ortb2Imp?: { readonly ext?: object };
  readonly getFloor?: (asked: object) => { readonly floor?: number; readonly currency?: string } | undefined;
}

interface BidderRequest {
  readonly bidderRequestId: string;
  readonly timeout: number;
  /** With first-party data, and what the consent modules know. */
  readonly ortb2?: object;
}

interface Bid {
  readonly impid: string;
  readonly price: number;
  readonly crid: string;
  readonly adm: string;
  /** Not of VAST, whose Impression bills. */
  readonly burl?: string;
  readonly mtype: number;
  readonly exp: number;
  readonly w?: number;
  readonly h?: number;
  readonly dealid?: string;
  readonly adomain?: readonly string[];
  readonly cat?: readonly string[];
  readonly cattax?: number;
  readonly ext?: { readonly dsa?: object };
}

interface Answer {
  readonly body?: { readonly cur: string; readonly seatbid?: readonly { readonly bid: readonly Bid[] }[] };
}

interface Page {
  pbjs?: { que?: (() => void)[]; registerBidAdapter?(adapter: undefined, code: string, spec: object): void };
}

const { src, dataset } = document.currentScript as HTMLScriptElement;
const code = dataset['bidder'] ?? 'adserver';
/** The address that served the script, with the prefix of a reverse proxy. */
const server = dataset['baseUrl'] ?? src.replace(/\/static\/.*/, '');

/** What Prebid knows of a player beside the members of OpenRTB, in which it has written its size, too. */
const NOT_SENT = { context: undefined, playerSize: undefined, renderer: undefined, useCacheKey: undefined };

const toImp = ({ bidId, params, mediaTypes, nativeOrtbRequest, ortb2Imp, getFloor }: BidRequest): object => {
  const { floor, currency } = getFloor?.({ currency: 'USD', mediaType: '*', size: '*' }) ?? {};
  const { banner, video, audio } = mediaTypes ?? {};
  return {
    ...ortb2Imp,
    id: bidId,
    banner: banner && { format: banner.sizes?.map(([w, h]) => ({ w, h })) },
    video: video && { ...video, ...NOT_SENT },
    audio: audio && { ...audio, ...NOT_SENT },
    native: nativeOrtbRequest && { request: JSON.stringify(nativeOrtbRequest) },
    bidfloor: floor,
    bidfloorcur: currency,
    secure: 1,
    ext: { ...ortb2Imp?.ext, bidder: { placement: params.placement } },
  };
};

/** By OpenRTB's list of markup types: the others are VAST. */
const PLAYED: Readonly<Record<number, string>> = { 2: 'video', 3: 'audio' };

const spec = {
  code,
  supportedMediaTypes: ['banner', 'native', 'video', 'audio'],
  isBidRequestValid: ({ params }: BidRequest): boolean => typeof params.placement === 'string',
  buildRequests: (requests: readonly BidRequest[], { bidderRequestId, timeout, ortb2 }: BidderRequest): object => ({
    method: 'POST',
    url: `${server}/openrtb2/auction/${dataset['publisherId'] ?? ''}`,
    // As text/plain, without credentials: the browser sends no preflight, and the service reads no cookie.
    options: { contentType: 'text/plain', withCredentials: false },
    data: { ...ortb2, id: bidderRequestId, tmax: timeout, cur: ['USD'], imp: requests.map(toImp) },
  }),
  interpretResponse: ({ body }: Answer): readonly object[] =>
    (body?.seatbid ?? []).flatMap(({ bid }) =>
      bid.map(({ impid, price, crid, adm, burl, mtype, exp, w, h, dealid, adomain, cat, cattax, ext }) => ({
        requestId: impid,
        cpm: price,
        currency: body?.cur,
        creativeId: crid,
        dealId: dealid,
        netRevenue: true,
        ttl: exp,
        meta: { advertiserDomains: adomain ?? [], primaryCatId: cat?.[0], secondaryCatIds: cat?.slice(1), cattax, dsa: ext?.dsa },
        // Prebid requests it when the bid is billed.
        eventtrackers: burl ? [{ event: 1, method: 1, url: burl }] : [],
        ...(mtype === 4
          ? { mediaType: 'native', native: { ortb: JSON.parse(adm) as object } }
          : { width: w, height: h, ...(mtype === 1 ? { mediaType: 'banner', ad: adm } : { mediaType: PLAYED[mtype], vastXml: adm }) }),
      })),
    ),
  getUserSyncs: (): readonly never[] => [],
};

const page = window as unknown as Page;
const pbjs = (page.pbjs ??= {});
(pbjs.que ??= []).push(() => pbjs.registerBidAdapter?.(undefined, code, spec));
