import type { TargetingIndex } from '../../targeting/targeting-index.ts';
import type { CatalogTable } from '../model/catalog-reading.ts';
import type { Campaign, Creative, LineItem, Placement, Publisher } from '../model/entities.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';

/** A creative that can be served, with its line item, campaign and price. */
export interface Candidate {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Micros per thousand impressions; 0 for a programmatic line item, whose price is the bid. */
  readonly ecpmMicros: number;
}

/**
 * The candidates of one publisher on one placement, in rank order: priority, then eCPM, then id.
 */
export interface CandidateIndex {
  readonly size: number;
  readonly entries: readonly Candidate[];
  /**
   * For each position, the end (exclusive) of its group of equal priority and eCPM; the order
   * within a group is random.
   */
  readonly tieEnd: Int32Array;
  /** Positions are those of `entries`. */
  readonly targeting: TargetingIndex;
}

/**
 * Names of NoBidReason, in the order of the contract's stages: why a placement has nothing to
 * serve, whatever the request.
 */
export type Vacancy = 'NothingBooked' | 'SizeOrFormat' | 'NotInFlight';

/** A creative that is booked on the placement, but was left out when the catalog was loaded. */
export interface LeftOut {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  readonly reason: Exclude<Vacancy, 'NothingBooked'>;
  /** For the trace. */
  readonly detail: string;
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
  readonly campaigns: ReadonlyMap<number, Campaign>;
  readonly lineItems: ReadonlyMap<number, LineItem>;
  readonly creatives: ReadonlyMap<number, Creative>;
  /**
   * Direct candidates: not ended, active, not blocked, of a format the placement allows. Flight and
   * size are the request's to check.
   */
  candidateIndex(publisherId: number, placementId: string): CandidateIndex | undefined;
  /** The same for programmatic line items. */
  programmaticIndex(publisherId: number, placementId: string): CandidateIndex | undefined;
  /** Booked, but in neither index. */
  leftOut(publisherId: number, placementId: string): readonly LeftOut[];
  /**
   * The latest stage that any booked creative reached when both indexes are empty; undefined when
   * one is not.
   */
  vacancy(publisherId: number, placementId: string): Vacancy | undefined;
  /**
   * The publisher's traffic curve for pacing; undefined: unknown, so pacing takes it to be flat.
   */
  trafficOf(publisherId: number): HourlyTraffic | undefined;
  /** The first of the rows that were set aside, at most 1,000. */
  readonly quarantined: readonly Quarantined[];
  readonly quarantinedCount: number;
  /**
   * Keys the hash of user ids, in hex: the same on every replica and for the life of the database.
   */
  readonly userHashKey: string;
}
