import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import { fitsSlot, type SlotSize } from './fits-slot.ts';
import { isLive } from './is-live.ts';

const FRESH_MS = 1_000;
/** Sizes asked for are the client's; past so many the oldest are forgotten. */
const MOST_SIZES = 64;

interface Kept {
  readonly atMs: number;
  readonly runs: boolean;
}

const keptBySize = new WeakMap<CandidateIndex, Map<string, Kept>>();

/**
 * Whether any candidate of an index fits a slot and is in flight, whatever its targeting. The first one answers as a rule; when none does, all have been
 * looked at (1 ms of 100,000), so an answer stands for a second.
 */
export const runsSomewhere = (index: CandidateIndex, slot: SlotSize, atMs: number): boolean => {
  let bySize = keptBySize.get(index);
  if (!bySize) keptBySize.set(index, (bySize = new Map<string, Kept>()));
  const size = `${slot.width}x${slot.height}`;
  const kept = bySize.get(size);
  if (kept && Math.abs(atMs - kept.atMs) < FRESH_MS) return kept.runs;
  const runs = index.entries.some(({ creative, lineItem, campaign }) => fitsSlot(creative, slot) && isLive(lineItem, campaign, atMs));
  bySize.delete(size);
  bySize.set(size, { atMs, runs });
  if (bySize.size > MOST_SIZES) bySize.delete(bySize.keys().next().value as string);
  return runs;
};
