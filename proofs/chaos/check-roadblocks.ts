import { groupBy } from '../../src/base/group-by.ts';
import type { SortedAnswer } from './kept-ads.ts';
import type { Violation } from './model.ts';

/**
 * Whether each answer shows a roadblock on all of its placements, once, or on none; of one set of companions. A page that names its
 * placements gets the others later (kept-ads.ts).
 */
export const checkRoadblocks = (answers: readonly SortedAnswer[]): readonly Violation[] =>
  answers.flatMap(({ call: { namesPage }, ads, kept }) =>
    [
      ...groupBy(
        ads.filter((one) => !kept.has(one)),
        ({ lineItem }) => lineItem.id,
      ),
    ].flatMap(([id, shown]): Violation[] => {
      const together = shown[0]?.together ?? [];
      if (together.length < 2) return [];
      const places = shown.map(({ ad }) => ad.placementId).toSorted();
      const isWhole = together.join() === places.join() || (namesPage && new Set(places).size === places.length);
      const sets = new Set(shown.flatMap(({ companionSet }) => companionSet ?? []));
      return [
        ...(isWhole
          ? []
          : [{ rule: 'roadblock', text: `line item ${id} was shown on ${places.join(', ')}, not on ${together.join(', ')}` }]),
        ...(sets.size < 2 ? [] : [{ rule: 'companions', text: `line item ${id} was shown with the sets ${[...sets].join(' and ')}` }]),
      ];
    }),
  );
