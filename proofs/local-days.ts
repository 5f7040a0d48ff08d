import { createDayRules, endOfDay, startOfDay } from '../src/base/local-day.ts';
import { dateOfDay, MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../src/base/utc-day.ts';
import { createZoneOffset } from '../src/base/zone-offset.ts';
import { hourlyTrafficOf, type HourlyTraffic } from '../src/catalog/snapshot/hourly-traffic.ts';
import type { Account } from '../src/ledger/read/read-accounts.ts';
import { sampleCampaign } from '../testkit/sample-booking.ts';
import { simulateDay } from '../testkit/simulation/simulate-day.ts';
import { PUBLISHER, simulatedCandidate } from '../testkit/simulation/simulated-booking.ts';
import { dailyCurve } from '../testkit/simulation/traffic.ts';
import type { Proof } from './rig/proof.ts';
import { withRedis } from './simulation/with-redis.ts';

/** The day before clocks change. São Paulo has not changed them since 2019. */
const CHANGES: readonly (readonly [zone: string, date: string])[] = [
  ['America/New_York', '2026-03-07'],
  ['Australia/Lord_Howe', '2026-04-04'],
  ['America/Sao_Paulo', '2018-11-03'],
  ['America/New_York', '2026-10-31'],
  ['Australia/Lord_Howe', '2026-10-03'],
  ['America/Sao_Paulo', '2018-02-16'],
];
const DAYS = 3;
const MODES = ['ASAP', 'Even', 'PID'] as const;
const MIN_PACED = 0.98;
/** When the last token of a day has ended. */
const ENDED_MS = 2 * MS_PER_HOUR;

const ruleOf = createDayRules(createZoneOffset());
const CURVE = dailyCurve();

export const localDays: Proof = {
  name: 'local-days',
  claim: `daily caps of ${MODES.join(', ')} over a change of clocks in New York, Lord Howe and São Paulo: simulated, two replicas with allowances, one selection in five not rendered`,
  expected: `on each of the ${DAYS} days around the change never more than the cap; ASAP all of it, Even and PID at least ${100 * MIN_PACED} %`,
  run: async ({ seed, say }, scale) => {
    const cap = scale.of(5_000, 400);
    const shares = new Map(MODES.map((mode): [(typeof MODES)[number], number[]] => [mode, []]));
    for (const [zone, date] of scale.of(CHANGES, CHANGES.slice(0, 3))) {
      const first = Date.parse(date) / MS_PER_DAY;
      const rule = ruleOf(zone, Date.parse(`${date}T12:00:00Z`));
      const startMs = startOfDay(rule, first);
      const flight = { startMs: startMs - 30 * MS_PER_DAY, endMs: startMs + 30 * MS_PER_DAY };
      const campaign = sampleCampaign({ publisherId: PUBLISHER, flight });
      const candidates = MODES.map((pacing, i) =>
        simulatedCandidate({ id: i + 1, name: pacing, pacing, dailyImpressionCap: cap, flight }, campaign),
      );
      const stepMs = scale.of(60_000, 300_000);
      const { minutes } = await withRedis((redisUrl) =>
        simulateDay({
          ...{ redisUrl, seed, startMs, stepMs, days: DAYS + 1, daysAt: (atMs) => ruleOf(zone, atMs) },
          ...{ streams: [{ requests: 4 * cap, candidates }], curve: CURVE, learned: learnedFrom(startMs), outage: undefined },
          ...{ unrest: 0.15, surge: { fromMinute: 1140, toMinute: 1160 }, surgeFactor: 5, renderRate: 0.8 },
          ...{ tokenTtlMs: 30 * MS_PER_MINUTE, pid: { kp: 0.3, ki: 0.05, kd: 0.1 }, clockSkewsMs: [-2000, 3000] },
        }),
      );
      const days = Array.from({ length: DAYS }, (_, i) => first + i);
      const hours = days.map((day) => (endOfDay(ruleOf(zone, startOfDay(rule, day)), day) - startOfDay(rule, day)) / MS_PER_HOUR);
      for (const mode of MODES) {
        const delivered = days.map((day) => {
          const at = Math.ceil((endOfDay(rule, day) + ENDED_MS - startMs) / stepMs);
          return impressionsOf(minutes[at]?.accounts.get(mode), day);
        });
        shares.get(mode)!.push(...delivered.map((count) => count / cap));
        say(
          `  ${zone}, ${days.map((day, i) => `${dateOfDay(day)} (${hours[i]} h)`).join(', ')}, ${mode}: ${delivered.join(', ')} of ${cap}`,
        );
      }
    }
    const [asap, ...paced] = MODES.map((mode) => shares.get(mode)!);
    const least = Math.min(...paced.flat());
    const most = Math.max(...[asap!, ...paced].flat());
    return {
      observed: `${asap!.length} days: ASAP ${percent(Math.min(...asap!))} of the cap at least, Even and PID ${percent(least)}; at most ${percent(most)}`,
      ok: most <= 1 && Math.min(...asap!) === 1 && least >= MIN_PACED,
    };
  },
};

/** The simulation has the hours of the publisher, and what is learned is by those of UTC. */
const learnedFrom = (startMs: number): HourlyTraffic => {
  const begins = Math.floor((startMs % MS_PER_DAY) / MS_PER_HOUR);
  return hourlyTrafficOf(CURVE.shareOfHour.map((_, hour, shares) => shares[(hour - begins + 24) % 24]!));
};

/** Of a day that is yesterday. */
const impressionsOf = (account: Account | undefined, day: number): number => {
  if (account?.day !== day + 1) throw new Error(`the account is of day ${account?.day}, not of the one after ${day}`);
  return account.yesterday.impressions;
};

const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;
