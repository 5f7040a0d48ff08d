import { isObject } from '../../base/narrow.ts';
import { rateBetween, type RateOf } from '../../bidders/currency-rates.ts';
import { isDsaRequired, readDsaRequest, type DsaRequest } from '../../bidders/openrtb/dsa.ts';
import { readAttributes, readBlockList } from '../../bidders/openrtb/judge-supply.ts';
import { readSupplyChain, type SupplyChain } from '../../bidders/openrtb/supply-chain.ts';
import type { BlockList } from '../../catalog/model/block-list.ts';
import type { Publisher } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { AuctionTerms } from '../../decision/ad-query.ts';
import { valueFault, valueOf, type DimensionSchema } from '../../targeting/dimension-schema.ts';
import type { WireAdRequest, WireImp, WireSize } from './ad-request-schema.ts';
import { at, listAt, textAt, type Json, type WireAuction } from './auction-schema.ts';
import { deviceOf, userOf } from './auction-visitor.ts';
import { formatsOf, podOf, vastOf, videoRulesOf } from './read-formats.ts';
import { expandPods } from './expand-pods.ts';
import { readNativeRequest } from './read-native-request.ts';

/** An auction as an ad request, and what is needed to answer it. */
export interface ReadAuction {
  readonly request: WireAdRequest;
  readonly terms: ReadonlyMap<string, AuctionTerms>;
  /** By the id of the impression: the bidder code under which the page asks. */
  readonly seats: ReadonlyMap<string, string>;
  /** The time that is left for bidders; undefined: the request does not say. */
  readonly maxBidderMs: number | undefined;
  /** What it blocks besides the `battr` of its impressions; undefined: nothing. */
  readonly blocked: BlockList | undefined;
  readonly schain: SupplyChain | undefined;
  /** What it asks about transparency of ads; undefined: nothing. */
  readonly dsa: DsaRequest | undefined;
  /** Nothing is billed. */
  readonly test: boolean;
  /** The currency of the bids, and its units for one of the publisher's currency. */
  readonly currency: string;
  readonly rate: number;
}

export interface AuctionReading {
  readonly dimensions: DimensionSchema;
  readonly rateOf: RateOf;
}

/** The seat of an impression that names no bidder. */
export const DEFAULT_SEAT = 'adserver';

const NO_KEY_VALUES: Json = {};
const MAX_SIZES = 20;
const MAX_DEALS = 100;
const MAX_SIDE = 10_000;
const MAX_KEY_VALUES = 50;
const MAX_KEY_VALUE_LENGTH = 256;
const NETWORK_MS = 50;
const MIN_BIDDER_MS = 10;
/** Longer ones are shared by no bidder. */
const MAX_PAGE_LENGTH = 2_048;

/** The publisher id that an auction names: in the path, else where an account is written. undefined: none, or not a number. */
export const publisherIdOf = (request: WireAuction, path: string | undefined): number | undefined => {
  const named = [
    path,
    at(request, 'ext', 'publisher_id'),
    ...['site', 'app', 'dooh'].map((channel) => at(request, channel, 'publisher', 'id')),
    at(request, 'ext', 'prebid', 'storedrequest', 'id'),
  ].find((id) => typeof id === 'number' || (typeof id === 'string' && id !== ''));
  return /^[1-9]\d{0,14}$/.test(String(named)) ? Number(named) : undefined;
};

/** The address of the page, for callers that send no Origin header. */
export const pageOf = (request: WireAuction): string | undefined => {
  const page = at(request, 'site', 'page');
  return typeof page === 'string' && page.length <= MAX_PAGE_LENGTH ? page : undefined;
};

