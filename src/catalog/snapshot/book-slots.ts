import { createHash } from 'node:crypto';
import { buildTargetingTables } from '../../targeting/build-targeting-tables.ts';
import { packArrays } from '../../base/packed-arrays.ts';
import type { RecentCounts } from '../model/catalog-reading.ts';
import type { LineItem } from '../model/entities.ts';
import type { AdmittedRows } from './admit-rows.ts';
import { CANDIDATE_ARRAYS } from './candidate-index.ts';
import type { SlotParts } from './catalog-update.ts';
import { ecpmMicros, NO_COUNTS } from './ecpm.ts';
import type { Vacancy } from './snapshot.ts';

/** A slot with what it was built from. */
export interface BookedSlot {
  readonly placementId: string;
  readonly publisherId: number;
  /** Of its candidates, in the order of their ids, with what ranks them; the targeting excepted. */
  readonly digest: string;
  /** For the update with which the slot was built; the worker has given them away since. */
  readonly parts: SlotParts;
}

/** By placement and publisher; see `slotKey`. */
export type BookedSlots = ReadonlyMap<string, BookedSlot>;

/** The creatives of a slot, as numbers: at 200,000 creatives, objects would fill the worker's heap. */
interface Gathered {
  readonly placementId: string;
  readonly publisherId: number;
  readonly direct: Candidates;
  readonly programmatic: Candidates;
  readonly leftOut: number[];
  /** The latest stage that anything left out reached. */
  vacancy: Exclude<Vacancy, 'NothingBooked'>;
  retargeted: boolean;
}

interface Candidates {
  readonly creativeIds: number[];
  readonly lineItemIds: number[];
  readonly priorities: number[];
  readonly prices: number[];
}

/**
 * Every creative to its placement and publisher, and there to what can be served now or later, or to
 * what cannot. The indexes of slots whose candidates rank as in the load before are kept.
 */
export const bookSlots = (
  admitted: AdmittedRows,
  recentCounts: ReadonlyMap<number, RecentCounts>,
  nowMs: number,
  previous: BookedSlots | undefined,
): BookedSlots => {
  const booked = new Map<string, BookedSlot>();
  for (const [key, slot] of gather(admitted, recentCounts, nowMs)) {
    const digest = digestOf(slot);
    const before = previous?.get(key);
    booked.set(key, before?.digest === digest && !slot.retargeted ? before : { ...build(slot, admitted), digest });
  }
  return booked;
};

const gather = (
  { placements, campaigns, lineItems, creatives, retargeted }: AdmittedRows,
  recentCounts: ReadonlyMap<number, RecentCounts>,
  nowMs: number,
): ReadonlyMap<string, Gathered> => {
  const slots = new Map<string, Gathered>();
  const prices = new Map<number, number>();
  for (const { id, lineItemId, placementId, content, blocked } of creatives.values()) {
    const lineItem = lineItems.get(lineItemId)!;
    const { publisherId, flight } = lineItem;
    const key = slotKey(placementId, publisherId);
    let slot = slots.get(key);
    if (slot === undefined) slots.set(key, (slot = emptySlot(placementId, publisherId)));
    if (!placements.get(placementId)!.formats.includes(content.format)) {
      slot.leftOut.push(id);
      continue;
    }
    // A candidate that will not serve again for as long as the snapshot is used. A flight that has
    // not started does not count.
    if (blocked || !lineItem.active || flight.endMs <= nowMs || campaigns.get(lineItem.campaignId)!.flight.endMs <= nowMs) {
      slot.leftOut.push(id);
      slot.vacancy = 'NotInFlight';
      continue;
    }
    let price = prices.get(lineItemId);
    if (price === undefined) prices.set(lineItemId, (price = ecpmMicros(lineItem, recentCounts.get(lineItemId) ?? NO_COUNTS, nowMs)));
    const candidates = slot[lineItem.type];
    candidates.creativeIds.push(id);
    candidates.lineItemIds.push(lineItemId);
    candidates.priorities.push(lineItem.priority);
    candidates.prices.push(price);
    if (retargeted.has(lineItemId)) slot.retargeted = true;
  }
  return slots;
};

const slotKey = (placementId: string, publisherId: number): string => `${publisherId} ${placementId}`;

const noCandidates = (): Candidates => ({ creativeIds: [], lineItemIds: [], priorities: [], prices: [] });

const emptySlot = (placementId: string, publisherId: number): Gathered => ({
  placementId,
  publisherId,
  direct: noCandidates(),
  programmatic: noCandidates(),
  leftOut: [],
  vacancy: 'SizeOrFormat',
  retargeted: false,
});

const digestOf = ({ direct, programmatic, leftOut, vacancy }: Gathered): string => {
  const hash = createHash('sha256').update(vacancy);
  const lists = [direct, programmatic].flatMap(({ creativeIds, lineItemIds, priorities, prices }) => [
    creativeIds,
    lineItemIds,
    priorities,
    prices,
  ]);
  for (const list of [...lists, leftOut]) hash.update(`${list.length} `).update(Float64Array.from(list));
  return hash.digest('base64');
};

const build = ({ placementId, publisherId, direct, programmatic, leftOut, vacancy }: Gathered, { lineItems }: AdmittedRows) => {
  const parts: SlotParts = {
    direct: pack(direct, lineItems),
    programmatic: pack(programmatic, lineItems),
    leftOut: leftOut.length > 0 ? Int32Array.from(leftOut).buffer : undefined,
    vacancy: direct.creativeIds.length + programmatic.creativeIds.length > 0 ? undefined : vacancy,
  };
  return { placementId, publisherId, parts };
};

/** The index of candidates in rank order: priority, price, ids. */
const pack = (
  { creativeIds, lineItemIds, priorities, prices }: Candidates,
  lineItems: { get(id: number): Pick<LineItem, 'targeting'> | undefined },
): ArrayBuffer | undefined => {
  const size = creativeIds.length;
  if (size === 0) return undefined;
  const order = Uint32Array.from({ length: size }, (_, i) => i).sort(
    (a, b) =>
      priorities[a]! - priorities[b]! || prices[b]! - prices[a]! || lineItemIds[a]! - lineItemIds[b]! || creativeIds[a]! - creativeIds[b]!,
  );
  const isTie = (a: number, b: number): boolean => priorities[a] === priorities[b] && prices[a] === prices[b];
  const tieEnd = new Int32Array(size);
  for (let i = size - 1, end = size; i >= 0; i--) {
    if (i + 1 < size && !isTie(order[i]!, order[i + 1]!)) end = i + 1;
    tieEnd[i] = end;
  }
  return packArrays(CANDIDATE_ARRAYS, {
    ecpmMicros: Float64Array.from(order, (at) => prices[at]!),
    creativeIds: Int32Array.from(order, (at) => creativeIds[at]!),
    tieEnd,
    ...buildTargetingTables(size, (position) => lineItems.get(lineItemIds[order[position]!]!)!.targeting),
  });
};
