import { NOT_USED } from '../../src/ledger/hit.ts';
import { MS_PER_DAY } from '../../src/base/utc-day.ts';
import { checkSelections, checkSetAside } from './check-selections.ts';
import { checkEarned, checkUnearned } from './check-clients.ts';
import { checkPods } from './check-pods.ts';
import { checkRoadblocks } from './check-roadblocks.ts';
import { checkAnswer } from './check-tracking.ts';
import type { Violation } from './model.ts';
import { MONTH, MONTH_ENDS_MS } from './book-world.ts';
import { playClicks } from './play-clicks.ts';
import { playIdle } from './play-idle.ts';
import { operate } from './operate.ts';
import type { Stage } from './stage.ts';
import { NETWORKS, type AdCall, type Step } from './story.ts';
import { hitKey } from './hit-key.ts';

/** How far Redis's clock may fall behind by steps back. */
const MAX_BACK_MS = 1_000;
/** A tally lives for three days without an event writer; a replica that serves always runs one. */
const TALLY_LIFE_MS = 2 * MS_PER_DAY;

/** Does what a step says. Returns the rules that its own answers broke. */
export const playStep = async (stage: Stage, step: Step): Promise<readonly Violation[]> => {
  const { lane, system, model, story } = stage;
  stage.resetStores();
  system.seedStep(story.seed * 1_000_003 + step.id);
  switch (step.do) {
    case 'select':
      return select(stage, step);
    case 'track':
      return track(stage, step);
    case 'idle':
      return playIdle(stage, step, (asked) => select(stage, asked));
    case 'clicks':
      return playClicks(
        stage,
        step,
        (asked) => select(stage, asked),
        (sent) => track(stage, sent),
      );
    case 'judge':
      await stage.setClocks(stage.trueMs + step.afterMs);
      lane.background.setMode(step.fault === 'none' ? 'up' : step.fault);
      await Promise.all(step.replicas.filter((n) => !stage.redisDown[n]).map((n) => system.judge(n)));
      lane.background.setMode('up');
      return [];
    case 'lots': {
      const { replica, fault, all } = step;
      const ends = all || fault === 'killed';
      if (fault !== 'none' && !stage.redisDown[replica]) {
        lane.replicas[replica]?.setMode(fault);
        // A replica that goes on sends again what was not answered.
        if (ends) for (const publisher of stage.publishers) stage.doubt(publisher, fault === 'late');
      }
      if (fault !== 'none' && ends) system.doubtReport(replica);
      await system.replica(replica).reportLots(all);
      if (ends) stage.restart(replica);
      return [];
    }
    case 'edit': {
      const { edit, replicas } = step;
      const mayBeServed = stage.anyDoubt || model.adsOf('l', Number(edit.id)).length > 0;
      if (edit.ifUnserved && mayBeServed) return [];
      stage.rows.apply(edit);
      await stage.operator.move(edit);
      await stage.load(replicas);
      return [];
    }
    case 'reload':
      await stage.load(step.replicas);
      return [];
    case 'ttl':
      stage.ttlsMs[step.replica] = step.ttlMs;
      stage.restart(step.replica);
      return [];
    case 'settings':
      stage.settings[step.replica] = step.settings;
      stage.restart(step.replica);
      return [];
    case 'forward':
      return moveClocks(stage, step.id, stage.trueMs + step.ms);
    case 'reach':
      return moveClocks(
        stage,
        step.id,
        Math.max((Math.floor(stage.trueMs / step.everyMs) + 1) * step.everyMs + step.offsetMs, stage.trueMs),
      );
    case 'back':
      await stage.setClocks(stage.trueMs, Math.max(stage.redisMs - stage.trueMs - step.ms, -MAX_BACK_MS));
      stage.notes.set(step.id, `Redis has ${new Date(stage.redisMs).toISOString()}`);
      return [];
    case 'redis':
      for (const n of step.replicas) stage.redisDown[n] = !step.up;
      return [];
    case 'postgres':
      stage.postgresUp = step.up;
      return [];
    case 'folding':
      stage.isFolding = step.on;
      return [];
    case 'fold':
      if (stage.isFolding) await inBackground(stage, step.replica, () => system.fold(step.replica));
      return [];
    case 'carry':
      await inBackground(stage, step.replica, () => system.carry(step.replica, step.killed));
      if (stage.postgresUp && !stage.redisDown[step.replica] && !step.killed) stage.carriedAtMs = stage.trueMs;
      return [];
    case 'lateCalls':
      for (const client of [...lane.replicas, lane.background]) await client.runLateCalls();
      stage.settleDoubts();
      return [];
    case 'drop':
      lane.replicas[step.replica]?.dropLateCalls();
      stage.restart(step.replica);
      return [];
    case 'monthEnd':
      return moveClocks(stage, step.id, Math.max(MONTH_ENDS_MS + step.offsetMs, stage.trueMs));
    case 'close':
    case 'record':
      return playMonth(stage, step);
    case 'keep':
      await system.keep();
      return [];
    case 'lose':
      await stage.lose(step.how);
      return [];
    case 'recover':
      await stage.recover();
      return [];
    case 'compare':
    case 'drift':
    case 'damage':
    case 'repair':
    case 'poison':
    case 'refilter':
      return operate(stage, step);
  }
};

