import type { Delivery } from '../../src/delivery/delivery.ts';
import { endingWords } from '../../src/delivery/at-stake/ending-words.ts';

/**
 * A delivery beside the card of its flight, which says how the impressions will end: by a forecast, or by the last days. Where the last
 * day alone would lead is a third figure, and is left out.
 */
export const withoutEndings = (delivery: Delivery): Delivery => {
  const endings = delivery.goals.flatMap(({ of, expected_end: end }) => (of === 'impressions' ? [endingWords(end)] : []));
  const without = (words: string): string =>
    endings.reduce((said, ending) => (said.endsWith(ending) ? said.slice(0, said.length - ending.length) : said), words);
  return {
    ...delivery,
    status: { ...delivery.status, reasons: delivery.status.reasons.map(without) },
    goals: delivery.goals.map((goal) => ({ ...goal, words: without(goal.words) })),
  };
};
