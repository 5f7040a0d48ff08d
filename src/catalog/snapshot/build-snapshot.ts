import { buildTargetingIndex } from '../../targeting/build-targeting-index.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import { admitRows } from './admit-rows.ts';
import type { AdmittedRows } from './admit-rows.ts';
import type { CatalogReading } from '../model/catalog-reading.ts';
import { ecpmMicros, NO_COUNTS } from './ecpm.ts';
import { hourlyTraffic, type HourlyTraffic } from './hourly-traffic.ts';
import { runInSlices } from './run-in-slices.ts';
import type { Candidate, CandidateIndex, LeftOut, Snapshot, Vacancy } from './snapshot.ts';
import { sortInSteps } from './sort-in-steps.ts';

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
  readonly slots: ReadonlyMap<string, ReadonlyMap<number, Slot>>;
}

const CANDIDATES_PER_STEP = 256;

function* snapshotSteps(
  admitted: AdmittedRows,
  reading: CatalogReading,
  nowMs: number,
  previous: BuiltSnapshot | undefined,
): Generator<undefined, BuiltSnapshot> {
  const { booked, candidates } = yield* sortOutBooked(admitted, reading, nowMs, previous?.candidates);
  const slots = new Map<string, Map<number, Slot>>();
  for (const [placementId, byPublisher] of booked) {
    const ofPlacement = new Map<number, Slot>();
    slots.set(placementId, ofPlacement);
    for (const [publisherId, { direct, programmatic, leftOut }] of byPublisher) {
      const before = previous?.slots.get(placementId)?.get(publisherId);
      ofPlacement.set(publisherId, {
        direct: yield* indexUnlessKnown(direct, before?.direct),
        programmatic: yield* indexUnlessKnown(programmatic, before?.programmatic),
        leftOut,
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
  const slotOf = (publisherId: number, placementId: string): Slot | undefined => slots.get(placementId)?.get(publisherId);
  const { publishers, placements, campaigns, lineItems, creatives, quarantined, quarantinedCount } = admitted;
  const snapshot: Snapshot = Object.freeze({
    version: reading.version,
    loadedAtMs: nowMs,
    publishers,
    publisherByKeyHash: new Map(Array.from(publishers.values(), (publisher) => [publisher.apiKeyHash, publisher])),
    placements,
    campaigns,
    lineItems,
    creatives,
    candidateIndex: (publisherId: number, placementId: string) => slotOf(publisherId, placementId)?.direct?.index,
    programmaticIndex: (publisherId: number, placementId: string) => slotOf(publisherId, placementId)?.programmatic?.index,
    leftOut: (publisherId: number, placementId: string) => slotOf(publisherId, placementId)?.leftOut ?? NOTHING,
    vacancy: (publisherId: number, placementId: string) => vacancyOf(slotOf(publisherId, placementId)),
    trafficOf: (publisherId: number) => traffic.get(publisherId),
    quarantined,
    quarantinedCount,
    userHashKey: reading.userHashKey.toString('hex'),
  });
  return { snapshot, admitted, candidates, slots };
}

/** The part of the snapshot for one publisher on one placement. */
interface Slot {
  readonly direct: Indexed | undefined;
  readonly programmatic: Indexed | undefined;
  readonly leftOut: readonly LeftOut[];
}

/** An index with the candidates that it was built from, in the order of the catalog. */
interface Indexed {
  readonly of: readonly Candidate[];
  readonly index: CandidateIndex;
}

const NOTHING: readonly LeftOut[] = [];

const vacancyOf = (slot: Slot | undefined): Vacancy | undefined => {
  if (slot === undefined) return 'NothingBooked';
  if (slot.direct !== undefined || slot.programmatic !== undefined) return undefined;
  return slot.leftOut.some(({ reason }) => reason === 'NotInFlight') ? 'NotInFlight' : 'SizeOrFormat';
};

interface Booked {
  readonly direct: Candidate[];
  readonly programmatic: Candidate[];
  readonly leftOut: LeftOut[];
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
    const slot = bookedOf(booked, placement.id, lineItem.publisherId);
    if (!placement.formats.includes(creative.content.format)) {
      slot.leftOut.push({
        creative,
        lineItem,
        campaign,
        reason: 'SizeOrFormat',
        detail: `placement does not allow ${creative.content.format}`,
      });
      continue;
    }
    const detail = notLive({ creative, lineItem, campaign }, nowMs);
    if (detail !== undefined) {
      slot.leftOut.push({ creative, lineItem, campaign, reason: 'NotInFlight', detail });
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
  if (slot === undefined) ofPlacement.set(publisherId, (slot = { direct: [], programmatic: [], leftOut: [] }));
  return slot;
};

/**
 * Why a candidate cannot become live while this snapshot serves. A flight that has not begun may
 * begin.
 */
const notLive = ({ creative, lineItem, campaign }: Omit<Candidate, 'ecpmMicros'>, nowMs: number): string | undefined => {
  if (creative.blocked) return 'creative is blocked';
  if (!lineItem.active) return 'line item is not active';
  if (lineItem.flight.endMs <= nowMs) return 'line item has ended';
  if (campaign.flight.endMs <= nowMs) return 'campaign has ended';
  return undefined;
};

function* indexUnlessKnown(candidates: readonly Candidate[], known: Indexed | undefined): Generator<undefined, Indexed | undefined> {
  if (candidates.length === 0) return undefined;
  if (known && (yield* isSameList(candidates, known.of))) return known;
  return { of: candidates, index: yield* indexCandidates(candidates) };
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
  return { size: entries.length, entries, tieEnd, targeting };
}

const byRank = (a: Candidate, b: Candidate): number =>
  a.lineItem.priority - b.lineItem.priority ||
  b.ecpmMicros - a.ecpmMicros ||
  a.lineItem.id - b.lineItem.id ||
  a.creative.id - b.creative.id;

const isTie = (a: Candidate, b: Candidate): boolean => a.lineItem.priority === b.lineItem.priority && a.ecpmMicros === b.ecpmMicros;
