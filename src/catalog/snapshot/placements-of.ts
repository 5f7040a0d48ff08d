import type { ChildEntities } from '../columns/entities.ts';
import type { Creative, Placement } from '../model/entities.ts';

/**
 * The placements that a roadblock is shown on together: those of its approved creatives that are not archived. Found when a
 * line item is first asked for.
 */
export const createPlacementsOf = (
  creatives: Pick<ChildEntities<Creative>, 'childrenOf'>,
  placements: ReadonlyMap<string, Placement>,
): ((lineItemId: number) => readonly string[]) => {
  const known = new Map<number, readonly string[]>();
  return (lineItemId) => {
    let ids = known.get(lineItemId);
    if (ids === undefined) {
      const serving = creatives.childrenOf(lineItemId).filter(({ stop }) => stop === null);
      const booked = new Set(serving.flatMap(({ placementIds }) => placementIds));
      known.set(lineItemId, (ids = [...booked].filter((id) => placements.get(id)?.archived !== true)));
    }
    return ids;
  };
};
