import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import { createExhaustedMemory, type ExhaustedMemory } from '../ledger/exhausted-memory.ts';

const memories = new WeakMap<CandidateIndex, ExhaustedMemory>();

/** The memory that goes with an index: it ends with the snapshot that holds the index. */
export const exhaustedMemoryOf = (index: CandidateIndex): ExhaustedMemory => {
  let memory = memories.get(index);
  if (!memory) memories.set(index, (memory = createExhaustedMemory(index.size)));
  return memory;
};
