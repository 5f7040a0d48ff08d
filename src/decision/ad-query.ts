import type { AdvertiserBlocks } from '../catalog/model/advertiser.ts';
import type { BlockList } from '../catalog/model/block-list.ts';
import type { LineItem } from '../catalog/model/entities.ts';
import type { CreativeFormat } from '../catalog/model/choices.ts';
import type { VideoRules, VastVersion } from '../catalog/model/video-rules.ts';
import type { NativeRequest } from '../creative/native-markup.ts';
import type { Pod } from './pod.ts';
import type { TargetingQuery } from '../targeting/targeting-query.ts';

/** What the decision reads of a request: neither its wire format nor the user's identity. */
export interface AdQuery {
  readonly targeting: TargetingQuery;
  readonly atMs: number;
  /**
   * Whether frequency caps can be enforced: by the user id, or in the memory of this replica. If
   * false, line items with one do not serve.
   */
  readonly mayRemember: boolean;
}

/** One impression of the request. */
export interface ImpQuery {
  readonly impId: string;
  readonly placementId: string;
  /** The preferred size: a creative without a size is shown at it. */
  readonly size: AdSize;
  /** Further sizes that the impression takes, the better first. */
  readonly otherSizes: readonly AdSize[];
  /** What the placement allows. */
  readonly formats: readonly CreativeFormat[];
  /** What the placement asks of a video; undefined: nothing, or nothing is explained. */
  readonly video?: VideoRules | null | undefined;
  /** undefined: none. */
  readonly blockedAdvertisers?: AdvertiserBlocks | undefined;
  /** undefined: it is not an auction's. */
  readonly terms?: AuctionTerms | undefined;
}

/** What the impression of an auction demands besides. */
export interface AuctionTerms {
  /**
   * The lowest price in micros per thousand impressions; 0: none; Infinity: one in a currency without
   * an exchange rate.
   */
  readonly floorMicros: number;
  /**
   * The only deals that may answer, each with its floor as above; undefined: the auction is not
   * private (OpenRTB 2.6, 3.2.11).
   */
  readonly deals: ReadonlyMap<string, number> | undefined;
  readonly formats: readonly CreativeFormat[];
  /** The native assets that it takes; undefined: whatever a creative has. */
  readonly native: NativeRequest | undefined;
  /** The version of VAST that its player reads; undefined: the latest. */
  readonly vast?: VastVersion | undefined;
  /** What its player takes; undefined: any video. */
  readonly video?: VideoRules | undefined;
  /** The break that it is a part of; undefined: it is alone. */
  readonly pod?: Pod | undefined;
  /** Whether an ad without an advertiser to name is refused (DSA, article 26). */
  readonly disclosed: boolean;
  /** Whether the ad itself must then show them, because the page cannot: direct ads do not. */
  readonly selfDisclosed: boolean;
  /** The advertisers and categories that the auction blocks; undefined: none. */
  readonly blocked: BlockList | undefined;
  /** Blocked creative attributes; those of direct creatives are not known. */
  readonly battr: readonly number[];
}

/** The lowest price for a line item: in a private auction the floor of its deal. */
export const floorFor = ({ floorMicros, deals }: Pick<AuctionTerms, 'floorMicros' | 'deals'>, lineItem: Pick<LineItem, 'dealId'>): number =>
  deals?.get(lineItem.dealId ?? '') ?? floorMicros;

/** The size at which an impression is shown, in CSS pixels. */
export interface AdSize {
  readonly width: number;
  readonly height: number;
}

/** The size of a creative or a bid; null: any. */
export interface OwnSize {
  readonly width: number | null;
  readonly height: number | null;
}

const fits = ({ width, height }: OwnSize, size: AdSize): boolean =>
  (width === null || width <= size.width) && (height === null || height <= size.height);

/** Whether something of this size fits one of the impression's sizes; what has no size fits any. */
export const fitsImp = (own: OwnSize, { size, otherSizes }: Pick<ImpQuery, 'size' | 'otherSizes'>): boolean => {
  if (fits(own, size)) return true;
  for (const other of otherSizes) if (fits(own, other)) return true;
  return false;
};

/**
 * Why a creative of this size is on none of these places, unless a request asks for another size there; undefined: it fits
 * one of them, or there is none.
 */
export const misfitWords = (own: OwnSize, places: readonly (AdSize & { readonly id: string })[]): string | undefined =>
  places.length === 0 || places.some((size) => fits(own, size))
    ? undefined
    : `${sizeWords(own)} does not fit ${places.map((place) => `placement ${place.id} of ${sizeWords(place)}`).join(' or ')}`;

const sizeWords = ({ width, height }: OwnSize): string => `${width ?? 'any'}×${height ?? 'any'}`;

/** The size at which something that fits is shown: its own, else the first that it fits. */
export const shownSize = (own: OwnSize, { size, otherSizes }: Pick<ImpQuery, 'size' | 'otherSizes'>): AdSize => {
  const place = otherSizes.length === 0 || fits(own, size) ? size : (otherSizes.find((other) => fits(own, other)) ?? size);
  return own.width === null && own.height === null ? place : { width: own.width ?? place.width, height: own.height ?? place.height };
};
