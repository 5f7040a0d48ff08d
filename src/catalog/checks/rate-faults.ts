import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';

/** Two prices for the same, of which nothing says which one is meant. */
export const rateFaults = ({ rate_card: card }: { readonly rate_card?: unknown }): readonly Fault[] => {
  if (!Array.isArray(card)) return [];
  const known = new Map<string, number>();
  return card.flatMap((rate: unknown, i) => {
    if (!isObject(rate)) return [];
    const { budget_type, placement = null, size = null, days } = rate;
    const named = JSON.stringify([budget_type, placement, size, Array.isArray(days) ? [...(days as readonly unknown[])].sort() : []]);
    const first = known.get(named);
    if (first === undefined) known.set(named, i);
    return first === undefined
      ? []
      : [
          {
            pointer: `/rate_card/${i}`,
            detail: `is for the same as price ${first + 1}: remove one of them, or name another placement, size or days`,
          },
        ];
  });
};
