import type { Campaign, LineItem } from '../../catalog/model/entities.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { isLive, obstacleOf } from '../../decision/rules.ts';
import type { CreativeObstacle } from './delivery-status.ts';

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

/** Why a stored row is not in the snapshot. */
export const whyNotLoaded = (snapshot: Snapshot | undefined, table: string, id: number): string => {
  if (!snapshot) return 'the campaign data has not been loaded yet';
  const row = snapshot.quarantined.find((each) => each.table === table && each.id === String(id));
  return row ? `set aside when the catalog was loaded: ${row.reason}` : 'not loaded yet, or set aside with what it belongs to';
};

/** What keeps each creative of the line item, on its own, from being served. */
export const creativeObstacles = (
  { snapshot, lineItem, campaign }: LoadedLineItem,
  creativeIds: readonly number[],
  atMs: number,
): readonly CreativeObstacle[] => {
  // Every creative of a line item that is not live is refused for that reason alone.
  const live = isLive(lineItem, campaign, atMs);
  return creativeIds.map((id) => {
    const creative = snapshot.creatives.get(id);
    if (!creative) return { id, obstacle: whyNotLoaded(snapshot, 'creatives', id) };
    const placement = snapshot.placements.get(creative.placementId);
    if (placement?.archived) return { id, obstacle: `placement ${placement.id} is archived` };
    return { id, obstacle: live && placement ? obstacleOf({ creative, lineItem, campaign }, placement.formats, atMs) : undefined };
  });
};
