import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { Agent, request } from 'undici';
import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { closedLoop, interleave, type Run } from '../load.ts';
import { processCpuMicros } from '../../testkit/process-cpu.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';
import { thousandStage } from '../shared-stage.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls, PIXEL_BROWSER, USER, type AdCall } from '../traffic.ts';
import { untilStored } from '../until-stored.ts';

const IMPS = 20;
const COLLECTORS = 16;
/** More than one core has ever answered, so that no token is needed twice. */
const MAX_PER_SECOND = 36_000;

export interface Pixels extends Finding {
  readonly impression: Run;
}

/** GET /impression with a new token each time, as a page sends it, against an empty GIF on default Express and one GET of Redis. */
export const pixels = async (rig: Rig, { rounds, seconds: given, quick }: Scale): Promise<Pixels> => {
  const seconds = Math.min(given, 6);
  const { stage, file } = await thousandStage(rig);
  const gif = await rig.startFloor('express-gif');
  const get = await rig.startFloor('redis-get');
  const service = await rig.startService(stage);
  const gifFile = path.join(rig.stateDir, 'paths-gif');
  const files = { gif: gifFile, impression: path.join(rig.stateDir, 'paths-fresh'), replay: path.join(rig.stateDir, 'paths-used') };
  const calls = adCalls({ publishers: stage.publishers, calls: 512, seed: 13, imps: [IMPS], browser: PIXEL_BROWSER });

  const before = await readMetrics(service);
  let withDrain = 0;
  let collected = 0;
  const runs = await interleave(['gif', 'get', 'impression', 'replay'], rounds, async (name, warmUp) => {
    const runSeconds = warmUp && name !== 'impression' ? Math.min(seconds, 2) : seconds;
    if (name === 'impression') {
      const paths = await collectTokens(service, calls, runSeconds * (quick ? 12_000 : MAX_PER_SECOND));
      collected += paths.length;
      writeFileSync(files.impression, paths.join('\n') + '\n');
      writeFileSync(gifFile, paths.slice(0, 10_000).join('\n') + '\n');
    } else if (name === 'gif' && warmUp) writeFileSync(gifFile, '/impression?t=none\n');
    const cpuBefore = processCpuMicros(service.pid);
    const load =
      name === 'get' ? ({ server: get, kind: 'ads', file } as const) : { server: name === 'gif' ? gif : service, file: files[name] };
    const run = await closedLoop(rig, { kind: 'paths', ...load, seconds: runSeconds });
    if (name === 'impression') {
      if (run.repeated > 0 && !quick) throw new Error(`${run.repeated} impressions were sent twice: collect more tokens`);
      writeFileSync(files.replay, usedPaths(files.impression, run.sent));
      await untilStored(stage.redis);
      withDrain = (processCpuMicros(service.pid) - cpuBefore) / run.sent;
    }
    if (!warmUp)
      rig.say(`  ${name}: ${whole(run.perSecond)} a second, ${run.cpuMicros.toFixed(1)} µs of CPU, Redis ${run.redisMicros.toFixed(1)} µs`);
    return run;
  });
  const after = await readMetrics(service);
  const since = (series: string): number => (after.get(series) ?? 0) - (before.get(series) ?? 0);
  const counted = since('adserver_impressions_total');
  const gross = since('adserver_gross_hits_total{kind="impression"}');
  const lost = since('adserver_settled_without_hold_total');
  const inPostgres = await storedEvents(stage);
  await rig.stop(service, gif, get);
  const { gif: floor, get: oneGet, impression, replay } = runs;
  const row = (name: string, run: Run): readonly string[] => [
    name,
    whole(run.perSecond),
    run.cpuMicros.toFixed(1),
    run.redisMicros.toFixed(1),
    (run.perSecond / floor.perSecond).toFixed(2),
    (floor.cpuMicros / run.cpuMicros).toFixed(2),
  ];
  return {
    impression,
    title: 'Tracking pixels',
    text: [
      tableOf(
        ['', 'requests/s', 'server CPU µs', 'Redis CPU µs', 'of the GIF, requests/s', 'of the GIF, by CPU time'],
        [
          row('an empty GIF, default Express', floor),
          row('node:http, one Redis GET', oneGet),
          row('`GET /impression`, each token once', impression),
          row('the same tokens again', replay),
        ],
      ),
      `${whole(gross)} impressions with ${whole(collected)} tokens, ${whole(inPostgres)} of them in Postgres when the streams were empty: ${whole(counted)} counted, ${whole(gross - counted)} filtered; ${lost} without the reservation they belong to. The same process carries the events into Postgres: that included, until the last one is stored, an impression took ${withDrain.toFixed(1)} µs of CPU.`,
    ].join('\n\n'),
    goals: [
      atLeast('`GET /impression` against an empty GIF on default Express, requests/s', 2.3, impression.perSecond / floor.perSecond),
      atLeast('the same by CPU time per request', 2.3, floor.cpuMicros / impression.cpuMicros),
      atMost('Redis CPU of an impression against one GET', 1.6, impression.redisMicros / oneGet.redisMicros),
    ],
  };
};

/** Impression paths out of real answers, each for another reservation. */
export const collectTokens = async (server: Server, calls: readonly AdCall[], wanted: number): Promise<readonly string[]> => {
  const paths: string[] = [];
  const dispatcher = new Agent({ connections: COLLECTORS });
  let next = 0;
  const collect = async (): Promise<void> => {
    while (paths.length < wanted) {
      const { apiKey, body } = calls[next++ % calls.length]!;
      const answer = await request(`${server.url}/ad`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: body.replace(USER, String(next).padStart(USER.length, '0')),
        dispatcher,
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`POST /ad answered ${answer.statusCode}: ${text.slice(0, 200)}`);
      for (const [, url] of text.matchAll(/"impurl":"([^"]+)"/g)) paths.push(url!);
    }
  };
  await Promise.all(Array.from({ length: COLLECTORS }, collect));
  await dispatcher.close();
  return paths;
};

/** The first ones of the file, which were sent in order. */
const usedPaths = (file: string, count: number): string => {
  const text = readFileSync(file, 'utf8').split('\n').slice(0, Math.min(count, 50_000));
  return text.filter((line) => line !== '').join('\n') + '\n';
};

const storedEvents = async ({ databaseUrl }: Stage): Promise<number> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>("select count(*) from events where kind = 'impression'");
    return Number(rows[0]!.count);
  } finally {
    await client.end();
  }
};
