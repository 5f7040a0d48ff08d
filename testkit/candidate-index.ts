import type { Candidate, CandidateIndex } from '../src/catalog/snapshot/snapshot.ts';
import { buildTargetingTables } from '../src/targeting/build-targeting-tables.ts';
import { compileTargeting, createPairNumbers } from '../src/targeting/compile-targeting.ts';
import { createTargetingIndex } from '../src/targeting/targeting-index.ts';

/** Candidates in the order of a snapshot's index: priority, eCPM, id. */
export const indexOf = (given: readonly Candidate[], weights?: readonly number[]): CandidateIndex => {
  const entries = [...given].sort((a, b) => a.lineItem.priority - b.lineItem.priority || b.ecpmMicros - a.ecpmMicros);
  const sameRank = (a: Candidate, b: Candidate) => a.lineItem.priority === b.lineItem.priority && a.ecpmMicros === b.ecpmMicros;
  const tieEnd = Int32Array.from(entries, (entry, i) => {
    const next = entries.findIndex((other, j) => j > i && !sameRank(entry, other));
    return next < 0 ? entries.length : next;
  });
  const pairs = createPairNumbers();
  const compiled = entries.map(({ lineItem: { targeting } }) => compileTargeting(targeting, pairs));
  const targeting = createTargetingIndex(buildTargetingTables(entries.length, (position) => compiled[position]!, pairs));
  return {
    size: entries.length,
    tieEnd,
    weights: weights && Float64Array.from(weights),
    shares: undefined,
    voices: voicesIn(entries),
    roadblocks: undefined,
    targeting,
    at: (position) => entries[position]!,
    peek: (position) => entries[position]!,
    priceOf: (creativeId) => entries.find(({ creative }) => creative.id === creativeId),
    find: (creativeId) => entries.find(({ creative }) => creative.id === creativeId),
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
};

const voicesIn = (entries: readonly Candidate[]): CandidateIndex['voices'] => {
  const voices = entries.flatMap(({ lineItem: { id, sales } }, position) =>
    sales.shareOfVoice === null ? [] : [{ lineItemId: id, percent: sales.shareOfVoice, positions: [position] }],
  );
  return voices.length > 0 ? voices.sort((a, b) => a.lineItemId - b.lineItemId) : undefined;
};
