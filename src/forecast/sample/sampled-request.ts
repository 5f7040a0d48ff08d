import { hash } from 'node:crypto';

/** A request for ads as the sample keeps it: what targeting and limits read, and nothing else. It stands for `weight` requests. */
export interface SampledRequest {
  readonly publisherId: number;
  readonly atMs: number;
  readonly weight: number;
  /** A pseudonym of the sample alone; '': the visitor may not be measured. */
  readonly visitor: string;
  /** Requests of one visitor with the same number are of one page view; 0: none is known. */
  readonly pageView: number;
  /** Whether frequency caps could be enforced. */
  readonly isRemembered: boolean;
  /** The lowest price of an auction, micros per thousand impressions; null: it was none. */
  readonly floorMicros: number | null;
  /** How far the visitor's clock is before UTC, in half hours; null: it is not known. */
  readonly visitorOffset: number | null;
  readonly placements: readonly string[];
  /** Of each placement the sizes that were asked for, as '300x250,728x90'; '': that of the placement. */
  readonly sizes: readonly string[];
  /** What it offers to targeting, spelled by `pairOf`; hours are not among them. */
  readonly pairs: readonly string[];
}

/** Characters of a pseudonym: 66 bits. */
const PSEUDONYM_LENGTH = 11;

/**
 * The name of a visitor in the sample. Only the key of the database connects it with the user hash of events.
 *
 * @param key that of the database, in hex
 * @param visitor the user hash, or the start of the seal of a visitor without one
 */
export const samplePseudonym = (key: string, publisherId: number, visitor: string): string =>
  hash('sha256', `${key}:traffic sample:${publisherId}:${visitor}`, 'base64url').slice(0, PSEUDONYM_LENGTH);
