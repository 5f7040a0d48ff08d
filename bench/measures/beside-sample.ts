import type { Rig } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop, interleave } from '../load.ts';
import { thousandStage } from '../shared-stage.ts';

/** `FORECAST_SAMPLE` of the two replicas: none, and about as many impressions of a day as are kept by default. */
const SAMPLES = { without: '0', beside: '50000' } as const;
const NAMES = ['without', 'beside'] as const;

/** The ads of a replica that keeps a sample of its traffic for forecasts, and of one that keeps none, in turns. */
export const besideSample = async (rig: Rig, { rounds, seconds }: Scale): Promise<Finding> => {
  const { stage, file } = await thousandStage(rig);
  const [without, beside] = await Promise.all(
    NAMES.map((name) => rig.startService(stage, { name: `sample-${name}`, env: { FORECAST_SAMPLE: SAMPLES[name] } })),
  );
  const servers = { without: without!, beside: beside! };
  const runs = await interleave(NAMES, rounds, (name, warmUp) =>
    closedLoop(rig, { server: servers[name], kind: 'ads', file, seconds: warmUp ? Math.min(seconds, 3) : seconds }),
  );
  await rig.stop(servers.without, servers.beside);
  return {
    title: 'Ads beside the sample of their traffic',
    text: tableOf(
      ['`FORECAST_SAMPLE`', 'requests/s', 'server CPU µs', 'Redis CPU µs'],
      NAMES.map((name) => {
        const { perSecond, cpuMicros, redisMicros } = runs[name];
        return [`\`${SAMPLES[name]}\``, whole(perSecond), cpuMicros.toFixed(1), redisMicros.toFixed(1)];
      }),
    ),
    goals: [
      atLeast('`POST /ad` beside the sample of its traffic, requests/s', 0.98, runs.beside.perSecond / runs.without.perSecond),
      atLeast('the same by CPU time per request', 0.98, runs.without.cpuMicros / runs.beside.cpuMicros),
    ],
  };
};
