import type { ChildEntities } from '../columns/entities.ts';
import type { Creative, Placement } from '../model/entities.ts';

/** The companion sets of a line item of which every creative may serve. */
export type CompanionSets = ReadonlySet<string>;

/** undefined: no creative of the line item is of a set. Found when it is first asked for. */
export const createCompanionSetsOf = (
  creatives: Pick<ChildEntities<Creative>, 'childrenOf'>,
  placements: ReadonlyMap<string, Placement>,
): ((lineItemId: number) => CompanionSets | undefined) => {
  const known = new Map<number, CompanionSets | undefined>();
  const maySee = ({ stop, placementIds }: Creative): boolean =>
    stop === null && placementIds.some((id) => placements.get(id)?.archived === false);
  return (lineItemId) => {
    if (known.has(lineItemId)) return known.get(lineItemId);
    const booked = creatives.childrenOf(lineItemId).filter(({ stop }) => stop !== 'creativeArchived');
    const setsOf = (of: readonly Creative[]): readonly string[] => of.flatMap(({ companionSet }) => companionSet ?? []);
    const lacking = new Set(setsOf(booked.filter((creative) => !maySee(creative))));
    const named = setsOf(booked);
    const sets = named.length === 0 ? undefined : new Set(named.filter((set) => !lacking.has(set)));
    known.set(lineItemId, sets);
    return sets;
  };
};
