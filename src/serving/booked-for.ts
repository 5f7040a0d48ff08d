import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import type { BookedCreative } from '../decision/trace.ts';

/** All that one publisher has booked on a placement, also what the load already left out. */
export const bookedFor = (snapshot: Snapshot, publisherId: number, placementId: string): readonly BookedCreative[] => [
  ...(snapshot.candidateIndex(publisherId, placementId)?.entries ?? []),
  ...(snapshot.programmaticIndex(publisherId, placementId)?.entries ?? []),
  ...snapshot.leftOut(publisherId, placementId).map(({ creative, lineItem, campaign, reason, detail }) => ({
    creative,
    lineItem,
    campaign,
    leftOut: { nbr: NoBidReason[reason], detail },
  })),
];
