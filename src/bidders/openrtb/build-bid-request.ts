import { isIPv6 } from 'node:net';
import countries from 'i18n-iso-countries/index.js';
import type { BlockList } from '../../catalog/model/block-list.ts';
import type { Bidder, Placement } from '../../catalog/model/entities.ts';
import type { Device } from '../../catalog/model/choices.ts';
import type { BidContext } from '../bidder-port.ts';
import { OPEN_MARKET } from '../calls/group-invitations.ts';
import type { BidFormat } from './bid-format.ts';
import { formatCpm } from './fill-auction-macros.ts';
import { fillParams } from './fill-params.ts';
import { audioOf, videoOf, type Played } from './played-media.ts';
import { nativeRequest } from './native-assets.ts';
import type { AskedBid, AskedImp } from './read-bid-response.ts';
import { chainFor } from './supply-chain.ts';

export interface BidRequestParts extends Pick<AskedBid, 'auctionId' | 'blocked' | 'format'> {
  /** The same for every bidder of one ad request. */
  readonly transactionId: string;
  /** Time left until the deadline. */
  readonly tmaxMs: number;
  readonly bidder: Bidder;
  /** Of floors and bids. */
  readonly currency: string;
  readonly imps: readonly (AskedImp & { readonly impId: string; readonly placement: Placement })[];
  readonly context: BidContext;
  /** Units of the bidder's currency for one of the publisher's. */
  readonly rate: number;
}

/** OpenRTB's list of device types: phone, tablet, personal computer. */
const DEVICE_TYPE: Readonly<Record<Device, number>> = { mobile: 4, tablet: 5, desktop: 2 };

const FIRST_PRICE = 1;

/** A page address that bidders accept: http(s), up to 2,048 characters. */
const WEB_PAGE = /^https?:\/\/.{1,2040}$/i;

/** A page counts as https unless its address starts with http:. */
export const isSecurePage = (pageUrl: string | null): boolean => !/^http:/i.test(pageUrl ?? '');

/**
 * An OpenRTB 2.6 BidRequest, to be serialized: impressions, page, device and user. It reveals
 * nothing about bookings.
 */
export const buildBidRequest = (parts: BidRequestParts): object => {
  const { context, bidder, currency } = parts;
  const { seats, params } = bidder;
  const secure = isSecurePage(context.pageUrl) ? 1 : 0;
  return {
    id: parts.auctionId,
    ...(context.test && { test: 1 }),
    at: FIRST_PRICE,
    tmax: parts.tmaxMs,
    cur: [currency],
    ...(seats.length > 0 && { wseat: seats }),
    imp: parts.imps.map(({ impId, placement, size, otherSizes, battr, floors, players = [], pod }) => ({
      id: impId,
      tagid: placement.id,
      bidfloor: cpmOf(floors.get(OPEN_MARKET) ?? Math.min(...floors.values())),
      bidfloorcur: currency,
      secure,
      ...mediaOf(
        parts.format,
        { size, otherSizes, played: { players, pod, rate: parts.rate } },
        unionOf([...parts.blocked.map((list) => list.battr), battr ?? []]),
      ),
      ...dealsOf(floors, currency, seats),
      ...(Object.keys(params).length > 0 && {
        ext: fillParams(params, { PLACEMENT_ID: placement.id, PUBLISHER_ID: String(context.publisher.id) }),
      }),
    })),
    site: buildSite(context),
    device: buildDevice(context),
    user: { ...(context.userHash !== '' && { id: context.userHash }), ...text('consent', context.signals.consent) },
    source: sourceOf(parts),
    ...blocksOf(parts.blocked),
    ...buildRegs(context),
  };
};

/**
 * A request has one `cattax` and one `acat`: those of the first list that has categories. The
 * others are only enforced on bids.
 */
const blocksOf = (lists: readonly BlockList[]): object => {
  const withCategories = lists.filter(({ bcat, acat }) => bcat.length + acat.length > 0);
  const cattax = withCategories[0]?.cattax;
  const comparable = withCategories.filter((list) => list.cattax === cattax);
  const badv = unionOf(lists.map((list) => [...list.badv]));
  const bcat = unionOf(comparable.map((list) => list.bcat));
  const acat = comparable.find((list) => list.acat.length > 0)?.acat;
  return {
    ...(cattax !== undefined && { cattax }),
    ...(bcat.length > 0 && { bcat }),
    ...(acat && { acat }),
    ...(badv.length > 0 && { badv }),
  };
};

