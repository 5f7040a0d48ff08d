import { groupBy } from '../../src/base/group-by.ts';
import type { Violation } from './model.ts';
import type { SelectAnswer } from './replica.ts';

/** Whether each answer shows a roadblock on all of its placements, once, or on none. */
export const checkRoadblocks = (answers: readonly SelectAnswer[]): readonly Violation[] =>
  answers.flatMap(({ ads }) =>
    [...groupBy(ads, ({ lineItem }) => lineItem.id)].flatMap(([id, shown]) => {
      const together = shown[0]?.together ?? [];
      const places = shown.map(({ ad }) => ad.placementId).toSorted();
      return together.length < 2 || together.join() === places.join()
        ? []
        : [{ rule: 'roadblock', text: `line item ${id} was shown on ${places.join(', ')}, not on ${together.join(', ')}` }];
    }),
  );
