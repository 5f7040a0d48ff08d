import { openLanes, type Lane } from './chaos/lane.ts';
import { runStory } from './chaos/run-story.ts';
import { shrinkStory } from './chaos/shrink-story.ts';
import { FORBIDDEN_CLASSES, STEP_CLASSES, type StepClass, type Story } from './chaos/story.ts';
import { tellStory } from './chaos/tell-story.ts';
import { writeStory } from './chaos/write-story.ts';
import type { Proof } from './rig/proof.ts';

const STEPS = 320;
const SEEDS = 2_000;
/** About half a minute on two cores. */
const QUICK_SEEDS = 16;
/** Stories that are played at once: one waits for its stores while another computes. */
const LANES = 4;
/** The run ends at this many failing seeds, or rules broken. */
const MAX_FAILURES = 10;
const MAX_RULES = 3;
const MAX_SHRINK_MS = 90_000;
const REPORT_EVERY = 100;

export const chaos: Proof = {
  name: 'chaos',
  claim: 'random bookings, edits, settings, clocks, faults and hits on real stores, against a model of the rules',
  expected:
    'no rule broken: caps, budgets, frequency caps, sequences, roadblocks, once-only counts, bills, gross = net + filtered, holds that are earned and end',
  run: async (rig, scale) => {
    const classes = classesOf(scale.onlySteps);
    const matters = (rule: string): boolean => scale.onlyRules?.some((name) => rule.startsWith(name)) ?? true;
    const seeds = scale.seeds ?? scale.of(SEEDS, QUICK_SEEDS);
    const { lanes, close } = await openLanes(Math.min(LANES, seeds));
    const failures: string[] = [];
    const rules = new Set<string>();
    let next = rig.seed;
    let done = 0;
    let selections = 0;
    let videos = 0;
    let hits = 0;
    const rejudged = { filtered: 0, restored: 0 };
    let fromLots = 0;
    let losses = 0;
    const months = { closed: 0, corrections: 0 };
    const clicks = { provisional: 0, filtered: 0 };
    const work = async (lane: Lane): Promise<void> => {
      while (next < rig.seed + seeds && failures.length < MAX_FAILURES && rules.size < MAX_RULES) {
        const story = writeStory({ seed: next++, steps: STEPS, classes });
        const run = await runStory(lane, story, matters);
        selections += run.selections;
        videos += run.videos;
        hits += run.hits;
        rejudged.filtered += run.rejudged.filtered;
        rejudged.restored += run.rejudged.restored;
        fromLots += run.fromLots;
        losses += run.losses;
        months.closed += run.months.closed;
        months.corrections += run.months.corrections;
        clicks.provisional += run.activity.provisional;
        clicks.filtered += run.activity.filtered;
        if (++done % REPORT_EVERY === 0) rig.say(`  ${done} of ${seeds} seeds`);
        if (!run.broken) continue;
        const { atStep, violations } = run.broken;
        const [first] = violations;
        if (!first) continue;
        failures.push(`seed ${story.seed}, step ${atStep}: ${first.rule}: ${first.text}`);
        // One short story for each rule.
        if (rules.has(first.rule)) continue;
        rules.add(first.rule);
        rig.say(`  ${failures.at(-1)} (story ${done} of the run); shrinking`);
        for (const line of await shrink(lane, { ...story, steps: story.steps.filter(({ id }) => id <= atStep) }, first.rule))
          rig.say(`  ${line}`);
        rig.say(
          `  again: npm run prove -- --only chaos --seed ${story.seed} --seeds 1${scale.onlySteps ? ` --only-steps ${scale.onlySteps.join(',')}` : ''}`,
        );
      }
    };
    try {
      await Promise.all(lanes.map(work));
    } finally {
      await close();
    }
    const scope = `${done} seeds from ${rig.seed} of ${STEPS} steps, ${selections} ads (${fromLots} from lots, ${videos} videos of ad breaks), ${hits} hits, of which a newer list filtered ${rejudged.filtered} and restored ${rejudged.restored}; ${clicks.provisional} clicks were provisional, ${clicks.filtered} filtered as no person's; ${months.closed} months were closed, with ${months.corrections} corrections; Redis lost its data ${losses} times`;
    return { observed: `${scope}: ${failures.length === 0 ? 'nothing broken' : failures.join(' · ')}`, ok: failures.length === 0 };
  },
};

const classesOf = (names: readonly string[] | undefined): ReadonlySet<StepClass> => {
  if (!names) return new Set(STEP_CLASSES);
  const known: readonly string[] = [...STEP_CLASSES, ...FORBIDDEN_CLASSES];
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`there is no class of steps ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return new Set(names as StepClass[]);
};

const shrink = async (lane: Lane, story: Story, rule: string): Promise<readonly string[]> => {
  const breaks = async (shorter: Story): Promise<boolean> => (await runStory(lane, shorter, (name) => name === rule)).broken !== undefined;
  const shortest = await shrinkStory(story, breaks, MAX_SHRINK_MS);
  return tellStory(shortest, await runStory(lane, shortest, (name) => name === rule));
};
