/** Requests that ask for the same placements. */
export interface PlacementGroup {
  readonly placements: readonly string[];
  /** Requests that they stand for. */
  readonly weight: number;
}

const SWEEPS = 12;
/** A placement that was asked for once does not stand for a thousand. */
const MAX_FACTOR = 50;

/**
 * By how much the requests of a day are multiplied so that each placement is asked for as often as is expected. Each placement
 * has a factor, and a request that asks for several has their product (iterative proportional fitting).
 */
export const placementFactors = (
  groups: readonly PlacementGroup[],
  expected: (placement: string) => number,
): ReadonlyMap<string, number> => {
  const groupsOf = new Map<string, PlacementGroup[]>();
  for (const group of groups)
    for (const placement of group.placements) groupsOf.set(placement, [...(groupsOf.get(placement) ?? []), group]);
  const factors = new Map([...groupsOf.keys()].map((placement) => [placement, 1]));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const [placement, some] of groupsOf) {
      const now = some.reduce((sum, { placements, weight }) => sum + weight * productOf(factors, placements), 0);
      const factor = now === 0 ? 0 : (factors.get(placement)! * expected(placement)) / now;
      factors.set(placement, Math.min(factor, MAX_FACTOR));
    }
  }
  return factors;
};

/** The factor of a request. */
export const productOf = (factors: ReadonlyMap<string, number>, placements: readonly string[]): number => {
  let product = 1;
  for (const placement of placements) product *= factors.get(placement) ?? 1;
  return product;
};
