import { countWords } from '../number-words.ts';

/** What follows the course of a goal: where the last day leads. A forecast knows more, and takes its place. */
export const endingWords = (end: number | null): string =>
  end === null ? '' : ` At the rate of the last day, it would end at about ${countWords(end)}.`;
