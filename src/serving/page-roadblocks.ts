import { under } from '../base/under.ts';
import type { Candidate, Snapshot } from '../catalog/snapshot/snapshot.ts';
import type { Block, BoundAd, KeptAd } from '../decision/ranked-candidate.ts';
import type { IncompleteRoadblock, RoadblocksHere } from '../decision/roadblocks-here.ts';
import { firstRefusal, RULES_PER_CANDIDATE } from '../decision/rules.ts';
import type { AdRequest } from './ad-request.ts';
import { chooseTogether, type Part } from './choose-together.ts';
import { openPlace, type Place } from './opportunity.ts';

/** A roadblock is judged once for all impressions of a request. `imp`: in the order of the decision. */
type Judged =
  { readonly missing: string } | { readonly missing: undefined; readonly imp: number; readonly position: number; readonly block: Block };

/**
 * The roadblocks of a request: which of them may be shown, in which impressions, with which creatives.
 * undefined: no roadblock is booked on the placements of the request, the usual case.
 */
export const roadblocksOf = (snapshot: Snapshot, request: AdRequest, places: readonly Place[], random: () => number) =>
  hasRoadblock(places) ? createPageRoadblocks(snapshot, request, places, random) : undefined;

const hasRoadblock = (places: readonly Place[]): boolean => {
  for (const { slot } of places) if (slot.direct?.roadblocks !== undefined) return true;
  return false;
};

const createPageRoadblocks = (snapshot: Snapshot, request: AdRequest, places: readonly Place[], random: () => number) => {
  const known = new Map<number, readonly Part[] | string>();
  const judged = new Map<number, Judged>();
  /** Of placements that the page asks for in other requests. */
  const later = new Map<string, Place>();

  const laterPlace = (placementId: string): Place | undefined => {
    if (!request.pagePlacements.includes(placementId)) return undefined;
    return under(later, placementId, () => openPlace(snapshot, request, { ...LATER, placementId }));
  };

  const partOf = (lineItemId: number, placementId: string): Part | string => {
    // Each placement has one of its ads, the first impression.
    const imp = places.findIndex(({ imp: asked }) => asked.placementId === placementId);
    const place = places[imp] ?? laterPlace(placementId);
    const isAsked = place?.placement !== undefined;
    if (!isAsked) return `the page does not ask for ${placementId}`;
    if (place.imp.terms) return 'an auction decides each impression by itself';
    const index = place.slot.direct;
    const positions = positionsAt(place, index?.roadblocks?.get(lineItemId) ?? []);
    return index === undefined || positions.length === 0
      ? `none of its creatives may be shown on ${placementId}`
      : { imp, placementId, index, positions };
  };

  const findParts = (lineItemId: number): readonly Part[] | string => {
    const placementIds = snapshot.placementsOf(lineItemId);
    if (placementIds.length > MAX_ASKED) return `all its placements or none: no page asks for ${placementIds.length}`;
    const parts = placementIds.map((placementId) => partOf(lineItemId, placementId));
    const missing = [...new Set(parts.filter((part) => typeof part === 'string'))];
    return missing.length > 0 ? `all its placements or none: ${missing.join(', ')}` : (parts as readonly Part[]);
  };

  const partsOf = (lineItemId: number): readonly Part[] | string => under(known, lineItemId, findParts);

  const order = orderOf(places, partsOf);
  const turnOf = ({ imp }: Part): number => (imp === LATER_IMP ? order.length : order.indexOf(imp));

  const judge = (lineItemId: number): Judged => {
    const parts = partsOf(lineItemId);
    if (typeof parts === 'string') return { missing: parts };
    const inTurn = parts.toSorted((a, b) => turnOf(a) - turnOf(b));
    const chosen = chooseTogether(inTurn, snapshot.companionSetsOf(lineItemId), random);
    if (chosen === undefined) return NO_SET;
    const [first, ...others] = chosen;
    if (!first) return NO_PARTS;
    const bound: BoundAd[] = [];
    const kept: KeptAd[] = [];
    for (const { part, candidate } of others)
      if (part.imp === LATER_IMP) kept.push({ placementId: part.placementId, candidate });
      else bound.push({ imp: turnOf(part), candidate });
    return { missing: undefined, imp: turnOf(first.part), position: first.candidate.position, block: { bound, kept } };
  };

  const judgedOf = (lineItemId: number): Judged => under(judged, lineItemId, judge);

  return {
    /** The positions of the impressions in the order in which they are decided: those of the roadblock that ranks best come first. */
    order,
    /** Of an impression, by its position in the request; undefined: none is booked there. */
    at: (imp: number): RoadblocksHere | undefined =>
      places[imp]?.slot.direct?.roadblocks ? roadblocksAt(order.indexOf(imp), (id) => isOne(snapshot, id), judgedOf) : undefined,
  };
};

