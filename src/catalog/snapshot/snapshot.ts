import type { CompanionSets } from './companion-sets.ts';
import type { DayRule } from '../../base/local-day.ts';
import type { TargetingIndex } from '../../targeting/targeting-index.ts';
import type { Entities } from '../columns/entities.ts';
import type { CatalogTable, CreativeCounts } from '../model/catalog-reading.ts';
import type { Bidder, Booking, Campaign, Creative, LineItem, Placement, Publisher } from '../model/entities.ts';
import type { SiblingsOf } from './siblings.ts';
import type { TrafficBefore } from './hours-traffic.ts';
import type { TrafficCurve } from './traffic-curve.ts';

/** A creative that could be served, with its price. */
export interface Candidate extends Booking {
  /** Micros per thousand impressions; 0 for a programmatic line item, whose price is the bid. */
  readonly ecpmMicros: number;
  /** The click-through rate that is expected, of a line item with a goal of clicks; 0: not known. */
  readonly clickRate: number;
  /** Its turn, of a line item whose rotation is a sequence. */
  readonly turn?: Turn | undefined;
  /** What the rotation learns from, of a line item with optimised rotation. */
  readonly counts?: CreativeCounts | undefined;
}

/** When a user is shown a creative of a sequence: after so many ads of its line item, and again after each `steps`. */
export interface Turn {
  readonly step: number;
  readonly steps: number;
}

/** A line item with a share of voice, on one placement. */
export interface Voice {
  readonly lineItemId: number;
  /** Of the requests that it could serve. */
  readonly percent: number;
  /** Of its creatives in the candidate index. */
  readonly positions: readonly number[];
}

/** The positions of line items in a candidate index, by their ids: those that are roadblocks. */
export type Roadblocks = ReadonlyMap<number, readonly number[]>;

/** Bookings that are made when they are read. Iterating makes all of them, so stop early. */
export interface Bookings<B extends Booking = Booking> extends Iterable<B> {
  readonly size: number;
  find(creativeId: number): B | undefined;
}

/**
 * The candidates of one publisher on one placement, in rank order: priority, then eCPM, then id.
 */
export interface CandidateIndex extends Bookings<Candidate> {
  at(position: number): Candidate;
  /** The same, but it does not count as a use: what is kept for those that requests use stays. */
  peek(position: number): Candidate;
  /** By the id of a creative, without making its candidate: for those who ask about thousands. */
  priceOf(creativeId: number): Pick<Candidate, 'ecpmMicros' | 'clickRate'> | undefined;
  /**
   * For each position, the end (exclusive) of its group of equal priority and eCPM; the order
   * within a group is random.
   */
  readonly tieEnd: Int32Array;
  /**
   * How likely each position is to be drawn first within its group; undefined: all alike. The weights
   * of a line item average 1, so that they shift impressions among its creatives only.
   */
  readonly weights: Float64Array | undefined;
  /** With weights: the share of each position in the impressions that its line item gets here. */
  readonly shares: Float64Array | undefined;
  /** undefined: no candidate has a share of voice. */
  readonly voices: readonly Voice[] | undefined;
  /** undefined: no candidate is of a roadblock. */
  readonly roadblocks: Roadblocks | undefined;
  /** Positions are those of `at`. */
  readonly targeting: TargetingIndex;
}

/** Names of NoBidReason: why nothing on a placement can be served, whatever the request. */
export type Vacancy = 'NothingBooked' | 'SizeOrFormat' | 'AdvertiserBlocked' | 'NotInFlight';

/** What the snapshot holds for one publisher on one placement. */
export interface Slot {
  /**
   * Direct candidates: not ended, not stopped by staff, of an advertiser that is not blocked and of a
   * format the placement allows. Flight and
   * size are the request's to check.
   */
  readonly direct: CandidateIndex | undefined;
  /** The same for programmatic line items. */
  readonly programmatic: CandidateIndex | undefined;
  /** Booked, but not servable for as long as this snapshot is used. */
  readonly leftOut: Bookings;
  /**
   * The latest stage that anything booked reached when there are no candidates; undefined when
   * there are some.
   */
  readonly vacancy: Vacancy | undefined;
}

/** A row that was set aside at load because it, or a row that it belongs to, is invalid. */
export interface Quarantined {
  readonly table: CatalogTable;
  readonly id: string;
  readonly reason: string;
}

/** The catalog at one moment. Never changed, only replaced as a whole. */
export interface Snapshot {
  /** The version of the catalog in Postgres, which every write increments. */
  readonly version: number;
  readonly loadedAtMs: number;
  readonly publishers: ReadonlyMap<number, Publisher>;
  readonly publisherByKeyHash: ReadonlyMap<string, Publisher>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly bidders: ReadonlyMap<number, Bidder>;
  readonly campaigns: Entities<Campaign>;
  readonly lineItems: Entities<LineItem>;
  readonly creatives: Entities<Creative>;
  /** By id. */
  creativesOf(lineItemId: number): readonly Creative[];
  /** The placements that a roadblock is shown on together: those of its approved creatives. */
  placementsOf(lineItemId: number): readonly string[];
  /** Of a roadblock, those that may be shown; undefined: its creatives are of no set. */
  companionSetsOf(lineItemId: number): CompanionSets | undefined;
  /** What is booked for a publisher on a placement; an empty slot when nothing is. */
  slot(publisherId: number, placementId: string): Slot;
  /** The days of a publisher, by which it delivers, around a moment. */
  daysOf(publisherId: number, atMs: number): DayRule;
  /** The traffic in the hours of a line item that serves at some only, around a moment; undefined: it serves at all. */
  hoursOf(lineItem: LineItem, atMs: number): TrafficBefore | undefined;
  /**
   * Where a moment lies in the publisher's day of traffic, as pacing follows it. Flat while no
   * traffic is known.
   */
  curveAt(publisherId: number, atMs: number): TrafficCurve;
  /** How many line items of a campaign draw from its budget at a moment. */
  readonly siblingsOf: SiblingsOf;
  /**
   * When the publisher's counters may expire: 35 days after the end of its last flight. Epoch ms.
   */
  expiresAtMs(publisherId: number): number;
  /** The first of the rows that were set aside, at most 1,000. */
  readonly quarantined: readonly Quarantined[];
  readonly quarantinedCount: number;
  /**
   * Keys the hash of user ids, in hex: the same on every replica and for the life of the database.
   */
  readonly userHashKey: string;
}
