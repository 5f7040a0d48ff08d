import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import type { AdRequest, RequestedImp } from '../../serving/ad-request.ts';
import { matchTargeting } from '../../targeting/match-targeting.ts';
import type { TargetingQuery } from '../../targeting/targeting-query.ts';
import { CONTEXT_RULES, type TargetingRules } from '../../targeting/targeting-rules.ts';
import type { AvailabilityFilter, AvailabilityGroup } from './availability.ts';

export interface TrafficKeysOptions {
  readonly snapshot: Snapshot;
  readonly filter: AvailabilityFilter;
  readonly by: AvailabilityGroup | null;
  /** Shared targetings by their ids: the one of the filter, or those that are told apart. */
  readonly targetings: ReadonlyMap<number, TargetingRules>;
}

/** The groups that an impression belongs to: of sizes and targetings it may be several. None: the filter refuses it. */
export type TrafficKeys = (request: AdRequest, imp: RequestedImp) => readonly string[];

export const createTrafficKeys = ({ snapshot, filter, by, targetings }: TrafficKeysOptions): TrafficKeys => {
  const { country, size, placement, targeting } = filter;
  const wanted = targeting === undefined ? undefined : targetings.get(targeting);
  const countryOf = ({ query }: AdRequest): string => query.targeting.offered('countries', CONTEXT_RULES.countries)[0] ?? '';
  const sizesOf = ({ placementId, width, height, otherSizes }: RequestedImp): readonly string[] => {
    const own = snapshot.placements.get(placementId);
    const first = { width: width ?? own?.width ?? null, height: height ?? own?.height ?? null };
    return [...new Set([first, ...otherSizes].map((one) => `${one.width}x${one.height}`))];
  };
  const isMet = (rules: TargetingRules | undefined, query: TargetingQuery): boolean =>
    rules !== undefined && matchTargeting(rules, query) === undefined;
  return (request, imp) => {
    const query = imp.targeting ?? request.query.targeting;
    if (placement !== undefined && imp.placementId !== placement) return [];
    if (country !== undefined && countryOf(request) !== country) return [];
    if (size !== undefined && !sizesOf(imp).includes(size)) return [];
    if (targeting !== undefined && !isMet(wanted, query)) return [];
    switch (by) {
      case null:
        return [''];
      case 'placement':
        return [imp.placementId];
      case 'country':
        return [countryOf(request)];
      case 'size':
        return size === undefined ? sizesOf(imp) : [size];
      case 'targeting':
        return [...targetings].flatMap(([id, rules]) => (isMet(rules, query) ? [String(id)] : []));
    }
  };
};
