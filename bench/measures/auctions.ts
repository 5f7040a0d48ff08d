import type { Rig } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, interleave } from '../load.ts';
import { thousandStage } from '../shared-stage.ts';
import { adCalls, asAuction } from '../traffic.ts';

const DOORS = { ad: '/ad', auction: '/openrtb2/auction' } as const;
const NAMES = ['ad', 'auction'] as const;

/** The same impressions by POST /ad and by POST /openrtb2/auction, on one replica, in turns. */
export const auctions = async (rig: Rig, { rounds, seconds }: Scale): Promise<Finding> => {
  const { stage, file } = await thousandStage(rig);
  const calls = adCalls({ publishers: stage.publishers, calls: 16_384, seed: 11 }).map(asAuction);
  const files = { ad: file, auction: callsFile(rig, 'auctions', calls) };
  // An auction's answer has absolute addresses, and /ad writes the same here.
  const server = await rig.startService(stage, { env: { PUBLIC_URL: 'https://ads.example' } });
  const runs = await interleave(NAMES, rounds, (name, warmUp) =>
    closedLoop(rig, {
      server,
      kind: 'ads',
      path: DOORS[name],
      file: files[name],
      seconds: warmUp ? Math.min(seconds, 3) : seconds,
    }),
  );
  await rig.stop(server);
  return {
    title: 'Auctions',
    text: tableOf(
      ['', 'requests/s', 'server CPU µs', 'Redis CPU µs', 'answer bytes'],
      NAMES.map((name) => {
        const { perSecond, cpuMicros, redisMicros, bytesPerAnswer } = runs[name];
        return [`\`POST ${DOORS[name]}\``, whole(perSecond), cpuMicros.toFixed(1), redisMicros.toFixed(1), whole(bytesPerAnswer)];
      }),
    ),
    goals: [
      atLeast('`POST /openrtb2/auction` against `POST /ad`, requests/s', 0.8, runs.auction.perSecond / runs.ad.perSecond),
      atLeast('the same by CPU time per request', 0.8, runs.ad.cpuMicros / runs.auction.cpuMicros),
    ],
  };
};