/** The impressions of a request, and the placements that its page view may name. */
const MAX_ASKED = 70;

/** Roadblocks of a placement that are put in order, the best ones. */
const MAX_IN_ORDER = 16;

/** A roadblock is decided before others that it could lose an impression to and that rank below it. */
const orderOf = (places: readonly Place[], partsOf: (lineItemId: number) => readonly Part[] | string): readonly number[] => {
  const best = new Map<number, Candidate>();
  for (const { slot } of places) {
    let left = MAX_IN_ORDER;
    for (const [lineItemId, [first]] of slot.direct?.roadblocks ?? []) {
      if (left-- === 0) break;
      best.set(lineItemId, slot.direct!.at(first!));
    }
  }
  const ranked = [...best].sort(([, a], [, b]) => a.lineItem.priority - b.lineItem.priority || b.ecpmMicros - a.ecpmMicros);
  const first = ranked.flatMap(([lineItemId]) => {
    const parts = partsOf(lineItemId);
    return typeof parts === 'string' || parts.length < 2
      ? []
      : parts.flatMap(({ imp }) => (imp === LATER_IMP ? [] : [imp])).sort((a, b) => a - b);
  });
  return [...new Set([...first, ...places.keys()])];
};

/** On one placement there is nothing to hold together, but what is missing of a companion set. */
const isOne = (snapshot: Snapshot, lineItemId: number): boolean =>
  snapshot.placementsOf(lineItemId).length < 2 && snapshot.companionSetsOf(lineItemId) === undefined;

const roadblocksAt = (
  imp: number,
  isOrdinary: (lineItemId: number) => boolean,
  judgedOf: (lineItemId: number) => Judged,
): RoadblocksHere => {
  const incomplete: IncompleteRoadblock[] = [];
  const isApart = ({ lineItem }: Pick<Candidate, 'lineItem'>): boolean => lineItem.sales.roadblock && !isOrdinary(lineItem.id);
  const isWhole = (candidate: Candidate, position: number): boolean => {
    if (!isApart(candidate)) return true;
    const { missing } = judgedOf(candidate.lineItem.id);
    if (missing === undefined) return true;
    if (!incomplete.some((one) => one.position === position)) incomplete.push({ candidate, position, detail: missing });
    return false;
  };
  const isRankedHere = (judged: Judged, position: number): boolean =>
    judged.missing === undefined && judged.imp === imp && judged.position === position;
  return {
    incomplete,
    isApart,
    isWhole,
    mayRank: (candidate, position) =>
      !isApart(candidate) || (isWhole(candidate, position) && isRankedHere(judgedOf(candidate.lineItem.id), position)),
    withBlock: (ranked) => {
      if (ranked.position < 0 || !isApart(ranked)) return ranked;
      const judged = judgedOf(ranked.lineItem.id);
      return judged.missing === undefined ? { ...ranked, block: judged.block } : ranked;
    },
  };
};

/** A later request may override its size; its placement's is what is known. */
const LATER_IMP = -1;
const LATER = { impId: '', width: null, height: null, otherSizes: [], targeting: undefined, terms: undefined };

const NO_PARTS: Judged = { missing: 'none of its creatives is approved' };
const NO_SET: Judged = { missing: 'all of a companion set or none: no set has a creative on each of its placements' };

const positionsAt = ({ slot: { direct }, query, imp }: Place, positions: readonly number[]): readonly number[] => {
  const scanner = direct?.targeting.eligible(query.targeting);
  return positions.filter(
    (position) => scanner?.firstFrom(position) === position && !firstRefusal(RULES_PER_CANDIDATE, direct!.at(position), query, imp),
  );
};
