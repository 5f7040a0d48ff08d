import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rig } from '../create-rig.ts';
import { tableOf, type Finding, type Scale } from '../finding.ts';
import { closedLoop } from '../load.ts';
import { thousandStage } from '../shared-stage.ts';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** In the order of a request; the first pattern that matches a script's URL names its stage. */
const STAGES: readonly (readonly [stage: string, pattern: RegExp])[] = [
  ['body, check, key, dimensions (src/http)', /src\/http\/(?!server)|node_modules\/ajv/],
  ['Express and its router', /node_modules\/(express|router|path-to-regexp|parseurl|finalhandler|accepts|once)\/|src\/http\/server/],
  ['country, device, consent, user hash (src/context)', /src\/context|node_modules\/(bowser|isbot|geoip-lite|ipaddr|lru-cache)/],
  ['candidates and ranking (src/decision, src/targeting, src/catalog)', /src\/(decision|targeting|catalog)/],
  ['opportunity, offer, answer (src/serving)', /src\/serving/],
  ['reservation: encode, batch, decode (src/ledger)', /src\/(?:ledger|redis)/],
  ['Redis client (ioredis)', /node_modules\/(ioredis|@ioredis|redis-parser|standard-as-callback|denque|cluster-key-slot)/],
  ['markup (src/creative)', /src\/creative/],
  [
    'token (src/tracking, jsonwebtoken)',
    /src\/tracking|node_modules\/(jsonwebtoken|jws|jwa|lodash|safe-buffer|ecdsa|buffer-equal)|node:internal\/crypto/,
  ],
  ['metrics', /src\/(observ|replica)|node_modules\/(prom-client|tdigest|bintrees)/],
  ['HTTP server (node:http)', /node:(internal\/http|_http|internal\/url)/],
  [
    'sockets and streams (node:net, node:stream)',
    /node:(net|stream|internal\/streams|internal\/stream|internal\/js_stream|internal\/socket)/,
  ],
  ['buffers, events, timers, promises', /node:/],
];
const COLLECTOR = 'garbage collection';
const NATIVE = 'native code of Node (system calls, the HTTP parser, JSON, hashes)';
const OTHER = 'everything else';

/** Self time per stage of a request, and the functions in which most of it is spent. */
export const profile = async (rig: Rig, { seconds, quick }: Scale, cpuMicros: number): Promise<Finding> => {
  const { stage, file } = await thousandStage(rig);
  const folder = path.join(rig.stateDir, `profile-${Date.now()}`);
  mkdirSync(folder);
  const server = await rig.startService(stage, { nodeFlags: ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'] });
  await closedLoop(rig, { server, kind: 'ads', file, seconds: quick ? 2 : seconds });
  await rig.stop(server);
  const [name] = readdirSync(folder);
  const { byStage, byFunction } = selfTimes(inSources(JSON.parse(readFileSync(path.join(folder, name!), 'utf8')) as CpuProfile));
  const busy = [...byStage.values()].reduce((sum, micros) => sum + micros, 0);
  const share = (micros: number): string => `${((100 * micros) / busy).toFixed(1)} %`;
  const perRequest = (micros: number): string => ((micros / busy) * cpuMicros).toFixed(1);
  const order = [...STAGES.map(([stageName]) => stageName), NATIVE, COLLECTOR, OTHER];
  return {
    title: 'Where the microseconds go',
    text: [
      tableOf(
        ['stage', 'share', 'µs per ad request'],
        order
          .filter((stageName) => byStage.has(stageName))
          .map((stageName) => [stageName, share(byStage.get(stageName) ?? 0), perRequest(byStage.get(stageName) ?? 0)]),
      ),
      `Self time of the server under the load above, sampled every 0.5 ms, as shares of the ${cpuMicros.toFixed(1)} µs that a request costs without the profiler. Functions without a script of their own (JSON.parse, string building) count where they are called. The ten largest:`,
      tableOf(
        ['function', 'share', 'µs per ad request'],
        [...byFunction]
          .sort(([, a], [, b]) => b - a)
          .slice(0, quick ? 10 : 10)
          .map(([functionName, micros]) => [`\`${functionName}\``, share(micros), perRequest(micros)]),
      ),
    ].join('\n\n'),
    goals: [],
  };
};

/** The same with the places in the sources: the service runs from a bundle of them. */
const inSources = ({ nodes, ...profiled }: CpuProfile): CpuProfile => {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (url: string): SourceMap | undefined => {
    if (!maps.has(url)) {
      const file = url.startsWith('file:') ? `${fileURLToPath(url)}.map` : '';
      maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8')) as SourceMapPayload) : undefined);
    }
    return maps.get(url);
  };
  const sourceOf = (frame: CallFrame): CallFrame => {
    const entry = mapOf(frame.url)?.findEntry(frame.lineNumber, frame.columnNumber);
    return entry && 'originalSource' in entry
      ? { ...frame, url: new URL(entry.originalSource, frame.url).href, lineNumber: entry.originalLine }
      : frame;
  };
  return { ...profiled, nodes: nodes.map((node) => ({ ...node, callFrame: sourceOf(node.callFrame) })) };
};

const selfTimes = ({ nodes, samples, timeDeltas }: CpuProfile): { byStage: Map<string, number>; byFunction: Map<string, number> } => {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byStage = new Map<string, number>();
  const byFunction = new Map<string, number>();
  // The first seconds belong to the start and the compiler.
  const from = Math.floor(samples.length / 3);
  for (let i = from; i < samples.length; i++) {
    const node = byId.get(samples[i]!);
    if (!node || node.callFrame.functionName === '(idle)' || node.callFrame.functionName === '(root)') continue;
    const micros = timeDeltas[i]!;
    const stage = stageOf(node, byId, parents);
    byStage.set(stage, (byStage.get(stage) ?? 0) + micros);
    const name = nameOf(node);
    byFunction.set(name, (byFunction.get(name) ?? 0) + micros);
  }
  return { byStage, byFunction };
};

const stageOf = (node: ProfileNode, byId: ReadonlyMap<number, ProfileNode>, parents: ReadonlyMap<number, number>): string => {
  if (node.callFrame.functionName === '(garbage collector)') return COLLECTOR;
  if (node.callFrame.functionName === '(program)') return NATIVE;
  for (let at: ProfileNode | undefined = node; at; at = byId.get(parents.get(at.id) ?? -1)) {
    const { url } = at.callFrame;
    if (url === '') continue;
    return STAGES.find(([, pattern]) => pattern.test(url))?.[0] ?? OTHER;
  }
  return NATIVE;
};

const nameOf = ({ callFrame: { functionName, url, lineNumber } }: ProfileNode): string => {
  const file = url.replace(/^.*\/(src|node_modules)\//, '');
  return url === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
};
