import type { CandidateIndex, Snapshot } from '../catalog/snapshot/snapshot.ts';
import { firstRefusal, RULES_OF_PLACE } from '../decision/rules.ts';
import type { AdRequest, RequestedImp } from '../serving/ad-request.ts';

interface Place {
  readonly index: CandidateIndex;
  readonly positions: readonly number[];
}

/** Whether a line item could run in an impression, but for what limits it and for others. */
export type MatchLineItem = (request: AdRequest, imp: RequestedImp) => boolean;

/**
 * By the index that serves: its places are looked up once.
 * @param where anywhere: also on placements that it is not booked on, by the index of the first that it is
 */
export const createMatchLineItem = (
  snapshot: Snapshot,
  publisherId: number,
  lineItemId: number,
  where: 'where booked' | 'anywhere' = 'where booked',
): MatchLineItem => {
  const places = new Map<string, Place | undefined>();
  const elsewhere = where === 'anywhere' ? firstPlace(snapshot, publisherId, lineItemId) : undefined;
  const placeOf = (placementId: string): Place | undefined => {
    if (!places.has(placementId)) places.set(placementId, findPlace(snapshot, publisherId, placementId, lineItemId) ?? elsewhere);
    return places.get(placementId);
  };
  return (request, { impId, placementId, width, height, otherSizes, targeting, terms }) => {
    const place = placeOf(placementId);
    const placement = snapshot.placements.get(placementId);
    if (place === undefined || placement === undefined) return false;
    const query = targeting ? { ...request.query, targeting } : request.query;
    const scanner = place.index.targeting.eligible(query.targeting);
    const size = { width: width ?? placement.width, height: height ?? placement.height };
    const imp = { impId, placementId, size, otherSizes, formats: placement.formats, terms };
    return place.positions.some(
      (position) =>
        scanner.firstFrom(position) === position && firstRefusal(RULES_OF_PLACE, place.index.at(position), query, imp) === undefined,
    );
  };
};

const findPlace = (snapshot: Snapshot, publisherId: number, placementId: string, lineItemId: number): Place | undefined => {
  const { direct } = snapshot.slot(publisherId, placementId);
  if (direct === undefined) return undefined;
  const positions: number[] = [];
  for (let position = 0; position < direct.size; position++) if (direct.peek(position).lineItem.id === lineItemId) positions.push(position);
  return positions.length === 0 ? undefined : { index: direct, positions };
};

const firstPlace = (snapshot: Snapshot, publisherId: number, lineItemId: number): Place | undefined => {
  for (const { placementIds } of snapshot.creativesOf(lineItemId))
    for (const placementId of placementIds) {
      const place = findPlace(snapshot, publisherId, placementId, lineItemId);
      if (place) return place;
    }
  return undefined;
};
