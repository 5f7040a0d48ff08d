import { advertiserBlockOf, blocksOf } from '../catalog/model/advertiser.ts';
import type { Campaign, Creative, LineItem } from '../catalog/model/entities.ts';
import type { Candidate, Snapshot } from '../catalog/snapshot/snapshot.ts';
import { misfitWords } from '../decision/ad-query.ts';
import { videoMisfit } from '../catalog/model/video-misfit.ts';
import { isLive, obstacleOf } from '../decision/rules.ts';
import type { CreativeObstacle } from './status/line-item-status.ts';

/** A line item as the snapshot serves it. */
export interface LoadedLineItem {
  readonly snapshot: Snapshot;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
}

/** undefined: the snapshot does not contain it; see `whyNotLoaded`. */
export const loadedLineItem = (snapshot: Snapshot | undefined, id: number): LoadedLineItem | undefined => {
  const lineItem = snapshot?.lineItems.get(id);
  const campaign = lineItem && snapshot?.campaigns.get(lineItem.campaignId);
  return snapshot && lineItem && campaign && { snapshot, lineItem, campaign };
};

/**
 * How a line item is ranked, by the first of its creatives that is a candidate; undefined: none is. A
 * slot is searched from its beginning, 5 µs among 10,000 creatives, so the search ends there.
 */
export const priceInSlots = (
  snapshot: Snapshot,
  { publisherId, type }: LineItem,
  creatives: readonly Creative[],
): Pick<Candidate, 'ecpmMicros' | 'clickRate'> | undefined => {
  for (const { id, placementIds } of creatives)
    for (const placementId of placementIds) {
      const price = snapshot.slot(publisherId, placementId)[type]?.priceOf(id);
      if (price) return price;
    }
  return undefined;
};

/** Why a stored row is not in the snapshot. */
export const whyNotLoaded = (snapshot: Snapshot | undefined, table: string, id: number): string => {
  if (!snapshot) return 'the campaign data has not been loaded yet';
  const row = snapshot.quarantined.find((each) => each.table === table && each.id === String(id));
  return row ? `set aside when the catalog was loaded: ${row.reason}` : 'not loaded yet, or set aside with what it belongs to';
};

/** `placement top`, `placements top, side`. */
export const placementWords = (ids: readonly string[]): string => `placement${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;

/**
 * What keeps each creative of the line item, on its own, from being served.
 *
 * @param hasServed a request may ask for a size that its placement has not: what has been shown fits
 */
export const creativeObstacles = (
  { snapshot, lineItem, campaign }: LoadedLineItem,
  creativeIds: readonly number[],
  { atMs, hasServed }: { readonly atMs: number; readonly hasServed: boolean },
): readonly CreativeObstacle[] => {
  // Every creative of a line item that is not live is refused for that reason alone.
  const live = isLive(lineItem, campaign, atMs);
  return creativeIds.map((id) => {
    const creative = snapshot.creatives.get(id);
    if (!creative) return { id, obstacle: whyNotLoaded(snapshot, 'creatives', id) };
    const placements = creative.placementIds.flatMap((placementId) => snapshot.placements.get(placementId) ?? []);
    const open = placements.filter(({ archived }) => !archived);
    if (open.length === 0) {
      const words = placementWords(placements.map((placement) => placement.id));
      return { id, obstacle: `${words} ${placements.length === 1 ? 'is' : 'are'} archived` };
    }
    const own = open.filter(({ publisherId }) => publisherId === null || publisherId === lineItem.publisherId);
    if (own.length === 0) return { id, obstacle: `${placementWords(open.map((placement) => placement.id))} of another publisher` };
    const publisher = snapshot.publishers.get(lineItem.publisherId);
    const blocks = own.map((placement) => publisher && advertiserBlockOf(campaign, blocksOf(publisher, placement)));
    if (blocks[0] !== undefined && blocks.every((words) => words !== undefined)) return { id, obstacle: [...new Set(blocks)].join('; ') };
    const misfit = hasServed ? undefined : misfitWords(creative, own);
    if (misfit !== undefined) return { id, obstacle: misfit };
    const unplayable = own.map((placement) => videoMisfit(creative.content, placement.video));
    if (unplayable[0] !== undefined && unplayable.every((words) => words !== undefined)) return { id, obstacle: unplayable[0] };
    const formats = own.flatMap((placement) => placement.formats);
    return { id, obstacle: live ? obstacleOf({ creative, lineItem, campaign }, formats, atMs) : undefined };
  });
};
