import { setTimeout as sleep } from 'node:timers/promises';
import type { Rig, Stage } from '../create-rig.ts';
import { atLeast, atMost, tableOf, whole, type Finding, type Scale } from '../finding.ts';
import { callsFile, closedLoop, interleave, type Run } from '../load.ts';
import { readMetrics } from '../../testkit/read-metrics.ts';
import { servedSince } from '../served-since.ts';
import { servesOf } from '../serves-of.ts';
import { thousandStage } from '../shared-stage.ts';
import type { Server } from '../../testkit/start-process.ts';
import { adCalls } from '../traffic.ts';

export interface AdThroughput extends Finding {
  readonly ad: Run;
  /** One GET of Redis a request. */
}

const REPORTED_MS = 1_500;
const NAMES = ['node-echo', 'express-echo', 'redis-get', 'service', 'spread', 'no-frequency'] as const;
const WORDS: Readonly<Record<(typeof NAMES)[number], string>> = {
  'node-echo': 'node:http, JSON echo',
  'express-echo': 'default Express, JSON echo',
  'redis-get': 'node:http, one Redis GET',
  service: '`POST /ad`, 1,000 line items of one publisher',
  spread: '`POST /ad`, the same of 16 publishers in 16 shards',
  'no-frequency': '`POST /ad`, no line item with a frequency cap',
};

/** POST /ad as a whole against the floors, in one run. */
export const adThroughput = async (rig: Rig, { quick, rounds, seconds }: Scale): Promise<AdThroughput> => {
  const { stage, file } = await thousandStage(rig);
  const spreadStage = await rig.stage('spread', { lineItems: 1_000, publishers: 16, targeting: 'realistic' });
  const spreadFile = callsFile(rig, 'spread', adCalls({ publishers: spreadStage.publishers, calls: 16_384, seed: 12 }));
  const plan = { lineItems: 1_000, publishers: 1, targeting: 'realistic' } as const;
  const unlimited = await rig.stage('no_frequency', { ...plan, frequencyShare: 0 });
  const servers: Record<string, Server> = {};
  for (const floor of ['node-echo', 'express-echo', 'redis-get'] as const) servers[floor] = await rig.startFloor(floor);
  servers['service'] = await rig.startService(stage);
  servers['spread'] = await rig.startService(spreadStage);
  servers['no-frequency'] = await rig.startService(unlimited);

  const books = new Map<string, Book>([
    ['service', await openBook(stage, servers['service'])],
    ['spread', await openBook(spreadStage, servers['spread'])],
  ]);
  const calls = new Map<string, number>();
  const runs = await interleave(NAMES, rounds, async (name, warmUp) => {
    const callsBefore = await scriptCalls(stage);
    const run = await closedLoop(rig, {
      server: servers[name]!,
      kind: 'ads',
      file: name === 'spread' ? spreadFile : file,
      seconds: warmUp ? Math.min(seconds, 3) : seconds,
    });
    calls.set(name, ((await scriptCalls(stage)) - callsBefore) / run.sent);
    if (!warmUp)
      rig.say(`  ${name}: ${whole(run.perSecond)} a second, ${run.cpuMicros.toFixed(1)} µs of CPU, Redis ${run.redisMicros.toFixed(1)} µs`);
    return run;
  });
  // Lots are reported every second.
  await sleep(REPORTED_MS);
  const kept = await Promise.all([...books].map(async ([name, book]) => ({ ...(await book.close()), calls: calls.get(name) ?? NaN })));
  await rig.stop(...Object.values(servers));

  const { service, spread } = runs;
  const echo = runs['node-echo'];
  const express = runs['express-echo'];
  const get = runs['redis-get'];
  return {
    ad: service,
    title: 'Ad requests',
    text: [
      tableOf(
        ['', 'requests/s', 'server CPU µs', 'Redis CPU µs', 'answer bytes', 'of node echo', 'of Express echo'],
        NAMES.map((name) => {
          const run = runs[name];
          return [
            WORDS[name],
            whole(run.perSecond),
            run.cpuMicros.toFixed(1),
            name === 'node-echo' || name === 'express-echo' ? '' : run.redisMicros.toFixed(1),
            whole(run.bytesPerAnswer),
            (run.perSecond / echo.perSecond).toFixed(2),
            (run.perSecond / express.perSecond).toFixed(2),
          ];
        }),
      ),
      `By CPU time of the server process, the steadiest figure on a shared machine, \`POST /ad\` costs ${(service.cpuMicros / echo.cpuMicros).toFixed(2)} × the node echo (goal: ≤ ${(1 / 0.45).toFixed(2)}; ${(1 / 0.6).toFixed(2)} is what can be aimed for) and ${(service.cpuMicros / express.cpuMicros).toFixed(2)} × the Express echo (goal: ≤ ${(1 / 2.5).toFixed(2)}).`,
      tableOf(
        ['`POST /ad`', 'filled', 'Redis script calls per request', 'counted in the ledger', 'errors'],
        kept.map((book, i) => [
          ['one publisher', '16 publishers'][i]!,
          `${((100 * book.served) / book.requests).toFixed(1)} %`,
          book.calls.toFixed(2),
          `${((100 * book.counted) / book.served).toFixed(2)} %`,
          String(book.errors),
        ]),
      ),
    ].join('\n\n'),
    goals: [
      atLeast('`POST /ad` against a node:http JSON echo, requests/s', 0.45, service.perSecond / echo.perSecond),
      atLeast('`POST /ad` against a default Express echo, requests/s', 2.5, service.perSecond / express.perSecond),
      atLeast('the same by CPU time per request, node:http', 0.45, echo.cpuMicros / service.cpuMicros),
      atLeast('the same by CPU time per request, Express', 2.5, express.cpuMicros / service.cpuMicros),
      atMost('Redis calls per ad request', 1, Math.max(...kept.map(({ calls }) => calls))),
      atLeast('16 publishers in 16 shards against one publisher, requests/s', 0.95, spread.perSecond / service.perSecond),
      atLeast('the same by CPU time per request', 0.95, service.cpuMicros / spread.cpuMicros),
      // In two seconds most of it is the first grant of each line item, and the upkeep of six servers.
      ...(quick
        ? []
        : [atMost('Redis CPU of an ad against one GET, no frequency caps', 0.4, runs['no-frequency'].redisMicros / get.redisMicros)]),
    ],
  };
};

interface Book {
  close(): Promise<{ requests: number; served: number; errors: number; counted: number }>;
}

/**
 * What was served by the service's count, and what the ledger says about it: an ad that no counter saw would make the figures worthless.
 * Redis keeps what earlier measures have counted: emptied, it would have lost its counters, and accounts would be rebuilt meanwhile.
 */
const openBook = async (stage: Stage, server: Server): Promise<Book> => {
  const [before, countedBefore] = [await readMetrics(server), await countedServes(stage)];
  return {
    close: async () => ({
      ...servedSince(before, await readMetrics(server)),
      counted: (await countedServes(stage)) - countedBefore,
    }),
  };
};

const countedServes = async (stage: Stage): Promise<number> => [...(await servesOf(stage)).values()].reduce((sum, count) => sum + count, 0);

/** Since Redis has started. Only one server is under load at a time, so a difference belongs to it. */
const scriptCalls = async (stage: Stage): Promise<number> => {
  const stats = await stage.redis.info('commandstats');
  return [...stats.matchAll(/cmdstat_(?:evalsha|fcall):calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
};
