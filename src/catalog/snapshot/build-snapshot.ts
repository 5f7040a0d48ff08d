import { IDLE_KEY_TTL_MS } from '../../base/utc-day.ts';
import { buildTargetingIndex } from '../../targeting/build-targeting-index.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { admitRows } from './admit-rows.ts';
import type { AdmittedRows } from './admit-rows.ts';
import type { CatalogReading } from '../model/catalog-reading.ts';
import { ecpmMicros, NO_COUNTS } from './ecpm.ts';
import { hourlyTraffic, type HourlyTraffic } from './hourly-traffic.ts';
import { runInSlices } from './run-in-slices.ts';
import { stopOf, type Booking, type Campaign } from '../model/entities.ts';
import type { Candidate, CandidateIndex, Slot, Snapshot, Vacancy } from './snapshot.ts';
import { sortInSteps } from './sort-in-steps.ts';
import { curveAt } from './traffic-curve.ts';

export interface SnapshotOptions {
  readonly dimensions: DimensionSchema;
  /** The result of the load before, under the same dimensions. Unchanged parts are reused. */
  readonly previous?: BuiltSnapshot | undefined;
  /** Epoch milliseconds at which flights are judged. */
  readonly nowMs: number;
  /**
   * Called whenever a slice of time is used up; waits for the next turn of the event loop by
   * default.
   */
  readonly pause?: () => Promise<void>;
}

/**
 * Builds an immutable snapshot from one reading, in slices of half a millisecond. Invalid rows are
 * set aside, never thrown. A load costs what has changed since `previous`: rows of unchanged blocks
 * are not read again, and indexes of unchanged slots are not built again.
 */
export const buildSnapshot = async (
  reading: CatalogReading,
  { dimensions, previous, nowMs, pause }: SnapshotOptions,
): Promise<BuiltSnapshot> => {
  const admitted = await admitRows(reading, { dimensions, previous: previous?.admitted, ...(pause && { pause }) });
  return runInSlices(snapshotSteps(admitted, reading, nowMs, previous), pause);
};

/** A snapshot with the parts that it was built of, for the next load. */
export interface BuiltSnapshot {
  readonly snapshot: Snapshot;
  readonly admitted: AdmittedRows;
  readonly candidates: ReadonlyMap<number, Candidate>;
  readonly slots: ReadonlyMap<string, ReadonlyMap<number, BuiltSlot>>;
}

/**
 * A slot with the candidates that its indexes were built of, in the order in which they were met.
 */
interface BuiltSlot extends Slot {
  readonly ofDirect: readonly Candidate[];
  readonly ofProgrammatic: readonly Candidate[];
}

const CANDIDATES_PER_STEP = 256;

function* snapshotSteps(
  admitted: AdmittedRows,
  reading: CatalogReading,
  nowMs: number,
  previous: BuiltSnapshot | undefined,
): Generator<undefined, BuiltSnapshot> {
  const { booked, candidates } = yield* sortOutBooked(admitted, reading, nowMs, previous?.candidates);
  const slots = new Map<string, Map<number, BuiltSlot>>();
  for (const [placementId, byPublisher] of booked) {
    const ofPlacement = new Map<number, BuiltSlot>();
    slots.set(placementId, ofPlacement);
    for (const [publisherId, { direct, programmatic, leftOut, vacancy }] of byPublisher) {
      const before = previous?.slots.get(placementId)?.get(publisherId);
      ofPlacement.set(publisherId, {
        direct: yield* indexUnlessKnown(direct, before?.ofDirect, before?.direct),
        programmatic: yield* indexUnlessKnown(programmatic, before?.ofProgrammatic, before?.programmatic),
        leftOut,
        vacancy: direct.length + programmatic.length > 0 ? undefined : vacancy,
        ofDirect: direct,
        ofProgrammatic: programmatic,
      });
      yield;
    }
  }
  const traffic = new Map<number, HourlyTraffic>();
  for (const [publisherId, counts] of reading.hourlyImpressions) {
    const learned = hourlyTraffic(counts);
    if (learned) traffic.set(publisherId, learned);
    if (traffic.size % CANDIDATES_PER_STEP === 0) yield;
  }
  const flightEnds = lastFlightEnds(admitted.campaigns.values());
  const { publishers, placements, bidders, campaigns, lineItems, creatives, quarantined, quarantinedCount } = admitted;
  const snapshot: Snapshot = Object.freeze({
    version: reading.version,
    loadedAtMs: nowMs,
    publishers,
    publisherByKeyHash: new Map(Array.from(publishers.values(), (publisher) => [publisher.apiKeyHash, publisher])),
    placements,
    bidders,
    campaigns,
    lineItems,
    creatives,
    slot: (publisherId: number, placementId: string) => slots.get(placementId)?.get(publisherId) ?? EMPTY_SLOT,
    curveAt: (publisherId: number, atMs: number) => curveAt(atMs, traffic.get(publisherId)),
    expiresAtMs: (publisherId: number) => Math.max(flightEnds.get(publisherId) ?? 0, nowMs) + COUNTERS_MARGIN_MS,
    quarantined,
    quarantinedCount,
    userHashKey: Buffer.from(reading.userHashKey).toString('hex'),
  });
  return { snapshot, admitted, candidates, slots };
}

const EMPTY_SLOT: Slot = { direct: undefined, programmatic: undefined, leftOut: [], vacancy: 'NothingBooked' };

/**
 * Counters outlive the last flight of their publisher by this much, for late hits, reports and a
 * flight that is extended.
 */
const COUNTERS_MARGIN_MS = IDLE_KEY_TTL_MS;

