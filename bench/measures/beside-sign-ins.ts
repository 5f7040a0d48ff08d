import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop, interleave, openLoop, rateOfShare } from '../load.ts';
import { thousandStage } from '../shared-stage.ts';
import { median, percentile } from '../../testkit/statistics.ts';
import type { Server } from '../../testkit/start-process.ts';

/** A replica that serves ads and the tool, as `ROLE=both` does. */
const TOOL = { ADMIN_ENABLED: 'true', ACCOUNTS: 'true', TOOL_URL: 'https://ads.gazette.example', TRUST_PROXY_HOPS: '1' };
/** A password is always being compared, and no more wait for that than may: a refusal costs nearly nothing. */
const GUESSERS = 16;
const GUESSES_A_NETWORK = 40;

/** Guesses passwords of ever other accounts from ever other networks, until it is stopped. Resolves to how many were compared. */
const guess = (server: Server): (() => Promise<number>) => {
  const stopped = new AbortController();
  let [sent, compared] = [0, 0];
  const guesser = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const n = sent++;
      const network = Math.floor(n / GUESSES_A_NETWORK);
      const { status } = await fetch(`http://127.0.0.1:${server.port}/auth/sign_in`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': `198.${18 + (network >> 8)}.${network & 255}.7`,
          Origin: TOOL.TOOL_URL,
        },
        body: JSON.stringify({ email: `person${n}@gazette.example`, password: `guess number ${n} of many` }),
      });
      if (status === 401) compared++;
    }
  };
  const running = Promise.all(Array.from({ length: GUESSERS }, guesser));
  return async () => {
    stopped.abort();
    await running;
    return compared;
  };
};

/** A part of a core at which the replica of ads has time left, so that what it is kept from by others shows. */
const SHARE = 0.5;

/** What an ad costs, and how late it comes, of a replica that answers ads alone, while another one is asked for sign-ins or not. */
const besideTool = async (rig: Rig, { rounds, seconds }: Scale, stage: Stage, file: string) => {
  const server = await rig.startService(stage, { env: { ROLE: 'ads' } });
  const tool = await rig.startService(stage, { name: 'tool', env: { ...TOOL, ROLE: 'tool' }, core: 'load' });
  const perSecond = await rateOfShare(rig, SHARE, { server, file });
  const runs = { alone: [] as { micros: number; p99Ms: number }[], beside: [] as { micros: number; p99Ms: number }[] };
  let compared = 0;
  for (let round = 0; round <= rounds; round++) {
    for (const name of ['alone', 'beside'] as const) {
      const stop = name === 'beside' ? guess(tool) : undefined;
      const { busy, samples } = await openLoop(rig, { server, file, perSecond, seconds });
      const found = (await stop?.()) ?? 0;
      // The first round warms up.
      if (round === 0) continue;
      compared += found;
      runs[name].push({
        micros: (busy * 1e6) / perSecond,
        p99Ms: percentile(
          samples.map(({ latencyMs }) => latencyMs),
          0.99,
        ),
      });
    }
  }
  await rig.stop(server, tool);
  const of = (name: keyof typeof runs) => ({
    micros: median(runs[name].map(({ micros }) => micros)),
    p99Ms: median(runs[name].map(({ p99Ms }) => p99Ms)),
  });
  return { alone: of('alone'), beside: of('beside'), perSecond, comparedPerSecond: compared / (rounds * seconds) };
};

/** Ads of a replica while passwords are guessed: on that replica, and on one for the tool. */
export const besideSignIns = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const { rounds, seconds } = scale;
  const { stage, file } = await thousandStage(rig);
  await stage.redis.flushdb();
  const server = await rig.startService(stage, { env: TOOL });
  let compared = 0;
  const runs = await interleave(['alone', 'beside'], rounds, async (name) => {
    const stop = name === 'beside' ? guess(server) : undefined;
    const run = await closedLoop(rig, { server, kind: 'ads', file, seconds });
    compared += (await stop?.()) ?? 0;
    return run;
  });
  await rig.stop(server);
  const apart = await besideTool(rig, scale, stage, file);
  const row = (words: string, { perSecond, p99Ms }: (typeof runs)['alone']): readonly string[] => [
    words,
    whole(perSecond),
    p99Ms.toFixed(1),
  ];
  const apartRow = (words: string, { micros, p99Ms }: typeof apart.alone): readonly string[] => [
    words,
    micros.toFixed(1),
    p99Ms.toFixed(1),
  ];
  return {
    title: 'Ads beside sign-ins',
    text: [
      tableOf(
        [`two replicas, \`ROLE=ads\` and \`ROLE=tool\`; ${whole(apart.perSecond)} ads/s`, 'CPU µs per ad', 'p99 ms'],
        [apartRow('no sign-ins', apart.alone), apartRow('passwords are guessed without a pause on the other one', apart.beside)],
      ),
      tableOf(
        ['one replica for ads and the tool', 'ads/s', 'p99 ms'],
        [row('no sign-ins', runs.alone), row('passwords are guessed without a pause', runs.beside)],
      ),
      `${GUESSERS} clients guess passwords of ever other accounts from ever other networks, ${whole(compared / ((rounds + 1) * seconds))} of which are compared a second (${whole(apart.comparedPerSecond)} by the replica for the tool, which shares a core with the load): one after the other, each about 0.2 s of a core. While 20 wait, and beyond the limits of accounts and networks, further sign-ins are refused.`,
    ].join('\n\n'),
    goals: [
      atMost(
        'CPU of `POST /ad` while passwords are guessed on the replica for the tool ÷ without',
        1.03,
        apart.beside.micros / apart.alone.micros,
      ),
      atLeast('`POST /ad` beside sign-ins without a pause ÷ alone, on one core', 0.85, runs.beside.perSecond / runs.alone.perSecond),
    ],
  };
};
