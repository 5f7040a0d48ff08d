import { CREATIVE_FORMATS } from '../../src/catalog/model/choices.ts';
import type { CandidateIndex } from '../../src/catalog/snapshot/snapshot.ts';
import { createIndexMemories } from '../../src/serving/index-memories.ts';
import { targetingQuery } from '../../src/targeting/targeting-query.ts';
import { indexOf } from '../../testkit/candidate-index.ts';
import { entry } from '../decision/candidate-index.ts';
import { HOUR, MINUTE, NOON } from '../decision/candidates.ts';

const PAGE = { width: 300, height: 250 };
const TALL = { width: 300, height: 600 };
const FLIGHT = { startMs: 0, endMs: NOON + HOUR };
const TOMORROW = { startMs: NOON + 24 * HOUR, endMs: NOON + 48 * HOUR };
const queryAt = (atMs: number) => ({ targeting: targetingQuery(new Map(), { country: 'DE', device: 'mobile' }), atMs, mayRemember: true });
const impOf = (size: typeof PAGE) => ({ impId: '1', placementId: 'top', size, otherSizes: [], formats: CREATIVE_FORMATS });

/** A list of this length, whose line items run tomorrow but for one, at a position. */
const listOf = (length: number, position: number) =>
  indexOf(Array.from({ length }, (_, i) => entry(i + 1, length - i, { flight: i === position ? FLIGHT : TOMORROW }, PAGE)));

/** Counts the candidates that are made for a look. */
const counted = (index: CandidateIndex) => {
  let looks = 0;
  const peek = (position: number) => {
    looks++;
    return index.peek(position);
  };
  return { index: { ...index, peek }, looks: () => looks };
};

describe('whether anything could run in a place', () => {
  it('is known at once from a short list, and again a second after it has changed with the time', () => {
    const { runsHere } = createIndexMemories()(listOf(200, 199));
    expect(runsHere(queryAt(NOON), impOf(PAGE))).toBe(true);
    expect(runsHere(queryAt(NOON + HOUR), impOf(PAGE))).toBe(false);
    expect(runsHere(queryAt(NOON + 24 * HOUR), impOf(PAGE))).toBe(true);
  });

  it('is found in a long list part by part, and then costs one look', () => {
    const { index, looks } = counted(listOf(2_000, 900));
    const { runsHere } = createIndexMemories()(index);
    const answers = Array.from({ length: 30 }, (_, i) => runsHere(queryAt(NOON + 50 * i), impOf(PAGE)));
    expect(answers.lastIndexOf(false)).toBeLessThan(10);
    expect(answers.at(-1)).toBe(true);
    expect(looks()).toBe(4 * 256);
  });

  it('is not searched for without end for a size that nothing has', () => {
    const { index, looks } = counted(listOf(2_000, 0));
    const { runsHere } = createIndexMemories()(index);
    expect(runsHere(queryAt(NOON), impOf(PAGE))).toBe(true);
    // 600 requests a second for a minute.
    for (let i = 0; i < 36_000; i++) expect(runsHere(queryAt(NOON + i * (MINUTE / 36_000)), impOf({ width: 1, height: 1 }))).toBe(false);
    expect(looks()).toBeLessThanOrEqual(600 * 256);
    expect(runsHere(queryAt(NOON + MINUTE), impOf(PAGE))).toBe(true);
  });

  it('tells the sizes apart', () => {
    const { runsHere } = createIndexMemories()(indexOf([entry(1, 2, { flight: FLIGHT }, TALL), entry(2, 1, { flight: TOMORROW }, PAGE)]));
    expect(runsHere(queryAt(NOON), impOf(PAGE))).toBe(false);
    expect(runsHere(queryAt(NOON), impOf(TALL))).toBe(true);
  });
});
