import { localDayOf, type DayRule } from '../base/local-day.ts';
import type { ReplayOptions } from './replay/run-replay.ts';

/** Line items of it serve when nothing else can: what they get is free. */
export const LOWEST_PRIORITY = 3;

/** Counts who gets what of each placement in a replay, in impressions of the replay. */
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
      addTo(mapIn(winnersByDay, imp.placementId), won.ad.lineItemId, day);
      if (won.candidate.lineItem.priority < LOWEST_PRIORITY) addTo(sold, imp.placementId, day);
    }
  };
  return { sums: { winners, winnersByDay, available, sold }, onDecided };
};

const mapIn = <Name, Key, Value>(maps: Map<Name, Map<Key, Value>>, name: Name): Map<Key, Value> => {
  let of = maps.get(name);
  if (of === undefined) maps.set(name, (of = new Map<Key, Value>()));
  return of;
};

const addTo = <Name, Key>(sums: Map<Name, Map<Key, number>>, name: Name, key: Key): void => {
  const of = mapIn(sums, name);
  of.set(key, (of.get(key) ?? 0) + 1);
};
