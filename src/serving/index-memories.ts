import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import type { AdQuery, ImpQuery } from '../decision/ad-query.ts';
import { firstRefusal, RULES_OF_PLACE } from '../decision/rules.ts';
import { createExhaustedMemory, type ExhaustedMemory } from '../ledger/exhausted-memory.ts';

/**
 * What a replica remembers about one candidate index. Advisory: it is dropped with the snapshot
 * that holds the index and may be lost at any time.
 */
export interface IndexMemory {
  readonly exhausted: ExhaustedMemory;
  /** Whether any candidate of the index fits and is in flight, ignoring targeting. */
  runsHere(query: AdQuery, imp: ImpQuery): boolean;
}

export type IndexMemories = (index: CandidateIndex) => IndexMemory;

export const createIndexMemories = (): IndexMemories => {
  const memories = new WeakMap<CandidateIndex, IndexMemory>();
  return (index) => {
    let memory = memories.get(index);
    if (!memory) {
      memory = { exhausted: createExhaustedMemory(index.size), runsHere: createRunsHere(index) };
      memories.set(index, memory);
    }
    return memory;
  };
};

const FRESH_MS = 1_000;
/** Clients choose the sizes in requests; beyond this number the oldest are dropped. */
const MAX_SIZES = 64;

/**
 * Usually the first candidate decides. When none fits, all were checked (1 ms for 100,000), so a
 * result is kept for a second.
 */
const createRunsHere = ({ entries }: CandidateIndex): IndexMemory['runsHere'] => {
  const known = new Map<string, { readonly atMs: number; readonly runs: boolean }>();
  return (query, imp) => {
    const size = [imp.size, ...imp.otherSizes].map(({ width, height }) => `${width}x${height}`).join();
    const kept = known.get(size);
    if (kept && Math.abs(query.atMs - kept.atMs) < FRESH_MS) return kept.runs;
    const runs = entries.some((candidate) => !firstRefusal(RULES_OF_PLACE, candidate, query, imp));
    known.delete(size);
    known.set(size, { atMs: query.atMs, runs });
    if (known.size > MAX_SIZES) known.delete(known.keys().next().value!);
    return runs;
  };
};
