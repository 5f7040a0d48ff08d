import type { TargetingIndex } from '../../targeting/targeting-index.ts';
import type { CatalogTable } from '../model/catalog-reading.ts';
import type { Campaign, Creative, LineItem, Placement, Publisher } from '../model/entities.ts';
import type { HourlyTraffic } from './hourly-traffic.ts';

/** A creative that could be served, with all that a decision about it needs. */
export interface Candidate {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  /** Micros per thousand impressions; 0 for a programmatic line item, whose price is the bid. */
  readonly ecpmMicros: number;
}

/** The candidates of one publisher on one placement, in rank order: priority, then eCPM, then id. */
export interface CandidateIndex {
  readonly size: number;
  readonly entries: readonly Candidate[];
  /** For each position, where its group of equal priority and eCPM ends (exclusive): within it the order is a matter of chance. */
  readonly tieEnd: Int32Array;
  /** Positions are those of `entries`. */
  readonly targeting: TargetingIndex;
}

/** Names of NoBidReason, in the order of the contract's stages: why nothing on a placement can be served before anything is asked. */
export type Vacancy = 'NothingBooked' | 'SizeOrFormat' | 'NotInFlight';

/** A creative that is booked on the placement, but was already left out when the catalog was loaded. */
export interface LeftOut {
  readonly creative: Creative;
  readonly lineItem: LineItem;
  readonly campaign: Campaign;
  readonly reason: Exclude<Vacancy, 'NothingBooked'>;
  /** For the trace. */
  readonly detail: string;
}

/** A row that was set aside at load because it, or what it belongs to, does not hold. */
export interface Quarantined {
  readonly table: CatalogTable;
  readonly id: string;
  readonly reason: string;
}

/** Everything a replica knows of what is booked, at one moment. Never changed, only replaced whole. */
export interface Snapshot {
  /** Of the catalog in Postgres; moves on with every write. */
  readonly version: number;
  readonly loadedAtMs: number;
  readonly publishers: ReadonlyMap<number, Publisher>;
  readonly publisherByKeyHash: ReadonlyMap<string, Publisher>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly campaigns: ReadonlyMap<number, Campaign>;
  readonly lineItems: ReadonlyMap<number, LineItem>;
  readonly creatives: ReadonlyMap<number, Creative>;
  /** Direct candidates: not ended, active, not blocked, of a format the placement allows. Flight and size are the request's to check. */
  candidateIndex(publisherId: number, placementId: string): CandidateIndex | undefined;
  /** The same for programmatic line items. */
  programmaticIndex(publisherId: number, placementId: string): CandidateIndex | undefined;
  /** Booked, but in neither index. */
  leftOut(publisherId: number, placementId: string): readonly LeftOut[];
  /** The latest stage that anything booked reached when both indexes are empty; undefined when one is not. */
  vacancy(publisherId: number, placementId: string): Vacancy | undefined;
  /** The publisher's day of traffic, as pacing follows it; undefined: not known, and taken to be flat. */
  trafficOf(publisherId: number): HourlyTraffic | undefined;
  /** The first of the rows that were set aside, at most 1,000. */
  readonly quarantined: readonly Quarantined[];
  readonly quarantinedCount: number;
  /** Keys the hash of user ids, in hex: the same on every replica and for the life of the database. */
  readonly userHashKey: string;
}