const playMonth = async (stage: Stage, step: Step & { readonly do: 'close' | 'record' }): Promise<readonly Violation[]> => {
  if (!stage.postgresUp) return [];
  if (step.do === 'close') stage.notes.set(step.id, await stage.months.close(step.publisher, MONTH, step));
  else {
    await stage.months.change(step.change);
    if (!('gone' in step.change)) return [];
    stage.rows.apply({ table: 'campaigns', id: step.change.gone, gone: true });
    await stage.load(stage.redisDown.map((_, n) => n));
  }
  return [];
};

/** True time goes on, and Redis's clock is correct again. */
const moveClocks = async (stage: Stage, step: number, toMs: number): Promise<readonly Violation[]> => {
  await stage.setClocks(toMs);
  if (toMs - stage.carriedAtMs > TALLY_LIFE_MS) stage.servesMayBeMissing = true;
  stage.notes.set(step, `it is ${new Date(toMs).toISOString()}`);
  return [];
};

const inBackground = async ({ lane, redisDown }: Stage, replica: number, work: () => Promise<void>): Promise<void> => {
  lane.background.setMode(redisDown[replica] ? 'down' : 'up');
  await work();
  lane.background.setMode('up');
};

const select = async (stage: Stage, step: Step & { do: 'select' }): Promise<readonly Violation[]> => {
  const { id, replica, calls, inTurn, fault } = step;
  const isDown = stage.redisDown[replica];
  if (fault !== 'none' && !isDown) stage.lane.replicas[replica]?.setMode(fault);
  // A killed replica may have handed out ads of its lots.
  if (fault === 'killed' || (fault !== 'none' && !isDown)) for (const { publisher } of calls) stage.doubt(publisher, fault === 'late');
  if (fault !== 'none') {
    stage.sequences.lose(calls, { redisMs: stage.redisMs, ttlMs: stage.ttlsMs[replica] ?? 0, open: fault === 'late' });
    stage.keptAds.lose(calls);
  }
  const ask = async (call: AdCall) => ({ call, ...(await stage.system.replica(replica).select(call)) });
  const asked = inTurn ? await oneByOne(calls, ask) : await Promise.all(calls.map(ask));
  if (fault === 'killed') {
    stage.restart(replica);
    return [];
  }
  const at = { step: id, redisMs: stage.redisMs, ttlMs: stage.ttlsMs[replica] ?? 0 };
  const isSure = fault === 'none' && !isDown;
  const { rows, edition } = stage.booked[replica]!;
  const { answers, reserved, doubtful, found } = stage.keptAds.sort(asked, { ...at, isSure, edition });
  for (const publisher of doubtful) stage.doubt(publisher, false);
  const ads = stage.model.select(
    answers.flatMap((answer) => answer.ads),
    at,
  );
  stage.notes.set(id, ads.map(({ ad, price }) => `${ad.tokenId} = line item ${ad.lineItemId} at ${price}`).join(', ') || 'nothing');
  const kept = new Set(answers.flatMap((answer) => [...answer.kept].map(({ ad }) => ad.tokenId)));
  // What was kept for a page was reserved before.
  const taken = [...ads.filter(({ ad }) => !kept.has(ad.tokenId)), ...reserved];
  return [
    ...found,
    ...checkSelections(stage.model, taken, stage.redisMs),
    ...stage.bookedChecks.check(answers, rows, stage),
    ...checkRoadblocks(answers),
    ...checkPods(answers),
    ...(await stage.sequences.check(ads, stage.redisMs)),
    ...stage.pages.check(answers, isSure, stage.redisMs),
    ...checkSetAside(taken, stage.operator.isDamaged),
    ...checkEarned(stage.model, taken, stage.redisMs),
    ...(stage.anyDoubt ? [] : checkUnearned(stage.model, answers)),
  ];
};

