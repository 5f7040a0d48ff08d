import { CATALOG_TABLES } from '../../src/catalog/model/catalog-reading.ts';
import type { Step, Story } from './story.ts';

/** Whether a story still breaks the rule for which it is made shorter. */
export type StillBreaks = (story: Story) => Promise<boolean>;

/**
 * Makes a failing story short: drops steps, then calls within steps, then bookings, for as long as the same rule is
 * broken (delta debugging: Zeller and Hildebrandt, 2002).
 * @param withinMs the search ends after this time
 */
export const shrinkStory = async (story: Story, stillBreaks: StillBreaks, withinMs: number): Promise<Story> => {
  const endMs = performance.now() + withinMs;
  const tries = (candidate: Story): Promise<boolean> => (performance.now() < endMs ? stillBreaks(candidate) : Promise.resolve(false));
  let best = await withoutKinds(story, tries);
  for (let length = Infinity; sizeOf(best) < length;) {
    length = sizeOf(best);
    const steps = await minimise(best.steps, (kept) => tries({ ...best, steps: kept }));
    best = { ...best, steps };
    for (const step of best.steps) best = await withFewerCalls(best, step, tries);
    for (const table of [...CATALOG_TABLES].reverse()) {
      const withRows = (rows: Story['world']['rows'][typeof table]): Story => ({
        ...best,
        world: { ...best.world, rows: { ...best.world.rows, [table]: rows } },
      });
      // Publishers stay: the replicas look them up.
      if (table !== 'publishers') best = withRows(await minimise(best.world.rows[table], (kept) => tries(withRows(kept))));
    }
  }
  return best;
};

/** Drops all steps of a kind, and all ads of a publisher, together: the quickest way to a much shorter story. */
const withoutKinds = async (story: Story, stillBreaks: StillBreaks): Promise<Story> => {
  let best = story;
  const keepIf = async (candidate: Story): Promise<void> => {
    if (sizeOf(candidate) < sizeOf(best) && (await stillBreaks(candidate))) best = candidate;
  };
  for (const kind of new Set(story.steps.map((step) => step.do))) {
    await keepIf({ ...best, steps: best.steps.filter((step) => step.do !== kind) });
  }
  for (const { id } of story.world.rows.publishers) {
    const steps = best.steps.map((step) =>
      step.do === 'select' ? { ...step, calls: step.calls.filter(({ publisher }) => publisher !== id) } : step,
    );
    await keepIf({ ...best, steps: steps.filter((step) => step.do !== 'select' || step.calls.length > 0) });
  }
  return best;
};

const sizeOf = ({ steps, world }: Story): number =>
  steps.reduce((sum, step) => sum + 1 + callsOf(step).length, 0) + CATALOG_TABLES.reduce((sum, table) => sum + world.rows[table].length, 0);

const callsOf = (step: Step): readonly unknown[] => (step.do === 'select' || step.do === 'track' ? step.calls : []);

const withFewerCalls = async (story: Story, { id }: Step, stillBreaks: StillBreaks): Promise<Story> => {
  const step = story.steps.find((each) => each.id === id);
  if (!step || callsOf(step).length < 2) return story;
  const withCalls = (calls: readonly unknown[]): Story => ({
    ...story,
    steps: story.steps.map((each) => (each.id === id ? ({ ...each, calls } as Step) : each)),
  });
  return withCalls(await minimise(callsOf(step), (kept) => stillBreaks(withCalls(kept))));
};

/** Drops ever smaller runs of items while `stillBreaks`. */
const minimise = async <T>(items: readonly T[], stillBreaks: (kept: readonly T[]) => Promise<boolean>): Promise<readonly T[]> => {
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size >= 1 && kept.length > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length;) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await stillBreaks(rest)) kept = rest;
      else from += size;
    }
  }
  return kept;
};
