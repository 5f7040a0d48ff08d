import type { Booking } from '../catalog/model/entities.ts';
import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import { fitsImp, type AdQuery, type AdSize, type ImpQuery } from '../decision/ad-query.ts';
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

/**
 * Usually the first candidate decides: it has no size, so it fits any. Otherwise all are checked (1
 * ms for 100,000), whatever sizes clients ask for: the sizes of those that run now are kept for a
 * second.
 */
const createRunsHere = (candidates: CandidateIndex): IndexMemory['runsHere'] => {
  let sizes: readonly AdSize[] = [];
  let readAtMs = -Infinity;
  return (query, imp) => {
    if (Math.abs(query.atMs - readAtMs) >= FRESH_MS) {
      sizes = sizesThatRun(candidates, query, imp);
      readAtMs = query.atMs;
    }
    return sizes.some((size) => fitsImp(size, imp));
  };
};

/** The different sizes of the candidates that run now; 0 for any. */
const sizesThatRun = (candidates: Iterable<Booking>, query: AdQuery, imp: ImpQuery): readonly AdSize[] => {
  const unsized = { ...imp, size: ANY_SIZE, terms: undefined };
  const found = new Map<string, AdSize>();
  for (const candidate of candidates) {
    if (firstRefusal(RULES_OF_PLACE, candidate, query, unsized)) continue;
    const { width, height } = candidate.creative;
    if (width === null && height === null) return [NO_SIZE];
    found.set(`${width}x${height}`, { width: width ?? 0, height: height ?? 0 });
  }
  return [...found.values()];
};

const ANY_SIZE: AdSize = { width: Infinity, height: Infinity };
const NO_SIZE: AdSize = { width: 0, height: 0 };