/** Reads an auction leniently: what is not as OpenRTB 2.6 says counts as absent. */
export const readAuction = (
  { dimensions, rateOf }: AuctionReading,
  { placements }: Snapshot,
  publisher: Publisher,
  request: WireAuction,
): ReadAuction => {
  const known = (id: string): boolean => {
    const placement = placements.get(id);
    return placement !== undefined && (placement.publisherId === null || placement.publisherId === publisher.id);
  };
  const currency = currencyOf(listAt(request, 'cur'), publisher.currency, rateOf);
  const rate = rateBetween(rateOf, publisher.currency, currency);
  const blocked = readBlockList(request);
  const dsa = readDsaRequest(at(request, 'regs', 'ext', 'dsa'));
  const disclosed = isDsaRequired(dsa);
  const floorMicros = (priced: Json): number => (rate === undefined ? Infinity : floorOf(priced, publisher.currency, rateOf));
  const page = pageOf(request);
  const byId = new Map(request.imp.map((imp) => [imp.id, imp]));
  const { imp: imps, terms } = expandPods(
    request.imp.map((imp) => toWireImp(imp, known, dimensions)),
    new Map(
      request.imp.map((imp) => [
        imp.id,
        {
          floorMicros: floorMicros(imp),
          deals: dealsOf(imp, floorMicros),
          formats: formatsOf(imp),
          native: readNativeRequest(at(imp, 'native', 'request')),
          vast: vastOf(imp),
          video: videoRulesOf(
            imp,
            (price) => floorOf({ bidfloor: price, bidfloorcur: imp['bidfloorcur'] }, publisher.currency, rateOf) / 1e6,
          ),
          disclosed,
          selfDisclosed: disclosed && dsa?.pubrender === 0,
          blocked,
          battr: ['banner', 'native', 'video', 'audio'].flatMap((kind) => readAttributes(at(imp, kind, 'battr'))),
        },
      ]),
    ),
    (impId) => podOf(byId.get(impId)!),
  );
  return {
    request: {
      id: request.id,
      imp: imps,
      user: userOf(request),
      device: deviceOf(request),
      site: { page, ref: at(request, 'site', 'ref') },
      regs: request['regs'],
      ext: {
        publisher_id: publisher.id,
        kv: keyValuesOf(dimensions, [at(request, 'site', 'ext', 'data'), at(request, 'app', 'ext', 'data'), at(request, 'ext', 'kv')]),
      },
    },
    terms,
    seats: new Map(request.imp.map((imp) => [imp.id, seatOf(imp)])),
    maxBidderMs: bidderTimeOf(request['tmax']),
    test: request['test'] === 1,
    blocked,
    dsa,
    schain: readSupplyChain(at(request, 'source', 'schain') ?? at(request, 'source', 'ext', 'schain')),
    currency,
    rate: rate ?? 1,
  };
};

/** The publisher's where it may be, else the first with a rate; else the first. */
const currencyOf = (allowed: readonly unknown[], own: string, rateOf: RateOf): string => {
  const named = allowed.filter((one): one is string => typeof one === 'string' && /^[A-Z]{3}$/.test(one));
  const [first = own] = named;
  return named.includes(own) ? own : (named.find((one) => rateBetween(rateOf, own, one) !== undefined) ?? first);
};

/** `tmax` includes the way to the caller and back. */
const bidderTimeOf = (tmax: unknown): number | undefined =>
  typeof tmax === 'number' && tmax > 0 ? Math.max(MIN_BIDDER_MS, tmax - NETWORK_MS) : undefined;

/** Of an impression or a deal, in the publisher's currency. A floor that names none is in USD (OpenRTB 2.6, 3.2.4). */
const floorOf = ({ bidfloor, bidfloorcur }: Json, own: string, rateOf: RateOf): number => {
  if (typeof bidfloor !== 'number' || !(bidfloor > 0)) return 0;
  const currency = typeof bidfloorcur === 'string' && bidfloorcur !== '' ? bidfloorcur.toUpperCase() : 'USD';
  const rate = rateBetween(rateOf, own, currency);
  // In whole micros, so that a price equal to the floor passes.
  return rate === undefined ? Infinity : Math.round((bidfloor * 1e6) / rate);
};

/** The deals of a private auction; one without a floor has that of the impression. undefined: it is not private. */
const dealsOf = (imp: Json, floorMicros: (priced: Json) => number): AuctionTerms['deals'] =>
  at(imp, 'pmp', 'private_auction') === 1
    ? new Map(
        listAt(imp, 'pmp', 'deals')
          .slice(0, MAX_DEALS)
          .flatMap((deal) => {
            const id = textAt(deal, 'id');
            return id === undefined ? [] : [[id, floorMicros(at(deal, 'bidfloor') === undefined ? imp : (deal as Json))] as const];
          }),
      )
    : undefined;

