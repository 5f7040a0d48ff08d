/** Ids of publishers or advertisers; null: all, also those that are created later. */
export type Ids = readonly number[] | null;

/** Whose records a caller may see. */
export interface Scope {
  /** What belongs to these. */
  readonly publishers: Ids;
  /** Of that, what these book. */
  readonly advertisers: Ids;
}

export const EVERYTHING: Scope = { publishers: null, advertisers: null };

export const isLimited = ({ publishers, advertisers }: Scope): boolean => publishers !== null || advertisers !== null;

/** Whether callers for these see what belongs to one. */
export const maySee = (ids: Ids, id: number): boolean => ids === null || ids.includes(id);

/** Whether all of `some` are among `ids`. */
export const includesAll = (ids: Ids, some: Ids): boolean => ids === null || some?.every((id) => ids.includes(id)) === true;
