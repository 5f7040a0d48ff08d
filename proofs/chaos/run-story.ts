import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import { checkStored, compareBooks } from './check-stored.ts';
import type { Lane } from './lane.ts';
import type { Violation } from './model.ts';
import { MONTH_ENDS_MS } from './book-world.ts';
import { observe, observeAfter } from './observe.ts';
import { repairAccounts } from './operate.ts';
import { checkFiltered, refilter } from './refilter.ts';
import { playStep } from './play-step.ts';
import { setStage, type Stage } from './stage.ts';
import type { Story } from './story.ts';

/** The rules that a story broke first: after a step, or one past the last when everything is settled. */
export interface Broken {
  readonly atStep: number;
  readonly violations: readonly Violation[];
}

export interface Run {
  readonly broken: Broken | undefined;
  /** What each step came to, in words. */
  readonly notes: ReadonlyMap<number, string>;
  readonly selections: number;
  /** Of them ads of videos, which are parts of breaks. */
  readonly videos: number;
  readonly hits: number;
  /** By another list of data centers. */
  readonly rejudged: Stage['rejudged'];
  /** How often Redis lost data. */
  readonly losses: number;
  /** Of clicks that no person makes. */
  readonly activity: Stage['model']['activity'];
  readonly months: Stage['months']['counts'];
  /** Selections without Redis. */
  readonly fromLots: number;
}

/**
 * Plays a story on real stores, checking every rule after every step, until one is broken.
 * @param matters whether a rule counts; others may break without ending the run
 */
export const runStory = async (lane: Lane, story: Story, matters = (_rule: string): boolean => true): Promise<Run> => {
  const stage = await setStage(lane, story);
  const { model, notes } = stage;
  let broken: Awaited<ReturnType<typeof firstBroken>>;
  try {
    broken = await firstBroken(stage, matters);
  } finally {
    await stage.system.close();
  }
  const [selections, hits] = [model.ads.length, model.logged.size];
  return {
    broken,
    notes,
    selections,
    videos: model.ads.filter(({ durationMs }) => durationMs !== null).length,
    hits,
    fromLots: stage.system.decidedByLots,
    rejudged: stage.rejudged,
    activity: model.activity,
    months: stage.months.counts,
    losses: stage.losses,
  };
};

const firstBroken = async (stage: Stage, matters: (rule: string) => boolean): Promise<Broken | undefined> => {
  const { steps } = stage.story;
  const check = async (atStep: number, play: () => Promise<readonly Violation[]>): Promise<Broken | undefined> => {
    const violations = (await play().catch(threw)).filter(({ rule }) => matters(rule));
    return violations.length > 0 ? { atStep, violations } : undefined;
  };
  for (const step of steps) {
    const broken = await check(step.id, async () => [...(await playStep(stage, step)), ...(await observeAfter(stage, step))]);
    if (broken) return broken;
  }
  return check((steps.at(-1)?.id ?? 0) + 1, () => settleAll(stage));
};

const MAX_ROUNDS = 8;
const ROUND_MS = MS_PER_MINUTE;
const JUDGED_MS = 11 * MS_PER_MINUTE;

/** Everything works again, everything that waits is carried, and all holds end: the books must be exact. */
const settleAll = async (stage: Stage): Promise<readonly Violation[]> => {
  const { lane, model, system, publishers } = stage;
  stage.redisDown.fill(false);
  stage.postgresUp = true;
  stage.resetStores();
  for (const client of [...lane.replicas, lane.background]) await client.runLateCalls();
  stage.settleDoubts();
  await stage.recover();
  await stage.load(stage.redisDown.map((_, n) => n));
  for (const n of stage.redisDown.keys()) await system.replica(n).reportLots(true);
  // Carrying deletes events from the streams: they are read first.
  const found = [...(await observe(stage, publishers))];
  const round = async (): Promise<void> => {
    await system.carry(0, false);
    await system.fold(0);
    found.push(...(await observe(stage, publishers)));
  };
  for (let n = 0; n < MAX_ROUNDS && found.length === 0; n++) {
    await round();
    if ((await system.waiting()) === 0) break;
    await stage.setClocks(stage.trueMs + ROUND_MS);
  }
  const waiting = await system.waiting();
  if (waiting > 0) found.push({ rule: 'fold', text: `${waiting} hits cannot be folded` });
  if (found.length > 0) return found;
  // Longer than any hold.
  await stage.setClocks(stage.trueMs + MS_PER_DAY);
  await round();
  found.push(...(await judgeAll(stage, round)));
  found.push(...(await compareBooks(stage)), ...(await repairDamaged(stage, round)), ...(await stage.poison.check()));
  if (found.length === 0) found.push(...(await refilterAll(stage, round)));
  for (const key of model.acknowledged)
    if (!model.logged.has(key) && !model.isReleased(key)) found.push({ rule: 'lost', text: `${key} was acknowledged and never settled` });
  found.push(...model.misjudged(stage.losses > 0), ...(await checkStored(stage)), ...(await checkFiltered(stage)));
  return stage.story.world.closes ? [...found, ...(await closeAll(stage))] : found;
};

/** Every provisional click is judged; what Redis had lost of them is settled again, and may be provisional once more. */
const judgeAll = async (stage: Stage, round: () => Promise<void>): Promise<readonly Violation[]> => {
  const { system, publishers } = stage;
  const judge = async (): Promise<readonly Violation[]> => {
    await system.judge(0);
    // Read before they are carried.
    const found = await observe(stage, publishers);
    await round();
    return found;
  };
  const found = [...(await judge())];
  await system.recoverProvisional();
  await round();
  await stage.setClocks(stage.trueMs + JUDGED_MS);
  return [...found, ...(await judge())];
};

/** The next month is over too: what has changed of the first one is booked in it. */
const closeAll = async ({ months, setClocks }: Stage): Promise<readonly Violation[]> => {
  const before = await months.check();
  await setClocks(MONTH_ENDS_MS + 40 * MS_PER_DAY);
  await months.closeAll();
  return [...before, ...(await months.check())];
};

/** A story with a list of data centers ends with every day filtered again by it, now that all tokens have ended. */
const refilterAll = async (stage: Stage, round: () => Promise<void>): Promise<readonly Violation[]> => {
  if (!stage.story.steps.some((step) => step.do === 'refilter')) return [];
  const found: Violation[] = [];
  for (const day of new Set(stage.model.ads.map(({ ad }) => ad.day))) found.push(...(await refilter(stage, day)));
  // What was restored is folded, and then carried: on a busy machine one fold may not be enough.
  for (let n = 0; n < MAX_ROUNDS; n++) {
    await round();
    if ((await stage.system.waiting()) === 0) break;
  }
  await round();
  return [...found, ...(await observe(stage, stage.publishers)), ...(await compareBooks(stage))];
};

/** An account is set aside when it is next opened, and repaired when its reservations have ended for certain. */
const repairDamaged = async (stage: Stage, round: () => Promise<void>): Promise<readonly Violation[]> => {
  const found = [...(await repairAccounts(stage))];
  if (stage.operator.damaged.size === 0) return found;
  await stage.setClocks(stage.trueMs + MS_PER_DAY);
  await round();
  await round();
  found.push(...(await repairAccounts(stage)));
  for (const name of stage.operator.damaged) found.push({ rule: 'repair', text: `the account ${name} was not repaired` });
  await round();
  return [...found, ...(await compareBooks(stage))];
};

const threw = (fault: unknown): readonly Violation[] => {
  const text = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  return [{ rule: `threw ${text.slice(0, 60)}`, text }];
};