const lastFlightEnds = (campaigns: Iterable<Campaign>): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>();
  for (const { publisherId, flight } of campaigns) ends.set(publisherId, Math.max(ends.get(publisherId) ?? 0, flight.endMs));
  return ends;
};

interface Booked {
  readonly direct: Candidate[];
  readonly programmatic: Candidate[];
  readonly leftOut: Booking[];
  /** The latest stage that anything left out reached. */
  vacancy: Exclude<Vacancy, 'NothingBooked'>;
}

/**
 * Every creative to its placement and publisher, and there to what can be served now or later, or
 * to what cannot.
 */
function* sortOutBooked(
  { creatives, lineItems, campaigns, placements }: AdmittedRows,
  { recentCounts }: CatalogReading,
  nowMs: number,
  known: ReadonlyMap<number, Candidate> | undefined,
): Generator<undefined, { booked: ReadonlyMap<string, ReadonlyMap<number, Booked>>; candidates: ReadonlyMap<number, Candidate> }> {
  const candidates = new Map<number, Candidate>();
  const booked = new Map<string, Map<number, Booked>>();
  const prices = new Map<number, number>();
  let done = 0;
  for (const creative of creatives.values()) {
    if (++done % CANDIDATES_PER_STEP === 0) yield;
    const lineItem = lineItems.get(creative.lineItemId)!;
    const campaign = campaigns.get(lineItem.campaignId)!;
    const placement = placements.get(creative.placementId)!;
    if (placement.archived) continue;
    const slot = bookedOf(booked, placement.id, lineItem.publisherId);
    if (!placement.formats.includes(creative.content.format)) {
      slot.leftOut.push({ creative, lineItem, campaign });
      continue;
    }
    if (isOver({ creative, lineItem, campaign }, nowMs)) {
      slot.leftOut.push({ creative, lineItem, campaign });
      slot.vacancy = 'NotInFlight';
      continue;
    }
    let price = prices.get(lineItem.id);
    if (price === undefined) prices.set(lineItem.id, (price = ecpmMicros(lineItem, recentCounts.get(lineItem.id) ?? NO_COUNTS, nowMs)));
    const before = known?.get(creative.id);
    const isSame =
      before?.creative === creative && before.lineItem === lineItem && before.campaign === campaign && before.ecpmMicros === price;
    const candidate = isSame ? before : { creative, lineItem, campaign, ecpmMicros: price };
    candidates.set(creative.id, candidate);
    slot[lineItem.type].push(candidate);
  }
  return { booked, candidates };
}

const bookedOf = (booked: Map<string, Map<number, Booked>>, placementId: string, publisherId: number): Booked => {
  let ofPlacement = booked.get(placementId);
  if (ofPlacement === undefined) booked.set(placementId, (ofPlacement = new Map<number, Booked>()));
  let slot = ofPlacement.get(publisherId);
  if (slot === undefined) ofPlacement.set(publisherId, (slot = { direct: [], programmatic: [], leftOut: [], vacancy: 'SizeOrFormat' }));
  return slot;
};

/**
 * Whether a creative will not serve again for as long as this snapshot is used. A flight that has
 * not started does not count.
 */
const isOver = ({ creative, lineItem, campaign }: Booking, nowMs: number): boolean =>
  stopOf({ creative, lineItem, campaign }) !== null || lineItem.flight.endMs <= nowMs || campaign.flight.endMs <= nowMs;

function* indexUnlessKnown(
  candidates: readonly Candidate[],
  knownOf: readonly Candidate[] | undefined,
  known: CandidateIndex | undefined,
): Generator<undefined, CandidateIndex | undefined> {
  if (candidates.length === 0) return undefined;
  if (known && knownOf && (yield* isSameList(candidates, knownOf))) return known;
  return yield* indexCandidates(candidates);
}

function* isSameList(one: readonly Candidate[], other: readonly Candidate[]): Generator<undefined, boolean> {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) {
    if (one[i] !== other[i]) return false;
    if (i % (CANDIDATES_PER_STEP * 16) === 0) yield;
  }
  return true;
}

function* indexCandidates(candidates: readonly Candidate[]): Generator<undefined, CandidateIndex> {
  const entries = yield* sortInSteps(candidates, byRank);
  const tieEnd = new Int32Array(entries.length);
  for (let i = entries.length - 1, end = entries.length; i >= 0; i--) {
    if (i + 1 < entries.length && !isTie(entries[i]!, entries[i + 1]!)) end = i + 1;
    tieEnd[i] = end;
  }
  yield;
  const targeting = yield* buildTargetingIndex(entries.map(({ lineItem }) => lineItem.targeting));
  return { size: entries.length, entries, tieEnd, weights: weightsOf(entries), targeting };
}

const weightsOf = (entries: readonly Candidate[]): Float64Array | undefined => {
  if (entries.every(({ creative }) => creative.weight === 1)) return undefined;
  const ofLineItem = new Map<number, { sum: number; count: number }>();
  for (const { creative, lineItem } of entries) {
    const total = ofLineItem.get(lineItem.id) ?? { sum: 0, count: 0 };
    ofLineItem.set(lineItem.id, { sum: total.sum + creative.weight, count: total.count + 1 });
  }
  return Float64Array.from(entries, ({ creative, lineItem }) => {
    const { sum, count } = ofLineItem.get(lineItem.id)!;
    return (creative.weight * count) / sum;
  });
};

const byRank = (a: Candidate, b: Candidate): number =>
  a.lineItem.priority - b.lineItem.priority ||
  b.ecpmMicros - a.ecpmMicros ||
  a.lineItem.id - b.lineItem.id ||
  a.creative.id - b.creative.id;

const isTie = (a: Candidate, b: Candidate): boolean => a.lineItem.priority === b.lineItem.priority && a.ecpmMicros === b.ecpmMicros;
