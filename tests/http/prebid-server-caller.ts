import { isObject } from '../../src/base/narrow.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a stand-in for Prebid Server, as the caller of an endpoint, makes of an answer. */
export interface Judged {
  readonly accepted: readonly Json[];
  /** In the words of Prebid Server. */
  readonly refused: readonly string[];
}

interface AskedImp {
  readonly id: string;
  readonly banner?: { readonly w?: number; readonly h?: number; readonly format?: readonly { readonly w: number; readonly h: number }[] };
  readonly native?: object;
  readonly secure?: number;
}

export interface AskedAuction {
  readonly id: string;
  readonly imp: readonly AskedImp[];
  readonly cur?: readonly string[];
  readonly regs?: { readonly ext?: { readonly dsa?: { readonly dsarequired?: number; readonly pubrender?: number } } };
}

const TEXTS = ['id', 'impid', 'adm', 'nurl', 'burl', 'lurl', 'crid', 'cid', 'dealid'];
const NUMBERS = ['price', 'w', 'h', 'exp', 'mtype', 'cattax'];
const LISTS = ['adomain', 'cat', 'attr'];
const MAX_DSA_NAME = 100;

/**
 * Prebid Server 4.8 with `banner_creative_max_size` and `secure_markup` enforced: it drops an answer
 * that it cannot decode or whose currency is not allowed, then each bid that breaks a rule.
 */
export const judgeAnswer = (request: AskedAuction, status: number, body: string): Judged => {
  if (status === 204) return { accepted: [], refused: [] };
  if (status !== 200) return { accepted: [], refused: [`Unexpected status code: ${status}. Run with request.debug = 1 for more info`] };
  const answer = JSON.parse(body) as Json;
  const bids = (answer['seatbid'] as readonly Json[] | undefined)?.flatMap(({ bid }) => bid as readonly Json[]) ?? [];
  const undecodable = bids.flatMap(typeFaults);
  if (undecodable.length > 0) return { accepted: [], refused: undecodable };
  const currency = answer['cur'] || 'USD';
  const allowed = request.cur ?? ['USD'];
  if (!allowed.includes(currency as string)) {
    const wants = allowed.join("', '");
    return {
      accepted: [],
      refused: bids.length > 0 ? [`Bid currency is not allowed. Was '${currency as string}', wants: ['${wants}']`] : [],
    };
  }
  const judged = bids.map((bid) => [bid, bidFault(request, bid)] as const);
  return {
    accepted: judged.flatMap(([bid, fault]) => (fault === undefined ? [bid] : [])),
    refused: judged.flatMap(([, fault]) => fault ?? []),
  };
};

const typeFaults = (bid: Json): readonly string[] => {
  const wrong = (names: readonly string[], isRight: (value: unknown) => boolean) =>
    names.filter((name) => bid[name] !== undefined && !isRight(bid[name])).map((name) => `json: cannot unmarshal ${name}`);
  return [
    ...wrong(TEXTS, (value) => typeof value === 'string'),
    ...wrong(NUMBERS, (value) => typeof value === 'number'),
    ...wrong(LISTS, Array.isArray),
    ...wrong(['ext'], isObject),
  ];
};

const bidFault = (request: AskedAuction, bid: Json): string | undefined => {
  const { id, impid, price, crid, dealid, adm } = bid as Readonly<Record<string, string>> & { readonly price: number };
  if (!id) return "Bid missing required field 'id'";
  if (!impid) return `Bid "${id}" missing required field 'impid'`;
  if (price < 0) return `Bid "${id}" does not contain a positive (or zero if there is a deal) 'price'`;
  if (price === 0 && !dealid)
    return `Bid "${id}" does not contain positive 'price' which is required since there is no deal set for this bid`;
  if (!crid) return `Bid "${id}" missing creative ID`;
  const imp = request.imp.find((one) => one.id === impid);
  if (!imp) return `Failed to find impression "${impid}"`;
  const isType = { 1: imp.banner, 4: imp.native }[bid['mtype'] as number];
  if (!isType) return `Failed to parse bid mtype for impression "${impid}"`;
  if (!adm) return `Bid "${id}" has no markup`;
  return sizeFault(imp, bid) ?? secureFault(imp, adm) ?? dsaFault(request, bid);
};

const sizeFault = ({ banner }: AskedImp, bid: Json): string | undefined => {
  if (bid['mtype'] !== 1) return undefined;
  const sizes = banner?.format ?? [{ w: banner?.w ?? 0, h: banner?.h ?? 0 }];
  const [maxW, maxH] = [Math.max(...sizes.map(({ w }) => w)), Math.max(...sizes.map(({ h }) => h))];
  const [w, h] = [bid['w'] ?? 0, bid['h'] ?? 0] as [number, number];
  return w > 0 && h > 0 && w <= maxW && h <= maxH
    ? undefined
    : `Creative size validation Failed for BidID: ${bid['id'] as string}, banner size: ${w}x${h}, allowed: ${maxW}x${maxH}`;
};

const secureFault = ({ secure }: AskedImp, adm: string): string | undefined =>
  secure === 1 && /http(:|%3A)/i.test(adm) && !/https(:|%3A)/i.test(adm) ? 'Creative is not secure: an http resource' : undefined;

const dsaFault = ({ regs }: AskedAuction, { ext }: Json): string | undefined => {
  const asked = regs?.ext?.dsa;
  const answered = (ext as { readonly dsa?: Json } | undefined)?.dsa;
  if (!answered) return asked && [2, 3].includes(asked.dsarequired ?? 0) ? 'DSA object missing when required' : undefined;
  const { behalf = '', paid = '', adrender } = answered as { readonly behalf?: string; readonly paid?: string; readonly adrender?: number };
  if (behalf.length > MAX_DSA_NAME) return 'DSA behalf exceeds limit of 100 chars';
  if (paid.length > MAX_DSA_NAME) return 'DSA paid exceeds limit of 100 chars';
  if (asked?.pubrender === 0 && adrender === 0) return 'DSA publisher and buyer both signal will not render';
  return asked?.pubrender === 2 && adrender === 1 ? 'DSA publisher and buyer both signal will render' : undefined;
};
