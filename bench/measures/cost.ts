import { SECONDS_PER_HOUR } from '../../src/base/utc-day.ts';
import { tableOf, whole, type Finding } from '../finding.ts';
import type { Run } from '../load.ts';

/** On-demand price of a general purpose virtual core with its 4 GB, about, at the large clouds; USD an hour. */
const CORE_USD_PER_HOUR = 0.05;
/** Kept free for peaks, deployments and the loss of a zone. */
const USED = 0.5;
const VIEWED = 0.8;

/** What a million ads take, on paper: CPU time measured, price assumed. */
export const costOnPaper = (ad: Run, impression: Run): Finding => {
  const perAd = { server: ad.cpuMicros + VIEWED * impression.cpuMicros, redis: ad.redisMicros + VIEWED * impression.redisMicros };
  const usd = (micros: number): number => (micros / 1e6 / SECONDS_PER_HOUR) * 1e6 * (CORE_USD_PER_HOUR / USED);
  return {
    title: 'A million ads on paper',
    text: [
      tableOf(
        ['per million ads, one impression a request', 'core seconds', 'USD'],
        [
          ['service: request, and a pixel for 80 % of them', whole(perAd.server), usd(perAd.server).toFixed(4)],
          ['Redis', whole(perAd.redis), usd(perAd.redis).toFixed(4)],
        ],
      ),
      `At ${CORE_USD_PER_HOUR.toFixed(2)} USD for a core and hour, half of it kept free. One core of Redis is full at ${whole(1e6 / perAd.redis)} ads a second, one core of the service at ${whole(1e6 / perAd.server)}: ${(perAd.server / perAd.redis).toFixed(1)} cores of service to one of Redis, and then another shard. Traffic, at about ${whole(ad.bytesPerAnswer)} bytes an answer, and Postgres, which sees batches only, come on top.`,
    ].join('\n\n'),
    goals: [],
  };
};
