import { createHash } from 'node:crypto';
import { buildTargetingTables } from '../../targeting/build-targeting-tables.ts';
import { packArrays } from '../../base/packed-arrays.ts';
import { advertiserBlockOf, blocksOf, type AdvertiserBlocks } from '../model/advertiser.ts';
import type { CreativeCounts } from '../model/catalog-reading.ts';
import { isVideo, type Placement, type Publisher } from '../model/entities.ts';
import { videoMisfit } from '../model/video-misfit.ts';
import type { AdmittedRows } from './admit-rows.ts';
import { CANDIDATE_ARRAYS } from './candidate-index.ts';
import type { SlotParts } from './catalog-update.ts';
import type { LineItemTargeting } from './line-item-targeting.ts';
import { offerOf, type DeliveredCounts, type Offer } from './offer.ts';
import { NO_CREATIVE_COUNTS, rotationOf } from './rotation.ts';
import { tiesOf } from './ties-of.ts';
import { Sequences } from './sequences.ts';
import type { Turn, Vacancy } from './snapshot.ts';

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
  readonly blocks: AdvertiserBlocks;
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
  /** All 1 where the rotation is even. */
  readonly weights: number[];
  /** By position, where the rotation is optimised. */
  readonly counts: Map<number, CreativeCounts>;
  /** By position, where there is a goal of clicks. */
  readonly clickRates: Map<number, number>;
  /** By position, where there is a share of voice. */
  readonly voices: Map<number, number>;
  /** Positions of roadblocks. */
  readonly roadblocks: Set<number>;
  /** By position, of sequences. */
  readonly turns: Map<number, Turn>;
}

export interface BookingOptions {
  /** Epoch milliseconds at which flights are judged. */
  readonly nowMs: number;
  readonly targeting: LineItemTargeting;
  /** Of the load before. */
  readonly previous: BookedSlots | undefined;
}

/**
 * Every creative to its placements and publisher, and there to what can be served now or later, or to
 * what cannot. The indexes of slots whose candidates rank as in the load before are kept.
 */
export const bookSlots = (admitted: AdmittedRows, counts: DeliveredCounts, { nowMs, targeting, previous }: BookingOptions): BookedSlots => {
  const booked = new Map<string, BookedSlot>();
  for (const slot of gather(admitted, counts, nowMs)) {
    const key = slotKey(slot);
    const digest = digestOf(slot);
    const before = previous?.get(key);
    const isSame = before?.digest === digest && !slot.retargeted;
    booked.set(key, isSame ? before : { ...build(slot, admitted.lineItems, targeting), digest });
  }
  return booked;
};

const gather = (admitted: AdmittedRows, { recentCounts, creativeCounts }: DeliveredCounts, nowMs: number): readonly Gathered[] => {
  const slots = new Map<string, Map<number, Gathered>>();
  const slotOf = (placement: Placement, publisherId: number): Gathered => {
    let ofPlacement = slots.get(placement.id);
    if (ofPlacement === undefined) slots.set(placement.id, (ofPlacement = new Map<number, Gathered>()));
    let slot = ofPlacement.get(publisherId);
    if (slot === undefined) ofPlacement.set(publisherId, (slot = emptySlot(placement, admitted.publishers.get(publisherId)!)));
    return slot;
  };
  // Creatives of one line item mostly follow each other.
  let offer: Offer | undefined;
  const sequences = new Sequences();
  for (const { id, lineItemId, placementIds, content, weight, step, stop } of admitted.creatives.values()) {
    for (const placementId of placementIds) {
      const placement = admitted.placements.get(placementId);
      if (placement === undefined || placement.archived) continue;
      if (offer?.lineItemId !== lineItemId) offer = offerOf(lineItemId, admitted, recentCounts, nowMs);
      const slot = slotOf(placement, offer.publisherId);
      if (!placement.formats.includes(content.format) || (isVideo(content) && videoMisfit(content, placement.video) !== undefined)) {
        slot.leftOut.push(id);
        continue;
      }
      if (advertiserBlockOf(offer.campaign, slot.blocks) !== undefined) {
        slot.leftOut.push(id);
        if (slot.vacancy === 'SizeOrFormat') slot.vacancy = 'AdvertiserBlocked';
        continue;
      }
      if (stop !== null || offer.isOver) {
        slot.leftOut.push(id);
        slot.vacancy = 'NotInFlight';
        continue;
      }
      const candidates = slot[offer.type];
      candidates.creativeIds.push(id);
      candidates.lineItemIds.push(lineItemId);
      candidates.priorities.push(offer.priority);
      candidates.prices.push(offer.ecpmMicros);
      const at = candidates.weights.push(offer.rotation === 'even' ? 1 : weight) - 1;
      if (offer.rotation === 'optimised') candidates.counts.set(at, creativeCounts.get(id) ?? NO_CREATIVE_COUNTS);
      if (offer.clickRate > 0) candidates.clickRates.set(at, offer.clickRate);
      if (offer.shareOfVoice !== null) candidates.voices.set(at, offer.shareOfVoice);
      if (offer.rotation === 'sequence') sequences.add({ id, lineItemId, step });
      if (offer.roadblock) candidates.roadblocks.add(at);
      if (offer.isRetargeted) slot.retargeted = true;
    }
  }
  const gathered = [...slots.values()].flatMap((ofPlacement) => [...ofPlacement.values()]);
  for (const { direct } of gathered) noteTurns(direct, sequences);
  return gathered;
};

