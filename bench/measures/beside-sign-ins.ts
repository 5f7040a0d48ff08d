import type { Rig } from '../create-rig.ts';
import { atLeast, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop, interleave } from '../load.ts';
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

/** Ads of a replica on which passwords are guessed, against those of the same replica without. */
export const besideSignIns = async (rig: Rig, { rounds, seconds }: Scale): Promise<Finding> => {
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
  const row = (words: string, { perSecond, p99Ms }: (typeof runs)['alone']): readonly string[] => [
    words,
    whole(perSecond),
    p99Ms.toFixed(1),
  ];
  return {
    title: 'Ads beside sign-ins',
    text: [
      tableOf(
        ['one replica for ads and the tool', 'ads/s', 'p99 ms'],
        [row('no sign-ins', runs.alone), row('passwords are guessed without a pause', runs.beside)],
      ),
      `${GUESSERS} clients guess passwords of ever other accounts from ever other networks, ${whole(compared / ((rounds + 1) * seconds))} of which are compared a second: one after the other, each about 0.2 s of a core. While 20 wait, and beyond the limits of accounts and networks, further sign-ins are refused.`,
    ].join('\n\n'),
    goals: [atLeast('`POST /ad` beside sign-ins without a pause ÷ alone, on one core', 0.85, runs.beside.perSecond / runs.alone.perSecond)],
  };
};
