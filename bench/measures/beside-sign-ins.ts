import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop, interleave, type Run } from '../load.ts';
import { thousandStage } from '../shared-stage.ts';
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

/** The ads of a replica alone, and while passwords are guessed on one that serves the tool. */
const besideTool = async (rig: Rig, { rounds, seconds }: Scale, stage: Stage, file: string) => {
  const server = await rig.startService(stage, { env: { ROLE: 'ads' } });
  const tool = await rig.startService(stage, { name: 'tool', env: { ...TOOL, ROLE: 'tool' }, core: 'load' });
  const runs = await whileGuessed(tool, rounds, () => closedLoop(rig, { server, kind: 'ads', file, seconds }));
  await rig.stop(server, tool);
  return runs;
};

/** Rounds in turns, without and beside sign-ins on a replica. `compared`: passwords, while they were guessed. */
const whileGuessed = async (guessed: Server, rounds: number, load: () => Promise<Run>) => {
  let compared = 0;
  const runs = await interleave(['alone', 'beside'], rounds, async (name) => {
    const stop = name === 'beside' ? guess(guessed) : undefined;
    const run = await load();
    compared += (await stop?.()) ?? 0;
    return run;
  });
  return { ...runs, compared };
};

/** Ads of a replica while passwords are guessed: on that replica, and on one for the tool. */
export const besideSignIns = async (rig: Rig, scale: Scale): Promise<Finding> => {
  const { rounds, seconds } = scale;
  const { stage, file } = await thousandStage(rig);
  const server = await rig.startService(stage, { env: TOOL });
  const both = await whileGuessed(server, rounds, () => closedLoop(rig, { server, kind: 'ads', file, seconds }));
  await rig.stop(server);
  const apart = await besideTool(rig, scale, stage, file);
  const row = (words: string, { perSecond, cpuMicros, p99Ms }: Run): readonly string[] => [
    words,
    whole(perSecond),
    cpuMicros.toFixed(1),
    p99Ms.toFixed(1),
  ];
  const perSecond = ({ compared }: typeof both): string => (compared / ((rounds + 1) * seconds)).toFixed(1);
  return {
    title: 'Ads beside sign-ins',
    text: [
      tableOf(
        ['', 'ads/s', 'CPU µs', 'p99 ms'],
        [
          row('`ROLE=ads`; no sign-ins', apart.alone),
          row('… passwords are guessed without a pause on a replica with `ROLE=tool`', apart.beside),
          row('`ROLE=both`; no sign-ins', both.alone),
          row('… passwords are guessed without a pause on this replica', both.beside),
        ],
      ),
      `${GUESSERS} clients guess passwords of ever other accounts from ever other networks. ${perSecond(apart)} and ${perSecond(both)} of them are compared a second, one after the other, each about 0.2 s of a core; the replica of the tool has what the load leaves of its core. While 20 wait, and beyond the limits of accounts and networks, further sign-ins are refused.`,
    ].join('\n\n'),
    goals: [
      atLeast(
        '`POST /ad` while passwords are guessed on a replica of the tool ÷ alone, requests/s',
        0.97,
        apart.beside.perSecond / apart.alone.perSecond,
      ),
      atLeast('`POST /ad` beside sign-ins without a pause ÷ alone, on one core', 0.85, both.beside.perSecond / both.alone.perSecond),
    ],
  };
};
