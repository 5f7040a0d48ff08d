import { setTimeout as sleep } from 'node:timers/promises';
import type { Chance } from '../../testkit/chance.ts';
import { amountOf, budgetOf, isTime, MAX_RETAINED_BYTES, type Cost, type Objective } from './budget.ts';
import { HEADERS, mutateGene, writeGene, type Gene } from './gene.ts';
import { largeHeaders, withHeaders } from './message.ts';
import type { Target } from './open-target.ts';
import { send } from './send.ts';

/** A request that costs more than its budget, and how many were tried before it. */
export interface Fault {
  readonly gene: Gene;
  readonly objective: Objective;
  readonly amount: number;
  readonly sentBytes: number;
  readonly tries: number;
}

/** The most that was found of one objective. */
export interface Record {
  readonly gene: Gene;
  readonly amount: number;
}

export interface Search {
  /** Requests tried so far; the repetitions that confirm a figure do not count. */
  tries(): number;
  /** Requests for which the bidder was not called. */
  missed(): number;
  readonly records: ReadonlyMap<string, Record>;
  readonly faults: readonly Fault[];
  /** Searches loop time and answers for this long. */
  climb(genes: readonly Gene[], forMs: number): Promise<void>;
  /** Searches memory that is kept, for this long. */
  replay(genes: readonly Gene[], forMs: number): Promise<void>;
}

/** A figure is believed when the least of so many repetitions shows it: other work only adds. */
const CONFIRMATIONS = 5;
const WARM_ROUNDS = 25;
const IDLE_MS = 250;
const IDLE_MOMENTS = 20;
const QUIET = 0.04;
/**
 * A fault is believed when it shows again later: reloads, comparisons and collections last longer than
 * five repetitions in a row.
 */
const LATER_CONFIRMATIONS = 8;
const LATER_MS = 300;
/** An amount this many times too large needs one repetition: it may take seconds. */
const OBVIOUS = 20;
const SETTLED_NS = 30_000;
/** Requests of one gene, each different, between two collections. */
const REPLAYS = 12;
const SUSPECTED_REPLAYS = 150;
const CONFIRMING_REPLAYS = 2_400;
/**
 * A request whose body does not arrive is kept for 2 s (MAX_DISCARD_MS), and notices to bidders, of which 2,000 may wait, for longer: 600
 * requests with 20 bids each hold 2.4 kB a request after 3 s and 0.8 kB after 13 s.
 */
const IN_FLIGHT_MS = 15_000;
/** On average over a batch of genes, of which one in ten may be at fault. */
const SUSPICIOUS_BYTES = 250;
const CONCURRENT = 8;
/** Of the requests tried, those that are valid ones changed; the others change the best so far. */
const SHARE_OF_SEEDS = 0.25;

/** What is sent to the service: a request, or the answer of a bidder. */
const sizeOf = (gene: Gene): number => {
  const { request, bid } = writeGene(gene, 0);
  return (bid ?? request).length;
};

/**
 * Hill climbing over requests: a change that costs more than the most costly request to its endpoint
 * so far takes its place. Deterministic but for what the measurements say.
 *
 * @param ms of the scale: what limits of time are on this run
 */
