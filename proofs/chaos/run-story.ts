import type { Snapshot } from '../../src/catalog/snapshot/snapshot.ts';
import { createCatalogRows } from './catalog-rows.ts';
import { checkAccount } from './check-accounts.ts';
import { checkOvershoot, checkSelections } from './check-selections.ts';
import { checkStored } from './check-stored.ts';
import { checkAnswer } from './check-tracking.ts';
import { createModel, type Violation } from './model.ts';
import type { Lane } from './lane.ts';
import { holdSlackMs, RELEASE_MARGIN_MS } from './rules.ts';
import type { Step, Story } from './story.ts';
import { createSystem, hitKey } from './system.ts';

/** The first rules that a story broke: at a step, or `atStep` one past the last at the final settlement. */
export interface Broken {
  readonly atStep: number;
  readonly violations: readonly Violation[];
}

export interface Run {
  readonly broken: Broken | undefined;
  /** What each step came to, in words. */
  readonly notes: ReadonlyMap<number, string>;
  readonly selections: number;
  readonly hits: number;
}

const MAX_FINAL_ROUNDS = 8;
const DAY_MS = 86_400_000;

/**
 * Plays a story on real stores, checking every rule after every step, until one is broken.
 * @param matters whether a rule counts; others may break without ending the run
 */