const unionOf = <T>(lists: readonly (readonly T[])[]): readonly T[] => [...new Set(lists.flat())];

const cpmOf = (micros: number): number => Number(formatCpm(micros));

const dealsOf = (floors: ReadonlyMap<string, number>, currency: string, seats: Bidder['seats']): { readonly pmp?: object } => {
  const deals = [...floors].filter(([deal]) => deal !== OPEN_MARKET);
  if (deals.length === 0) return {};
  const deal = ([id, floorMicros]: readonly [string, number]): object => ({
    id,
    bidfloor: cpmOf(floorMicros),
    bidfloorcur: currency,
    at: FIRST_PRICE,
    ...(seats.length > 0 && { wseat: seats }),
  });
  return { pmp: { private_auction: floors.has(OPEN_MARKET) ? 0 : 1, deals: deals.map(deal) } };
};

const sourceOf = ({ bidder, transactionId, context }: BidRequestParts): object => {
  const schain = chainFor(context.schain, bidder.schain, { id: transactionId, publisherId: context.publisher.id });
  return { tid: transactionId, ...(schain && { schain }) };
};

const mediaOf = (
  format: BidFormat,
  { size, otherSizes, played }: Pick<AskedImp, 'size' | 'otherSizes'> & { readonly played: Played },
  battr: readonly number[],
): object => {
  const { width, height } = size;
  const blocked = battr.length > 0 && { battr };
  switch (format) {
    case 'html':
      return { banner: { w: width, h: height, format: [size, ...otherSizes].map((one) => ({ w: one.width, h: one.height })), ...blocked } };
    case 'native':
      return { native: { request: JSON.stringify(nativeRequest(width, height)), ver: '1.2', ...blocked } };
    case 'video':
      return { video: { ...videoOf(played), w: width, h: height, ...blocked } };
    case 'audio':
      return { audio: { ...audioOf(played), ...blocked } };
  }
};

/** Prebid Server refuses a site that has neither an id nor a page. */
const buildSite = ({ publisher, pageUrl }: BidContext): object => ({
  id: String(publisher.id),
  domain: publisher.domain,
  ...(pageUrl !== null && WEB_PAGE.test(pageUrl) && { page: pageUrl }),
  publisher: { id: String(publisher.id), name: publisher.name, domain: publisher.domain },
});

/**
 * OpenRTB names a country in three letters (2.6, object Geo) where the rest of the service uses
 * two. undefined: not a country code.
 */
export const countryAlpha3 = (alpha2: string): string | undefined => countries.alpha2ToAlpha3(alpha2.toUpperCase());

const buildDevice = ({ userAgent, ip, country, device, signals: { lmt } }: BidContext): object => {
  const alpha3 = country === null ? undefined : countryAlpha3(country);
  return {
    ...(userAgent !== '' && { ua: userAgent }),
    ...(ip !== null && (isIPv6(ip) ? { ipv6: ip } : { ip })),
    ...(alpha3 !== undefined && { geo: { country: alpha3 } }),
    ...(device !== null && { devicetype: DEVICE_TYPE[device] }),
    ...flag('lmt', lmt),
  };
};

/**
 * Privacy signals as received; each bidder must judge them itself. Absent when the request has none.
 * `ext.gpc` is set here also when Global Privacy Control came as a header, which bidders do not see.
 */
const buildRegs = ({ dsa, signals: { gdpr, usPrivacy, gpp, gppSid, coppa, gpc } }: BidContext): { readonly regs?: object } => {
  const regs = {
    ...flag('coppa', coppa),
    ...flag('gdpr', gdpr),
    ...text('us_privacy', usPrivacy),
    ...text('gpp', gpp),
    ...(gppSid.length > 0 && { gpp_sid: gppSid }),
    ...((gpc || dsa) && { ext: { ...(gpc && { gpc: '1' }), ...(dsa && { dsa }) } }),
  };
  return Object.keys(regs).length === 0 ? {} : { regs };
};

const flag = (name: string, value: boolean | null): object => (value === null ? {} : { [name]: value ? 1 : 0 });

/** Without a text that could not be read. */
const text = (name: string, value: string | null): object => (value === null || value === '' ? {} : { [name]: value });