export const createSearch = (target: Target, chance: Chance, ms: (limit: number) => number): Search => {
  const best = new Map<string, Record>();
  const records = new Map<string, Record>();
  const faults: Fault[] = [];
  let tries = 0;
  let idleShare = 0;
  let replays = 0;
  let missed = 0;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)] as T;
  const isFound = (gene: Gene, objective: Objective): boolean =>
    faults.some((fault) => fault.objective === objective && fault.gene.endpoint === gene.endpoint);

  /** What the loop does without requests: probes, timers. The least of a few moments, because writes cause reloads. */
  const shareOfIdleLoop = async (): Promise<number> => {
    let least = 1;
    for (let moment = 0; moment < IDLE_MOMENTS && least > QUIET; moment++) {
      const [begunMs, before] = [performance.now(), target.loopNs()];
      await sleep(IDLE_MS);
      least = Math.min(least, (target.loopNs() - before) / 1e6 / (performance.now() - begunMs));
    }
    return least;
  };

  const measure = async (gene: Gene): Promise<Cost & { readonly sentBytes: number }> => {
    const replay = replays++;
    const { request, bid } = writeGene(gene, replay);
    const holds = budgetOf(gene).hold !== undefined;
    if (holds) await target.watchLoop();
    const [begunMs, before] = [performance.now(), target.loopNs()];
    if (bid) target.bidder.expect(replay, bid);
    const { bytes: answerBytes } = await send(target.port, request, gene.framing === 'long');
    let after = target.loopNs();
    for (;;) {
      await sleep(1);
      const later = target.loopNs();
      if (later - after < SETTLED_NS) break;
      after = later;
    }
    const idleNs = idleShare * (performance.now() - begunMs) * 1e6;
    const holdMs = holds ? await target.longestHoldMs() : 0;
    if (bid && !target.bidder.forget(replay)) missed++;
    const loopMs = Math.max(0, after - before - idleNs) / 1e6;
    return { loopMs, holdMs, answerBytes, retainedBytes: 0, sentBytes: (bid ?? request).length };
  };

  /** Sends a request that is not measured. */
  const once = async (gene: Gene): Promise<void> => {
    const replay = replays++;
    const { request, bid } = writeGene(gene, replay);
    if (bid) target.bidder.expect(replay, bid);
    await send(target.port, request, true);
    if (bid && !target.bidder.forget(replay)) missed++;
  };

  /** The least of several measurements, which ends as soon as one is not above `bar`. */
  const confirmed = async (gene: Gene, objective: Objective, bar: number, first: number): Promise<number> => {
    const repetitions = first > OBVIOUS * bar ? 2 : CONFIRMATIONS;
    let least = first;
    for (let i = 1; i < repetitions && least > bar; i++) least = Math.min(least, amountOf(objective, await measure(gene)));
    return least;
  };

  /** The least of some measurements at other moments; ends as soon as one is within the limit. */
  const confirmedLater = async (gene: Gene, objective: Objective, limit: number, first: number): Promise<number> => {
    let least = first;
    for (let i = 0; i < LATER_CONFIRMATIONS && least > limit; i++) {
      await sleep(LATER_MS);
      least = Math.min(least, amountOf(objective, await measure(gene)));
    }
    return least;
  };

  const keep = (known: Map<string, Record>, name: string, record: Record): void => {
    if (record.amount > (known.get(name)?.amount ?? 0)) known.set(name, record);
  };

  const note = (gene: Gene, objective: Objective, amount: number, limit: number, sentBytes: number): void => {
    keep(best, `${objective} ${gene.endpoint}`, { gene, amount });
    keep(records, `${objective} ${gene.role}`, { gene, amount });
    if (amount > limit && !isFound(gene, objective)) faults.push({ gene, objective, amount, sentBytes, tries });
  };

  /** A seed with a few changes, or the best so far of its endpoint with more. */
  const breed = (genes: readonly Gene[], objectives: readonly Objective[]): Gene => {
    const seed = pick(genes);
    const found = chance() < SHARE_OF_SEEDS ? undefined : best.get(`${pick(objectives)} ${seed.endpoint}`)?.gene;
    return mutateGene(found ?? seed, chance);
  };

  const tryOut = async (gene: Gene): Promise<void> => {
    tries++;
    const cost = await measure(gene);
    for (const [objective, full] of Object.entries(budgetOf(gene)) as [Objective, number][]) {
      if (isFound(gene, objective)) continue;
      const limit = isTime(objective) ? ms(full) : full;
      const bar = Math.min(best.get(`${objective} ${gene.endpoint}`)?.amount ?? 0, limit);
      const first = amountOf(objective, cost);
      if (first <= bar) continue;
      const inARow = await confirmed(gene, objective, bar, first);
      const amount = inARow > limit && inARow < OBVIOUS * limit ? await confirmedLater(gene, objective, limit, inARow) : inARow;
      if (amount > bar) note(gene, objective, amount, limit, cost.sentBytes);
    }
  };

  /** Sends each of these requests so often, each time with other addresses and ids. */
  const retainedBytes = async (genes: readonly Gene[], count: number): Promise<number> => {
    const before = await target.heapBytes();
    const sending = genes.flatMap((gene) => Array.from({ length: count }, () => gene));
    for (let i = 0; i < sending.length; i += CONCURRENT) await Promise.all(sending.slice(i, i + CONCURRENT).map(once));
    if (count >= SUSPECTED_REPLAYS) await sleep(IN_FLIGHT_MS);
    return ((await target.heapBytes()) - before) / sending.length;
  };

  /** Finds, by halves, which of these requests leave something behind. */
  const suspect = async (genes: readonly Gene[]): Promise<void> => {
    const [gene] = genes;
    if (!gene || (await retainedBytes(genes, 2 * REPLAYS)) < SUSPICIOUS_BYTES) return;
    if (genes.length > 1) {
      const half = Math.ceil(genes.length / 2);
      await suspect(genes.slice(0, half));
      return suspect(genes.slice(half));
    }
    const first = await retainedBytes(genes, SUSPECTED_REPLAYS);
    const amount = first > MAX_RETAINED_BYTES ? Math.min(first, await retainedBytes(genes, CONFIRMING_REPLAYS)) : first;
    note(gene, 'retained', amount, MAX_RETAINED_BYTES, sizeOf(gene));
  };

  return {
    tries: () => tries,
    missed: () => missed,
    records,
    faults,
    climb: async (genes, forMs) => {
      const until = performance.now() + forMs;
      // Compiled code and filled caches, as in a replica that works.
      for (let round = 0; round < WARM_ROUNDS; round++) await Promise.all(genes.map(once));
      idleShare = await shareOfIdleLoop();
      // What a valid request costs is where the climb begins.
      for (const gene of genes) await tryOut(gene);
      while (performance.now() < until) {
        const left = genes.filter((gene) => (Object.keys(budgetOf(gene)) as Objective[]).some((objective) => !isFound(gene, objective)));
        if (left.length === 0) return;
        await tryOut(breed(left, ['loop', 'hold', 'answer']));
      }
    },
    replay: async (genes, forMs) => {
      const until = performance.now() + forMs;
      for (let round = 0; round < WARM_ROUNDS; round++) await retainedBytes(genes, 1);
      while (performance.now() < until && !faults.some(({ objective }) => objective === 'retained')) {
        // What several requests and headers leave behind adds up, so they are tried together.
        const headers = largeHeaders(chance, HEADERS);
        const batch = genes.map((gene) => withHeaders(chance() < 0.2 ? mutateGene(gene, chance) : gene, headers));
        tries += batch.length;
        if ((await retainedBytes(batch, REPLAYS)) > SUSPICIOUS_BYTES) await suspect(batch);
      }
    },
  };
};
