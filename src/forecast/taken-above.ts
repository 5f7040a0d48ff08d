import { under } from '../base/under.ts';
import type { LineItem } from '../catalog/model/entities.ts';
import type { Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { Sold } from './asked-forecast.ts';

/** Of each placement, the part that goes to line items of a higher priority or price. @param lineItem as it is, or as it would be */
export const takenAbove = (
  snapshot: Snapshot,
  lineItem: Pick<LineItem, 'id' | 'priority' | 'cpmMicros'>,
  sold: Sold | undefined,
): ((placementId: string) => number) => {
  const known = new Map<string, number>();
  const ranksAbove = (id: number): boolean => {
    const other = snapshot.lineItems.get(id);
    if (!other || id === lineItem.id) return false;
    return (
      other.priority < lineItem.priority || (other.priority === lineItem.priority && (other.cpmMicros ?? 0) > (lineItem.cpmMicros ?? 0))
    );
  };
  const partOf = (placementId: string): number => {
    const all = [...(sold?.available.get(placementId)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
    const above = [...(sold?.winners.get(placementId) ?? [])].reduce((sum, [id, count]) => (ranksAbove(id) ? sum + count : sum), 0);
    return all === 0 ? 0 : above / all;
  };
  return (placementId) => under(known, placementId, partOf);
};