export const runStory = async (lane: Lane, { seed, world, steps }: Story, matters = (_rule: string): boolean => true): Promise<Run> => {
  await lane.clear();
  let trueMs = world.startMs;
  let skewMs = 0;
  const rows = createCatalogRows(world);
  const model = createModel();
  const notes = new Map<number, string>();
  const ttlsMs = world.replicas.map(({ ttlMs }) => ttlMs);
  const redisDown = world.replicas.map(() => false);
  let postgresUp = true;
  let isFolding = true;
  /** Until when a publisher may hold what no replica knows of. */
  const doubts = new Map<number, number>();
  const redisMs = (): number => trueMs + skewMs;
  const setClocks = (): Promise<void> => lane.setClocks(redisMs(), trueMs);
  await setClocks();
  const first = await rows.snapshot(trueMs);
  const system = createSystem(lane, world, () => trueMs, first);
  const publishers = world.rows.publishers.map(({ id }) => id as number);

  const load = async (replicas: readonly number[]): Promise<void> => {
    const snapshot = await rows.snapshot(trueMs);
    noteWindows(snapshot);
    for (const n of replicas) system.setSnapshot(n, snapshot);
  };
  const noteWindows = ({ lineItems }: Snapshot): void => {
    for (const { id, frequencyCap } of lineItems.values()) model.noteWindow(id, frequencyCap?.windowMs ?? 0);
  };
  noteWindows(first);
  const doubt = (publisherId: number, untilMs: number): void => {
    doubts.set(publisherId, Math.max(doubts.get(publisherId) ?? 0, untilMs));
  };
  const resetLinks = (): void => lane.replicas.forEach((client, n) => client.setMode(redisDown[n] ? 'down' : 'up'));
  const inBackground = async (n: number, work: () => Promise<void>): Promise<void> => {
    lane.background.setMode(redisDown[n] ? 'down' : 'up');
    await work();
    lane.background.setMode('up');
  };

  const select = async (step: Step & { do: 'select' }): Promise<readonly Violation[]> => {
    const { replica, calls, fault } = step;
    const client = lane.replicas[replica]!;
    if (!redisDown[replica] && fault !== 'none') {
      client.setMode(fault);
      for (const { publisher } of calls) {
        const longestMs = Math.max(...ttlsMs);
        doubt(publisher, fault === 'late' ? Infinity : redisMs() + longestMs + holdSlackMs(longestMs) + RELEASE_MARGIN_MS);
      }
    }
    const selected = (await Promise.all(calls.map((call) => system.replica(replica).select(call)))).flat();
    const ads = model.select(selected, { step: step.id, redisMs: redisMs(), ttlMs: ttlsMs[replica]! });
    notes.set(step.id, ads.map(({ ad, price }) => `${ad.tokenId} = line item ${ad.lineItemId} at ${price}`).join(', ') || 'nothing');
    return checkSelections(model, ads, redisMs());
  };

  const track = async (step: Step & { do: 'track' }): Promise<readonly Violation[]> => {
    const { replica, fault, lostInPostgres } = step;
    const faulty = redisDown[replica] || fault !== 'none';
    if (!redisDown[replica] && fault !== 'none') lane.replicas[replica]!.setMode(fault);
    if (postgresUp && lostInPostgres) system.setPostgres('loseReply');
    const nowMs = trueMs + world.replicas[replica]!.skewMs;
    const answers = await Promise.all(
      step.calls.map(async ({ of, nth, kind, eventType, prefetch }) => {
        const ad = model.adsOfStep(of)[nth];
        if (!ad) return undefined;
        const hit = { kind, eventType, invalidReason: prefetch ? ('prefetch' as const) : ('' as const) };
        const key = hitKey({ ...hit, ad: ad.ad, atMs: 0, country: null, device: null });
        const isRepeat = model.send(key);
        const outcome = await system.replica(replica).track(ad.token, hit);
        return { ad, key, isRepeat, outcome };
      }),
    );
    const told = answers.filter((answer) => answer !== undefined);
    notes.set(step.id, told.map(({ key, outcome }) => `${key} → ${outcome ?? 'token ended'}`).join(', ') || 'nothing');
    return told.flatMap((answer) => {
      if (answer.outcome === 'counted') model.acknowledge(answer.key, trueMs);
      return checkAnswer(answer, { trueMs, replicaMs: nowMs, bothFailed: faulty && (!postgresUp || lostInPostgres) });
    });
  };

  const act = async (step: Step): Promise<readonly Violation[]> => {
    switch (step.do) {
      case 'select':
        return select(step);
      case 'track':
        return track(step);
      case 'edit': {
        const { edit, replicas } = step;
        if (edit.ifUnserved && model.adsOf('l', edit.id).length + doubts.size > 0) return [];
        rows.apply(edit);
        await load(replicas);
        return [];
      }
      case 'reload':
        await load(step.replicas);
        return [];
      case 'ttl':
        ttlsMs[step.replica] = step.ttlMs;
        system.restart(step.replica, step.ttlMs);
        return [];
      case 'forward':
      case 'reach':
        trueMs = step.do === 'forward' ? trueMs + step.ms : (Math.floor(trueMs / step.everyMs) + 1) * step.everyMs + step.offsetMs;
        // The clock is corrected as time passes.
        skewMs = 0;
        await setClocks();
        notes.set(step.id, `it is ${new Date(trueMs).toISOString()}`);
        return [];
      case 'back':
        skewMs = Math.max(skewMs - step.ms, -1_000);
        await setClocks();
        notes.set(step.id, `Redis has ${new Date(redisMs()).toISOString()}`);
        return [];
      case 'redis':
        for (const n of step.replicas) redisDown[n] = !step.up;
        return [];
      case 'postgres':
        postgresUp = step.up;
        return [];
      case 'folding':
        isFolding = step.on;
        return [];
      case 'fold':
        if (isFolding) await inBackground(step.replica, () => system.fold(step.replica));
        return [];
      case 'carry':
        await inBackground(step.replica, () => system.carry(step.replica, step.killed));
        return [];
      case 'lateCalls': {
        for (const client of lane.replicas) await client.runLateCalls();
        settleDoubts();
        return [];
      }
      case 'drop':
        lane.replicas[step.replica]!.dropLateCalls();
        system.restart(step.replica, ttlsMs[step.replica]!);
        return [];
    }
  };
  /** Calls that were under way have run: what they reserved ends. */
  const settleDoubts = (): void => {
    const endMs = redisMs() + MAX_TTL_MS + holdSlackMs(MAX_TTL_MS) + RELEASE_MARGIN_MS;
    for (const [publisherId, untilMs] of doubts) if (untilMs === Infinity) doubts.set(publisherId, endMs);
  };

  /** The publishers whose accounts a step may have changed. */
  const touchedBy = (step: Step): readonly number[] => {
    if (step.do === 'select') return [...new Set(step.calls.map(({ publisher }) => publisher))];
    if (step.do !== 'track') return publishers;
    const ads = step.calls.flatMap(({ of, nth }) => model.adsOfStep(of)[nth] ?? []);
    return [...new Set(ads.map(({ ad }) => ad.publisherId))];
  };

  /** What follows every step: events, accounts, surprises. */
  const observe = async (touched: readonly number[]): Promise<readonly Violation[]> => {
    const events = await system.newEvents();
    const found: Violation[] = [...model.log(events)];
    for (const key of system.takeStored()) model.store(key);
    for (const key of model.acknowledged) {
      if (!model.logged.has(key) && !model.waiting.has(key)) found.push({ rule: 'lost', text: `${key} was acknowledged and is nowhere` });
    }
    found.push(...checkOvershoot(model, events));
    for (const publisherId of touched) found.push(...(await checkAccounts(publisherId)));
    found.push(...system.takeSurprises().map((text) => ({ rule: `surprise: ${text.replace(/\bt\d+\b/g, 't').slice(0, 60)}`, text })));
    return found;
  };
  const checkAccounts = async (publisherId: number): Promise<readonly Violation[]> => {
    const ads = model.ads.filter(({ ad }) => ad.publisherId === publisherId);
    const lineItems = [...new Set(ads.map(({ ad }) => ad.lineItemId))];
    const campaigns = [...new Set(ads.map(({ ad }) => ad.campaignId))];
    if (ads.length === 0) return [];
    const [accounts, horizonMs] = await Promise.all([system.accounts(publisherId, lineItems, campaigns), system.horizonMs(publisherId)]);
    const inDoubt = Math.min(redisMs(), horizonMs) < (doubts.get(publisherId) ?? 0);
    return accounts.flatMap((account, i) => {
      const isItem = i < lineItems.length;
      const id = isItem ? lineItems[i]! : campaigns[i - lineItems.length]!;
      return checkAccount(model, { publisherId, kind: isItem ? 'l' : 'c', id, account, redisMs: redisMs(), horizonMs, inDoubt });
    });
  };

  const play = async (step: Step): Promise<readonly Violation[]> => {
    resetLinks();
    system.setPostgres(postgresUp ? 'up' : 'down');
    system.seedStep(seed * 1_000_003 + step.id);
    const found = await act(step);
    if (!CHANGES_BOOKS.has(step.do)) return found;
    return [...found, ...(await observe(touchedBy(step)))];
  };

  /** Everything works again, everything waiting is carried, and all holds end. */
  const settleAll = async (): Promise<readonly Violation[]> => {
    redisDown.fill(false);
    postgresUp = true;
    resetLinks();
    system.setPostgres('up');
    for (const client of lane.replicas) await client.runLateCalls();
    settleDoubts();
    await load(world.replicas.map((_, n) => n));
    // Carrying deletes events from the streams: they are read first.
    const late = await observe(publishers);
    if (late.length > 0) return late;
    const round = async (): Promise<readonly Violation[]> => {
      await system.carry(0, false);
      await system.fold(0);
      return observe(publishers);
    };
    for (let n = 0; n < MAX_FINAL_ROUNDS; n++) {
      const found = await round();
      if (found.length > 0) return found;
      if ((await system.waiting()) === 0) break;
      trueMs += 60_000;
      skewMs = 0;
      await setClocks();
    }
    const waiting = await system.waiting();
    if (waiting > 0) return [{ rule: 'fold', text: `${waiting} hits cannot be folded` }];
    trueMs += DAY_MS;
    await setClocks();
    return [...(await round()), ...(await checkStored(lane.knex, model, doubts.size > 0))];
  };

  const result = (broken?: Broken): Run => ({ broken, notes, selections: model.ads.length, hits: model.logged.size });
  for (const step of steps) {
    const violations = (await play(step).catch(threw)).filter(({ rule }) => matters(rule));
    if (violations.length > 0) return result({ atStep: step.id, violations });
  }
  const violations = (await settleAll().catch(threw)).filter(({ rule }) => matters(rule));
  return result(violations.length > 0 ? { atStep: (steps.at(-1)?.id ?? 0) + 1, violations } : undefined);
};

const MAX_TTL_MS = DAY_MS / 2;

/** The steps after which events and accounts are read; the others change neither. */
const CHANGES_BOOKS: ReadonlySet<Step['do']> = new Set(['select', 'track', 'forward', 'reach', 'fold', 'carry', 'lateCalls']);

const threw = (fault: unknown): readonly Violation[] => {
  const text = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
  return [{ rule: `threw ${text.slice(0, 60)}`, text }];
};
