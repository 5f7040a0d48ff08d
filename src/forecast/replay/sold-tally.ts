import { localDayOf, type DayRule } from '../../base/local-day.ts';
import { newMap, under } from '../../base/under.ts';
import type { ReplayOptions } from './run-replay.ts';

/** Line items of it serve when nothing else can: what they get is free. */
export const LOWEST_PRIORITY = 3;

/** Who gets what of each placement in a replay, in impressions of the replay. */
export interface SoldSums {
  /** By placement and line item. */
  readonly winners: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** By placement, line item and day. */
  readonly winnersByDay: ReadonlyMap<string, ReadonlyMap<number, ReadonlyMap<number, number>>>;
  /** By placement and day: impressions that pages ask for. */
  readonly available: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Of them, those that line items of a higher priority than the lowest get. */
  readonly sold: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** Counts who gets what of each placement in a replay. */
export const createSoldTally = (rule: DayRule) => {
  const winners = new Map<string, Map<number, number>>();
  const winnersByDay = new Map<string, Map<number, Map<number, number>>>();
  const available = new Map<string, Map<number, number>>();
  const sold = new Map<string, Map<number, number>>();
  const onDecided: NonNullable<ReplayOptions['onDecided']> = (request, decided) => {
    const day = localDayOf(rule, request.query.atMs);
    for (const { imp, won } of decided) {
      addTo(available, imp.placementId, day);
      if (!won) continue;
      addTo(winners, imp.placementId, won.ad.lineItemId);
      addTo(under(winnersByDay, imp.placementId, newMap<number, Map<number, number>>), won.ad.lineItemId, day);
      if (won.candidate.lineItem.priority < LOWEST_PRIORITY) addTo(sold, imp.placementId, day);
    }
  };
  const sums: SoldSums = { winners, winnersByDay, available, sold };
  return { sums, onDecided };
};

/** The sums of replays that have no placement in common. */
export const joinedSums = (all: readonly SoldSums[]): SoldSums => ({
  winners: new Map(all.flatMap(({ winners }) => [...winners])),
  winnersByDay: new Map(all.flatMap(({ winnersByDay }) => [...winnersByDay])),
  available: new Map(all.flatMap(({ available }) => [...available])),
  sold: new Map(all.flatMap(({ sold }) => [...sold])),
});

const addTo = <Name, Key>(sums: Map<Name, Map<Key, number>>, name: Name, key: Key): void => {
  const of = under(sums, name, newMap<Key, number>);
  of.set(key, (of.get(key) ?? 0) + 1);
};
