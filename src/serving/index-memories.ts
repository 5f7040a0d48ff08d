import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import type { AdQuery, ImpQuery } from '../decision/ad-query.ts';
import { firstRefusal, RULES_OF_PLACE } from '../decision/rules.ts';
import { createExhaustedMemory, type ExhaustedMemory } from '../ledger/exhausted-memory.ts';

/** What a replica remembers of one candidate index. Advisory: it ends with the snapshot that holds the index and can be lost at any moment. */
export interface IndexMemory {
  readonly exhausted: ExhaustedMemory;
  /** Whether any candidate of the index fits and is in flight, whatever its targeting. */
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
/** Clients choose the sizes they ask for; past this number the oldest are forgotten. */
const MAX_SIZES = 64;

/** The first candidate usually answers. When none does, all were checked (1 ms for 100,000), so an answer is kept for a second. */
const createRunsHere = ({ entries }: CandidateIndex): IndexMemory['runsHere'] => {
  const known = new Map<string, { readonly atMs: number; readonly runs: boolean }>();
  return (query, imp) => {
    const size = `${imp.size.width}x${imp.size.height}`;
    const kept = known.get(size);
    if (kept && Math.abs(query.atMs - kept.atMs) < FRESH_MS) return kept.runs;
    const runs = entries.some((candidate) => !firstRefusal(RULES_OF_PLACE, candidate, query, imp));
    known.delete(size);
    known.set(size, { atMs: query.atMs, runs });
    if (known.size > MAX_SIZES) known.delete(known.keys().next().value!);
    return runs;
  };
};
