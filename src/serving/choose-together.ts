import type { CompanionSets } from '../catalog/snapshot/companion-sets.ts';
import type { CandidateIndex } from '../catalog/snapshot/snapshot.ts';
import { rankDirect } from '../decision/rank-candidates.ts';
import type { RankedCandidate } from '../decision/ranked-candidate.ts';

/** A placement of a roadblock, with the candidates that may be shown there. */
export interface Part {
  /** Position in the request; negative: another request of the page view asks for it. */
  readonly imp: number;
  readonly placementId: string;
  readonly index: CandidateIndex;
  readonly positions: readonly number[];
}

export interface Chosen {
  readonly part: Part;
  readonly candidate: RankedCandidate;
}

/**
 * A creative for each placement, by the rotation of the line item; where creatives are of companion sets, all of one set.
 *
 * @param sets those that may be shown; undefined: there are none
 * @returns undefined: no set has a creative for each placement
 */
export const chooseTogether = (
  parts: readonly Part[],
  sets: CompanionSets | undefined,
  random: () => number,
): readonly Chosen[] | undefined => {
  if (sets === undefined) return choose(parts, random);
  const whole = [...sets, null].flatMap((set) => {
    const ofSet = parts.map((part) => withinSet(part, set));
    return ofSet.every(({ positions }) => positions.length > 0) ? [ofSet] : [];
  });
  const drawn = draw(whole, weightOfSet, random);
  return drawn && choose(drawn, random);
};

/** Its creatives of the set, else those that go with any; null: these alone. */
const withinSet = (part: Part, set: string | null): Part => {
  const { index, positions } = part;
  const of = (one: string | null): readonly number[] => positions.filter((position) => index.at(position).creative.companionSet === one);
  const own = of(set);
  return { ...part, positions: own.length > 0 ? own : of(null) };
};

/** Sets share the impressions by the weights of their creatives on the first placement. */
const weightOfSet = ([first]: readonly Part[]): number =>
  first ? first.positions.reduce((sum, position) => sum + weightIn(first, position), 0) : 0;

const weightIn = ({ index: { weights } }: Part, position: number): number => weights?.[position] ?? 1;

/** Another creative for each placement, as far as there are. */
const choose = (parts: readonly Part[], random: () => number): readonly Chosen[] => {
  const used = new Set<number>();
  return parts.flatMap((part) => {
    const { index, positions } = part;
    const fresh = positions.filter((position) => !used.has(index.at(position).creative.id));
    const position = draw(fresh.length > 0 ? fresh : positions, (one) => weightIn(part, one), random);
    if (position === undefined) return [];
    used.add(index.at(position).creative.id);
    return [{ part, candidate: rankDirect(index.at(position), position) }];
  });
};

/** One of them, by weight; undefined: there is none. */
const draw = <T>(of: readonly T[], weightOf: (one: T) => number, random: () => number): T | undefined => {
  let at = random() * of.reduce((sum, one) => sum + weightOf(one), 0);
  return of.find((one) => (at -= weightOf(one)) < 0) ?? of.at(-1);
};