/** Prebid.js lists the bidders of an impression, with their params, by code; Prebid Server's adapters pass on those of one. */
const bidderOf = (imp: Json): readonly [code: string, params: unknown] | undefined => {
  const bidders = at(imp, 'ext', 'prebid', 'bidder') as Json | undefined;
  if (!bidders) return undefined;
  const asked = Object.entries(bidders).slice(0, MAX_KEY_VALUES);
  return asked.find(([, params]) => textAt(params, 'placement') !== undefined) ?? asked[0];
};

const seatOf = (imp: Json): string => (bidderOf(imp)?.[0] ?? DEFAULT_SEAT).slice(0, MAX_KEY_VALUE_LENGTH);

/** What names a placement on purpose counts; of what happens to name something, the first that is a placement. */
const placementOf = (imp: Json & { readonly id: string }, known: (id: string) => boolean): string => {
  const meant =
    textAt(bidderOf(imp)?.[1], 'placement') ??
    textAt(imp, 'ext', 'bidder', 'placement') ??
    textAt(imp, 'ext', 'prebid', 'storedrequest', 'id');
  if (meant !== undefined) return meant;
  // The adapter that Prebid Server for Go has for it passes this one on (docs/prebid.md).
  const adapterId = textAt(imp, 'ext', 'bidder', 'placementId');
  if (adapterId !== undefined && known(adapterId)) return adapterId;
  const tagId = textAt(imp, 'tagid');
  if (tagId !== undefined && known(tagId)) return tagId;
  const names = [
    tagId,
    textAt(imp, 'ext', 'gpid'),
    textAt(imp, 'ext', 'data', 'pbadslot'),
    textAt(imp, 'ext', 'data', 'adserver', 'adslot'),
    textAt(imp, 'ext', 'prebid', 'adunitcode'),
    imp.id,
  ].filter((name) => name !== undefined);
  return names.find(known) ?? names[0] ?? imp.id;
};

const toWireImp = (imp: Json & { readonly id: string }, known: (id: string) => boolean, dimensions: DimensionSchema): WireImp => {
  const banner = imp['banner'];
  const player = isObject(imp['video']) && !isObject(banner) ? sizeOf(imp['video']) : {};
  const kv = keyValuesOf(dimensions, [at(imp, 'ext', 'data'), at(imp, 'ext', 'kv')]);
  return {
    id: imp.id,
    tagid: placementOf(imp, known),
    ...player,
    ...(isObject(banner) && { banner: { ...sizeOf(banner), format: listAt(banner, 'format').slice(0, MAX_SIZES).map(sizeOf) } }),
    ...(Object.keys(kv).length > 0 && { ext: { kv } }),
  };
};

const isSide = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_SIDE;

/** Both sides, or neither: a ratio, or a size that is none. */
const sizeOf = (format: unknown): WireSize => {
  const { w, h } = isObject(format) ? format : {};
  return isSide(w) && isSide(h) ? { w, h } : {};
};

/**
 * First-party data as key-values, the later over the earlier: scalars and lists of them. Values of a
 * registered dimension outside its schema are left out.
 */
const keyValuesOf = (dimensions: DimensionSchema, sources: readonly unknown[]): Json => {
  const kept: [string, unknown][] = [];
  for (const source of sources.filter(isObject)) {
    for (const [name, value] of Object.entries(source).slice(0, MAX_KEY_VALUES)) {
      const dimension = dimensions.get(name);
      const fits = (one: unknown): boolean => isScalar(one) && (dimension === undefined || valueFault(dimension, one) === undefined);
      const given = [value].flat().slice(0, MAX_KEY_VALUES).filter(fits);
      const values = dimension === undefined ? given : given.map((one) => valueOf(dimension, one));
      if (name.length <= MAX_KEY_VALUE_LENGTH && values.length > 0) kept.push([name, values]);
    }
  }
  return kept.length === 0 ? NO_KEY_VALUES : Object.fromEntries(kept);
};

const isScalar = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value.length <= MAX_KEY_VALUE_LENGTH);
