import { newList, newMap, under } from '../../base/under.ts';
import { countsWhat } from '../../ledger/frequency-counters.ts';
import type { FrequencyRules } from './ledger-rules.ts';

/** The places of one visitor, by counter: when each was taken, or, held, when it is freed, as a negative number. */
export type ReplayedUser = Map<number, number[]>;

/** Places of one counter from which on those that have ended are removed. */
const CROWDED = 32;

/** The places of visitors under frequency caps, as lua/frequency.lua keeps them in Redis. */
export const createReplayedUsers = () => {
  const users = new Map<string, ReplayedUser>();
  const taken = (user: ReplayedUser, counter: number, windowMs: number): number => {
    const places = user.get(counter);
    if (places === undefined) return 0;
    let count = 0;
    for (const place of places) if (place < 0 ? -place > all.now : place > all.now - windowMs) count++;
    return count;
  };
  const all = {
    /** The clock of the replay. */
    now: 0,
    of: (name: string): ReplayedUser => under(users, name, newMap<number, number[]>),
    frequency: {
      refuses: (user, caps, ads) => {
        for (let i = 1; i < caps.length; i += 3) {
          const [counter, max, windowMs] = [caps[i]!, caps[i + 1]!, caps[i + 2]!];
          const more = countsWhat(counter) === 'clicks' ? 1 : Math.min(ads, max);
          if (taken(user, counter, windowMs) + more > max) return true;
        }
        return false;
      },
      isTurn: (user, turn) => {
        const [, counter = 0, windowMs = 0, step = 0, steps = 1] = turn;
        return (user ? taken(user, counter, windowMs) : 0) % steps === step;
      },
    } satisfies FrequencyRules<ReplayedUser>,
    /**
     * @param counted counters, each with how long its places are kept (s)
     * @param atMs when the ad was seen, or, `isHeld`, when its place is freed
     */
    take: (user: ReplayedUser, counted: readonly number[], atMs: number, isHeld = false): void => {
      for (let i = 0; i < counted.length; i += 2) {
        const counter = counted[i]!;
        let places = under(user, counter, newList<number>);
        if (places.length >= CROWDED) {
          const sinceMs = all.now - counted[i + 1]! * 1000;
          places = places.filter((place) => (place < 0 ? -place > all.now : place > sinceMs));
          user.set(counter, places);
        }
        places.push(isHeld ? -atMs : atMs);
      }
    },
  };
  return all;
};
