import { MINUTES_PER_DAY, MS_PER_DAY, MS_PER_MINUTE } from '../src/base/utc-day.ts';
import type { LineItem } from '../src/catalog/model/entities.ts';
import { simulateDay, type SimulatedDay } from '../testkit/simulation/simulate-day.ts';
import { DAY_START_MS, simulatedCandidate } from '../testkit/simulation/simulated-booking.ts';
import { dailyCurve, type Period } from '../testkit/simulation/traffic.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';

const DAYS = 10;
const MIN_DELIVERED = 0.98;
const FLIGHT = { startMs: DAY_START_MS, endMs: DAY_START_MS + DAYS * MS_PER_DAY };
const CURVE = dailyCurve();

/** No requests on day 4 from 08:00 to 20:00. */
const OUTAGE_DAY = 4;
const OUTAGE: Period = { fromMinute: 3 * MINUTES_PER_DAY + 480, toMinute: 3 * MINUTES_PER_DAY + 1200 };
/** A day after the outage may exceed its even part of what was left after that day by this share. */
const MAX_ABOVE = 0.03;

const booked = (goal: number): readonly (Partial<LineItem> & Pick<LineItem, 'id' | 'name' | 'pacing' | 'goals'>)[] => [
  { id: 1, name: 'Even', pacing: 'Even', goals: { impressions: goal, clicks: null, frontload: 0 } },
  { id: 2, name: 'PID', pacing: 'PID', goals: { impressions: goal, clicks: null, frontload: 0 } },
  { id: 3, name: 'Even, front-loaded by 30 %', pacing: 'Even', goals: { impressions: goal, clicks: null, frontload: 0.3 } },
  { id: 4, name: 'PID, front-loaded by 30 %', pacing: 'PID', goals: { impressions: goal, clicks: null, frontload: 0.3 } },
];

export const goals: Proof = {
  name: 'goals',
  claim: `goals of a flight of ${DAYS} days: simulated, two replicas, one selection in five not rendered, without and with 12 hours without requests on day 4`,
  expected: `${100 * MIN_DELIVERED}–100 % of the goal, 0 above it; no later day more than ${100 * MAX_ABOVE} % above its even part of what was left`,
  run: async ({ seed, say }, scale) => {
    const goal = scale.of(10_000, 3_000);
    const items = booked(goal).map((item) => simulatedCandidate({ ...item, flight: FLIGHT }));
    const fly = (outage: Period | undefined): Promise<SimulatedDay> =>
      withRedis((redisUrl) =>
        simulateDay({
          redisUrl,
          seed,
          streams: [{ requests: scale.of(5_000, 1_500), candidates: items }],
          days: DAYS,
          curve: CURVE,
          learned: CURVE,
          outage,
          ...{ unrest: 0.15, surge: { fromMinute: 1140, toMinute: 1160 }, surgeFactor: 5, renderRate: 0.8 },
          ...{ tokenTtlMs: 30 * MS_PER_MINUTE, pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, clockSkewsMs: [-2000, 3000] },
          stepMs: scale.of(60_000, 300_000),
        }),
      );
    const delivered: number[] = [];
    const above: number[] = [];
    for (const [when, outage] of [['undisturbed', undefined] as const, ['outage', OUTAGE] as const].slice(scale.of(0, 1))) {
      const flown = await fly(outage);
      for (const { lineItem } of items) {
        const days = daysOf(flown, lineItem.name);
        delivered.push((flown.delivered.get(lineItem.name) ?? 0) / goal);
        if (outage && lineItem.goals.frontload === 0) above.push(mostAbove(days, goal));
        say(`  ${when}, ${lineItem.name}: ${percent(delivered.at(-1) ?? 0)} of ${goal}; by day ${days.join(', ')}`);
      }
    }
    const [least, most, highest] = [Math.min(...delivered), Math.max(...delivered), Math.max(...above)];
    return {
      observed: `${delivered.length} flights of ${goal} impressions: ${percent(least)} to ${percent(most)} delivered; no day after the outage more than ${percent(Math.max(highest, 0))} above its part`,
      ok: least >= MIN_DELIVERED && most <= 1 && highest <= MAX_ABOVE,
    };
  },
};

/** By which share the best day after the outage is above its even part of what was left. */
const mostAbove = (days: readonly number[], goal: number): number => {
  const left = goal - days.slice(0, OUTAGE_DAY).reduce((sum, impressions) => sum + impressions, 0);
  return Math.max(...days.slice(OUTAGE_DAY)) / (left / (DAYS - OUTAGE_DAY)) - 1;
};

/** Impressions between the midnights of a flight. */
const daysOf = ({ minutes, delivered }: SimulatedDay, name: string): readonly number[] => {
  const ofDay = (minutes.length - 1) / DAYS;
  const until = Array.from({ length: DAYS }, (_, day) => minutes[day * ofDay]?.accounts.get(name)?.totalImpressions ?? 0);
  return until.map((before, day) => (until[day + 1] ?? delivered.get(name) ?? 0) - before);
};

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
