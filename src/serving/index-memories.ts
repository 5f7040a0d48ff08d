import type { Booking } from '../catalog/model/entities.ts';
import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import type { AdQuery, AdSize, ImpQuery } from '../decision/ad-query.ts';
import { firstRefusal, RULES_OF_PLACE, RULES_OF_PLACE_AT_ALL_HOURS, type Rule } from '../decision/rules.ts';
import { createExhaustedMemory, type ExhaustedMemory } from '../ledger/exhausted-memory.ts';

/**
 * What a replica remembers about one candidate index. Advisory: it is dropped with the snapshot
 * that holds the index and may be lost at any time.
 */
export interface IndexMemory {
  readonly exhausted: ExhaustedMemory;
  /** Whether any candidate of the index fits and is in flight, ignoring targeting. */
  runsHere(query: AdQuery, imp: ImpQuery): boolean;
  /** The same at any hour. */
  runsLater(query: AdQuery, imp: ImpQuery): boolean;
}

export type IndexMemories = (index: CandidateIndex) => IndexMemory;

export const createIndexMemories = (): IndexMemories => {
  const memories = new WeakMap<CandidateIndex, IndexMemory>();
  return (index) => {
    let memory = memories.get(index);
    if (!memory) {
      memory = {
        exhausted: createExhaustedMemory(index.size),
        runsHere: createRunsHere(index, RULES_OF_PLACE),
        runsLater: createRunsHere(index, RULES_OF_PLACE_AT_ALL_HOURS),
      };
      memories.set(index, memory);
    }
    return memory;
  };
};

/** Candidates that one search asks, at 1 to 2 µs each. */
const SEARCHED = 256;
const REST_MS = 1_000;
const MIN_REST_MS = 100;

/**
 * Of each size a candidate is remembered that ran when it was asked, usually the best one. Only when none of
 * them runs any more, or a client asks for a size that none has, others are asked: a part of a long list
 * each time, with a rest between, so that this takes less than a hundredth of a core whatever clients ask for.
 */
const createRunsHere = (candidates: CandidateIndex, rules: readonly Rule[]): IndexMemory['runsHere'] => {
  const bySize = new Map<string, Booking>();
  const searched = Math.min(SEARCHED, candidates.size);
  const restMs = Math.max(MIN_REST_MS, (REST_MS * searched) / candidates.size);
  let next = 0;
  let searchedAtMs = -Infinity;

  const search = (query: AdQuery, imp: ImpQuery): void => {
    const anySize = { ...imp, size: ANY_SIZE, terms: undefined };
    for (let i = 0; i < searched; i++) {
      const candidate = candidates.peek(next);
      next = (next + 1) % candidates.size;
      const { width, height } = candidate.creative;
      if (runs(rules, candidate, query, anySize)) bySize.set(`${width}x${height}`, candidate);
    }
  };
  const isKnown = (query: AdQuery, imp: ImpQuery): boolean => {
    for (const candidate of bySize.values()) if (runs(rules, candidate, query, imp)) return true;
    return false;
  };

  return (query, imp) => {
    if (isKnown(query, imp)) return true;
    if (Math.abs(query.atMs - searchedAtMs) < restMs) return false;
    searchedAtMs = query.atMs;
    search(query, imp);
    return isKnown(query, imp);
  };
};

const runs = (rules: readonly Rule[], candidate: Booking, query: AdQuery, imp: ImpQuery): boolean =>
  firstRefusal(rules, candidate, query, imp) === undefined;

const ANY_SIZE: AdSize = { width: Infinity, height: Infinity };
