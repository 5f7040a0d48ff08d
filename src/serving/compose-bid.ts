import { LRUCache } from 'lru-cache';
import type { Bid } from '../bidders/bidder-port.ts';
import type { Creative } from '../catalog/model/entities.ts';
import { composeMarkup, type Slot } from '../creative/compose-markup.ts';
import type { ServedAd } from '../ledger/hit.ts';
import type { Opportunity, Won } from './opportunity.ts';

export interface ComposeBidOptions {
  readonly signToken: (ad: ServedAd) => string;
  /** '' : tracking URLs are relative. */
  readonly publicUrl: string;
}

/**
 * One bid of the answer as JSON text: markup, price in USD of eCPM, and one signed token in all of its tracking URLs.
 *
 * Text, because what a bid says of its creative is the same each time it is shown at a size, and is written once: 1.1 µs a bid, where an object and
 * JSON.stringify took 5.5.
 */
export type ComposeBid = (won: Won, opportunity: Opportunity) => string;

/** Characters of creatives that are kept written; those shown longest ago go first. */
const KEPT_CHARACTERS = 16_000_000;

interface WrittenCreative extends Slot {
  readonly text: string;
}

export const createComposeBid = ({ signToken, publicUrl }: ComposeBidOptions): ComposeBid => {
  const host = JSON.stringify(publicUrl).slice(1, -1);
  const written = new LRUCache<Creative, WrittenCreative>({ maxSize: KEPT_CHARACTERS, sizeCalculation: ({ text }) => text.length });

  const writeOnce = (creative: Creative, slot: Slot): string => {
    let kept = written.get(creative);
    if (kept?.width !== slot.width || kept.height !== slot.height) {
      kept = { ...slot, text: writeCreative(creative, slot) };
      written.set(creative, kept);
    }
    return kept.text;
  };

  return ({ candidate: { creative, lineItem, ecpmMicros }, bid, ad }, { imp }) => {
    const token = signToken(ad);
    return (
      `{"id":"${ad.tokenId}","impid":${JSON.stringify(imp.impId)},"cid":"${lineItem.campaignId}","price":${ecpmMicros / 1e6},` +
      `"impurl":"${host}/impression?t=${token}","clkurl":"${host}/click?t=${token}","evturl":"${host}/event?t=${token}",` +
      `"repturl":"${host}/report?t=${token}",${bid ? writeCreative(creative, imp.slot, bid) : writeOnce(creative, imp.slot)}`
    );
  };
};

/** The members of a bid that are its creative's, and the closing brace. A bidder's markup, size and domain stand for the creative's own. */
const writeCreative = (creative: Creative, slot: Slot, bid?: Bid): string => {
  const adomain = bid ? bid.adomain : creative.advertiserDomain === null ? [] : [creative.advertiserDomain];
  return JSON.stringify({
    crid: String(creative.id),
    adm: bid ? bid.adm : composeMarkup(creative, slot),
    ...(adomain.length > 0 ? { adomain } : {}),
    w: bid?.width ?? creative.width ?? slot.width,
    h: bid?.height ?? creative.height ?? slot.height,
    ...(creative.clickUrl === null ? {} : { ext: { click_url: creative.clickUrl } }),
  }).slice(1);
};
