/** Lines beyond the window that are drawn as well, so that the next key or turn of the wheel finds them. */
const AHEAD = 20;

/** The places of the first line in view and of the one after the last; more than there are. */
export type LineRange = readonly [from: number, to: number];

export const FIRST_LINES: LineRange = [0, 60];

/**
 * The lines of a long table that are in view, and some around them.
 * @param lineHeight pixels
 */
export const linesInView = (body: Element, lineHeight: number): LineRange => {
  const { top } = body.getBoundingClientRect();
  const from = Math.max(0, Math.floor(-top / lineHeight) - AHEAD);
  return [from, Math.ceil((innerHeight - top) / lineHeight) + AHEAD];
};

/** Whether what is in view is drawn, with room to the nearest end. */
export const isDrawn = ([from, to]: LineRange, drawn: LineRange): boolean =>
  (from + AHEAD / 2 >= drawn[0] || drawn[0] === 0) && to - AHEAD / 2 <= drawn[1] && to - from <= 2 * (drawn[1] - drawn[0]);
