import type { Delivery } from '../../src/delivery/delivery.ts';
import { endingWords } from '../../src/delivery/ending-words.ts';

/** A delivery beside a forecast of its flight: where the last day alone would lead is not said, since the forecast says how it ends. */
export const withoutEndings = (delivery: Delivery): Delivery => {
  const endings = delivery.goals.map(({ expected_end: end }) => endingWords(end));
  const without = (words: string): string =>
    endings.reduce((said, ending) => (said.endsWith(ending) ? said.slice(0, said.length - ending.length) : said), words);
  return {
    ...delivery,
    status: { ...delivery.status, reasons: delivery.status.reasons.map(without) },
    goals: delivery.goals.map((goal) => ({ ...goal, words: without(goal.words) })),
  };
};