const oneByOne = async <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> => {
  const results: R[] = [];
  for (const one of all) results.push(await work(one));
  return results;
};

const track = async (stage: Stage, step: Step & { do: 'track' }): Promise<readonly Violation[]> => {
  const { id, replica, calls, fault, lostInPostgres } = step;
  const { lane, model, system, postgresUp, trueMs, story } = stage;
  const redisFails = stage.redisDown[replica] === true || fault !== 'none';
  if (fault !== 'none' && !stage.redisDown[replica]) lane.replicas[replica]?.setMode(fault);
  if (postgresUp && lostInPostgres) system.setPostgres('loseReply');
  // A process that is killed does not turn to Postgres.
  if (fault === 'killed') system.setPostgres('down');
  const hits = calls.flatMap(({ of, nth, kind, eventType, prefetch, network: n }) => {
    const ad = model.adsOfStep(of)[nth];
    const network = NETWORKS[n % NETWORKS.length] ?? null;
    const invalidReason = prefetch ? 'prefetch' : stage.listed.has(network ?? '') ? 'data_center' : '';
    const hit = { kind, eventType, invalidReason, signals: { network, agent: null, origin: null, elsewhere: false } } as const;
    return ad ? [{ ad, hit, key: hitKey({ ...hit, ad: ad.ad }) }] : [];
  });
  const keys = hits.map(({ key }) => key);
  // The hits of a step arrive together, so that either of two equal ones may be the first.
  const repeats = new Set(keys.filter((key, i) => model.send(key) || keys.indexOf(key) !== i));
  const sent = await Promise.all(
    hits.map(async ({ ad, hit, key }) => ({
      ad,
      key,
      // The impression of an ad that was not used is none.
      isRepeat: repeats.has(key) || (hit.kind === 'impression' && model.isSent(`${ad.ad.tokenId} event:${NOT_USED}`)),
      outcome: await system.replica(replica).track(ad.token, hit),
    })),
  );
  if (fault === 'killed') {
    stage.restart(replica);
    return [];
  }
  stage.notes.set(id, sent.map(({ key, outcome }) => `${key} → ${outcome ?? 'token ended'}`).join(', ') || 'nothing');
  const circumstances = {
    trueMs,
    replicaMs: trueMs + (story.world.replicas[replica]?.skewMs ?? 0),
    redisFails,
    postgresFails: !postgresUp || lostInPostgres,
    knownFromMs: stage.knownFromMs,
  };
  return sent.flatMap((answer) => {
    if (answer.outcome === 'accepted') model.acknowledge(answer.key, trueMs);
    return checkAnswer(answer, circumstances);
  });
};