const noteTurns = ({ creativeIds, lineItemIds, turns }: Candidates, sequences: Sequences): void => {
  if (sequences.isEmpty) return;
  for (const [at, id] of creativeIds.entries()) {
    const turn = sequences.turnOf(lineItemIds[at]!, id);
    if (turn) turns.set(at, turn);
  }
};

const slotKey = ({ placementId, publisherId }: Gathered): string => `${publisherId} ${placementId}`;

const noCandidates = (): Candidates => ({
  creativeIds: [],
  lineItemIds: [],
  priorities: [],
  prices: [],
  weights: [],
  counts: new Map(),
  clickRates: new Map(),
  voices: new Map(),
  roadblocks: new Set(),
  turns: new Map(),
});

const emptySlot = (placement: Placement, publisher: Publisher): Gathered => ({
  placementId: placement.id,
  publisherId: publisher.id,
  blocks: blocksOf(publisher, placement),
  direct: noCandidates(),
  programmatic: noCandidates(),
  leftOut: [],
  vacancy: 'SizeOrFormat',
  retargeted: false,
});

const digestOf = ({ direct, programmatic, leftOut, vacancy }: Gathered): string => {
  const hash = createHash('sha256').update(vacancy);
  const lists = [direct, programmatic].flatMap(
    ({ creativeIds, lineItemIds, priorities, prices, weights, counts, clickRates, voices, roadblocks, turns }) => [
      creativeIds,
      lineItemIds,
      priorities,
      prices,
      weights,
      [...counts].flatMap(([at, { impressions, clicks }]) => [at, impressions, clicks]),
      [...clickRates].flat(),
      [...voices].flat(),
      [...roadblocks],
      [...turns].flatMap(([at, { step, steps }]) => [at, step, steps]),
    ],
  );
  for (const list of [...lists, leftOut]) hash.update(`${list.length} `).update(Float64Array.from(list));
  return hash.digest('base64');
};

const build = (
  { placementId, publisherId, direct, programmatic, leftOut, vacancy }: Gathered,
  lineItems: AdmittedRows['lineItems'],
  targeting: LineItemTargeting,
) => {
  const parts: SlotParts = {
    direct: pack(direct, lineItems, targeting),
    programmatic: pack(programmatic, lineItems, targeting),
    leftOut: leftOut.length > 0 ? Int32Array.from(leftOut).buffer : undefined,
    vacancy: direct.creativeIds.length + programmatic.creativeIds.length > 0 ? undefined : vacancy,
  };
  return { placementId, publisherId, parts };
};

const NO_NUMBERS = new Float64Array(0);
const NO_INTEGERS = new Int32Array(0);

/** The index of candidates in rank order: priority, price, ids. */
const pack = (candidates: Candidates, lineItems: AdmittedRows['lineItems'], targeting: LineItemTargeting): ArrayBuffer | undefined => {
  const { creativeIds, lineItemIds, prices, counts, clickRates, voices, roadblocks, turns } = candidates;
  if (creativeIds.length === 0) return undefined;
  const ties = tiesOf(candidates);
  const order = ties.flat();
  const tieEnd = new Int32Array(order.length);
  let start = 0;
  for (const { length } of ties) {
    tieEnd.fill(start + length, start, start + length);
    start += length;
  }
  return packArrays(CANDIDATE_ARRAYS, {
    ecpmMicros: Float64Array.from(order, (at) => prices[at]!),
    creativeIds: Int32Array.from(order, (at) => creativeIds[at]!),
    tieEnd,
    voices:
      voices.size > 0
        ? Float64Array.from(order.flatMap((at, position) => voiceAt(voices.get(at), lineItemIds[at]!, position)))
        : NO_NUMBERS,
    roadblocks:
      roadblocks.size > 0
        ? Int32Array.from(order.flatMap((at, position) => (roadblocks.has(at) ? [lineItemIds[at]!, position] : [])))
        : NO_INTEGERS,
    turns: turns.size > 0 ? Int32Array.from(order.flatMap((at) => turnAt(turns.get(at)))) : NO_INTEGERS,
    ...rotationOf(candidates, order),
    clickRates: clickRates.size > 0 ? Float64Array.from(order, (at) => clickRates.get(at) ?? 0) : NO_NUMBERS,
    impressions: counts.size > 0 ? Float64Array.from(order, (at) => counts.get(at)?.impressions ?? 0) : NO_NUMBERS,
    clicks: counts.size > 0 ? Float64Array.from(order, (at) => counts.get(at)?.clicks ?? 0) : NO_NUMBERS,
    ...buildTargetingTables(order.length, (position) => targeting.of(lineItems.get(lineItemIds[order[position]!]!)!), targeting.pairs),
  });
};

const turnAt = (turn: Turn | undefined): readonly number[] => (turn ? [turn.step, turn.steps] : [0, 0]);

/** Of each candidate with a share: its line item, the share and its position. */
const voiceAt = (percent: number | undefined, lineItemId: number, position: number): readonly number[] =>
  percent === undefined ? [] : [lineItemId, percent, position];
