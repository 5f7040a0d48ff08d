import { parseJson } from '../../base/parse-json.ts';
import type { VideoRules } from '../../catalog/model/video-rules.ts';
import { isPrivateAddress } from '../../catalog/checks/private-address.ts';
import type { BidOutcome } from '../bid-outcome.ts';
import { isPlayed, type BidFormat } from './bid-format.ts';
import { fillWithin, type AuctionMacros } from './fill-auction-macros.ts';
import { hasInsecureResource } from './has-insecure-resource.ts';
import { readNativeAssets } from './native-assets.ts';
import { vastAddressOf, type VastAddress } from './vast-address.ts';
import { isMisfit, readVast } from './vast-markup.ts';

/** Of markup as it will be served, in UTF-8. */
export const MAX_MARKUP_BYTES = 64 * 1024;

/** What the markup of one answer may still have once it is filled, in bytes; reading a bid lowers it. */
export interface MarkupRoom {
  leftBytes: number;
}

/** OpenRTB's list of creative markup types. */
const MARKUP_TYPE: Readonly<Record<BidFormat, number>> = { html: 1, video: 2, audio: 3, native: 4 };

const VIDEO_MARKUP = /^\s*<(?:\?xml|vast)\b/i;

/** What a bid is served as. */
export interface BidMarkup {
  /** '': its VAST has an address. */
  readonly adm: string;
  /** The address of its VAST. */
  readonly tag?: VastAddress | undefined;
  readonly durationMs?: number | undefined;
}

type ReadMarkup = BidMarkup | { readonly refused: BidOutcome };

/**
 * The markup of a bid as it will be served, macros filled: for html the bidder's own, for native
 * the assets as JSON, for players the VAST. It is checked after the macros are filled, so that no macro value can produce
 * markup that the checks refuse.
 */
export const readBidMarkup = (
  bid: Readonly<Record<string, unknown>>,
  macros: AuctionMacros,
  asked: { readonly format: BidFormat; readonly secure: boolean; readonly players: readonly (VideoRules | null | undefined)[] },
  room: MarkupRoom,
): ReadMarkup => {
  const { adm, mtype } = bid;
  const isMissing = adm === undefined || adm === null || adm === '';
  const tag = isMissing && isPlayed(asked.format) ? vastAddressOf(bid, macros) : undefined;
  if (isMissing && !tag) return { refused: 'missing_markup' };
  if (mtype !== undefined && mtype !== null && mtype !== MARKUP_TYPE[asked.format]) return { refused: 'wrong_format' };
  if (tag) return readVastAddress(tag, asked.secure);
  if (typeof adm === 'string') {
    if (Buffer.byteLength(adm) > MAX_MARKUP_BYTES) return { refused: 'markup_too_large' };
    if (adm.trim() === '') return { refused: 'missing_markup' };
  }
  switch (asked.format) {
    case 'html':
      return readHtml(adm, macros, asked.secure, room);
    case 'native':
      return readNative(adm, macros, asked.secure, room);
    case 'video':
    case 'audio':
      return readPlayed(adm, macros, asked, room);
  }
};

/** undefined: it is too large, or the answer has no room left for it. */
const fillInRoom = (adm: string, macros: AuctionMacros, room: MarkupRoom): string | undefined => {
  const filled = fillWithin(adm, macros, Math.min(MAX_MARKUP_BYTES, room.leftBytes));
  const bytes = filled === undefined ? 0 : Buffer.byteLength(filled);
  if (filled === undefined || bytes > Math.min(MAX_MARKUP_BYTES, room.leftBytes)) return undefined;
  room.leftBytes -= bytes;
  return filled;
};

const readHtml = (adm: unknown, macros: AuctionMacros, secure: boolean, room: MarkupRoom): ReadMarkup => {
  if (typeof adm !== 'string' || VIDEO_MARKUP.test(adm)) return { refused: 'wrong_format' };
  const filled = fillInRoom(adm, macros, room);
  if (filled === undefined) return { refused: 'markup_too_large' };
  return secure && hasInsecureResource(filled) ? { refused: 'not_secure' } : { adm: filled };
};

const readPlayed = (
  adm: unknown,
  macros: AuctionMacros,
  { secure, players }: { readonly secure: boolean; readonly players: readonly (VideoRules | null | undefined)[] },
  room: MarkupRoom,
): ReadMarkup => {
  if (typeof adm !== 'string' || !VIDEO_MARKUP.test(adm)) return { refused: 'wrong_format' };
  const filled = fillInRoom(adm, macros, room);
  if (filled === undefined) return { refused: 'markup_too_large' };
  const vast = readVast(filled);
  if (!vast) return { refused: 'bad_vast' };
  if (secure && vast.hasInsecureAddress) return { refused: 'not_secure' };
  return isMisfit(vast, players) ? { refused: 'not_for_player' } : { adm: filled, durationMs: vast.inLine?.durationMs };
};

/** A tag of another server: what it answers is not known beforehand. */
const readVastAddress = (tag: VastAddress, secure: boolean): ReadMarkup => {
  if (!/^https?:\/\/./i.test(tag.url) || isPrivateAddress(tag.url)) return { refused: 'bad_vast' };
  return secure && !/^https:/i.test(tag.url) ? { refused: 'not_secure' } : { adm: '', tag };
};

const readNative = (adm: unknown, macros: AuctionMacros, secure: boolean, room: MarkupRoom): ReadMarkup => {
  // Filled values are percent-encoded, so they cannot end a JSON string. They are filled before the
  // URLs are normalized, which encodes the braces of a macro.
  const filled = fillInRoom(typeof adm === 'string' ? adm : JSON.stringify(adm), macros, room);
  if (filled === undefined) return { refused: 'markup_too_large' };
  const assets = readNativeAssets(parseJson(filled), secure);
  if (typeof assets === 'string') return { refused: assets };
  const text = JSON.stringify(assets);
  return Buffer.byteLength(text) > MAX_MARKUP_BYTES ? { refused: 'markup_too_large' } : { adm: text };
};
