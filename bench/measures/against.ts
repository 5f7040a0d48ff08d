import type { Rig } from '../create-rig.ts';
import { atLeast, atMost, type Finding, type Scale } from '../finding.ts';
import { contest, contestTable, ratioOf, type Contestant } from './contest.ts';

/** This build against another one. */
export const against = async (rig: Rig, other: string, scale: Scale): Promise<Finding> => {
  const contestants = await contest(rig, [{ name: 'other', dist: other }, { name: 'this' }], scale);
  const [before, after] = contestants as [Contestant, Contestant];
  return {
    title: 'This build against another',
    text: contestTable(contestants),
    goals: [
      atLeast(
        '`POST /ad` of the other build, by CPU ÷ this',
        0.98,
        ratioOf(before, after, ({ ad }) => ad.cpuMicros),
      ),
      atLeast(
        '`GET /impression` of the other build, by CPU ÷ this',
        0.98,
        ratioOf(before, after, ({ impression }) => impression.cpuMicros),
      ),
      atMost(
        'Redis CPU per ad ÷ that of the other build',
        1.1,
        ratioOf(after, before, ({ ad }) => ad.redisMicros),
      ),
      atMost(
        'Redis CPU per impression ÷ that of the other build',
        1.1,
        ratioOf(after, before, ({ impression }) => impression.redisMicros),
      ),
    ],
  };
};
