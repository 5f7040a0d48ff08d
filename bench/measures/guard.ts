import type { Rig } from '../create-rig.ts';
import { atMost, type Finding, type Goal } from '../finding.ts';
import { contest, contestTable, ratioOf, type Contestant, type Round } from './contest.ts';

/** What one start costs differs by more than this from the next, so a build is dearer only when it is so in the median of several starts. */
const MOST = 1.05;
/** Redis shares its core with the load. */
const MOST_REDIS = 1.1;
const ROUNDS = 5;
const SECONDS = 3;

const FIGURES: readonly (readonly [what: string, most: number, of: (round: Round) => number])[] = [
  ['`POST /ad`, CPU', MOST, ({ ad }) => ad.cpuMicros],
  ['`GET /impression`, CPU', MOST, ({ impression }) => impression.cpuMicros],
  ['`POST /ad`, Redis CPU (reserve)', MOST_REDIS, ({ ad }) => ad.redisMicros],
  ['`GET /impression`, Redis CPU (settle)', MOST_REDIS, ({ impression }) => impression.redisMicros],
];

/**
 * What a change costs each request, against the build before. Needs no quiet machine: both take turns of a second, and what slows
 * one slows the other. Ends after the first round that shows no figure above the limit, and after five at the latest.
 */
export const guard = async (rig: Rig, before: { readonly commit: string; readonly dist: string }): Promise<Finding> => {
  const goals = ([other, own]: readonly [Contestant, Contestant]): readonly Goal[] =>
    FIGURES.map(([what, most, of]) => {
      const goal = atMost(`${what}, against ${before.commit}`, most, ratioOf(own, other, of));
      return { ...goal, plausible: goal.met };
    });
  const contestants = (await contest(
    rig,
    [{ name: before.commit, dist: before.dist }, { name: 'this' }],
    { quick: true, rounds: ROUNDS, seconds: SECONDS },
    (pair) => goals(pair as [Contestant, Contestant]).every(({ met }) => met),
  )) as [Contestant, Contestant];
  return { title: 'What a request costs, against the build before', text: contestTable(contestants), goals: goals(contestants) };
};
