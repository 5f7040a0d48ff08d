/*
 * npm run bench: what the service costs, against floors measured in the same run. Writes docs/performance.md.
 *
 *   npm run bench                              everything, about a quarter of an hour
 *   npm run bench -- --quick                   a smoke run under 90 seconds that fails when a figure is an order of magnitude off; writes nothing
 *   npm run bench -- --only ads,pixels         some measures; writes nothing
 *   npm run bench -- --against ../before/dist  this build and another one, turn by turn; writes nothing
 *   npm run bench -- --guard                   this build and that of the last release, turn by turn; fails when a request costs 5 % more
 *   npm run bench -- --only whole,scale,page --against …  likewise all processes of an ad that is seen, a large catalog, the page
 *   npm run bench -- --side-by-side nodes      the supported versions of Node, turn by turn; writes its section of docs/performance.md
 *   npm run bench -- --side-by-side semi-space  sizes of the young generation, likewise
 *   npm run bench -- --rounds 5 --seconds 10   longer
 *   npm run bench -- --node-flags=             without flags for Node; default those of the image, for floors and service alike
 *   npm run bench -- --out figures.md          writes somewhere else
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { IMAGE_FLAGS } from '../testkit/image-flags.ts';
import { buildBefore, removeBefore } from './build-before.ts';
import { createRig, type Rig } from './create-rig.ts';
import type { Finding, Scale } from './finding.ts';
import { catalogAgainst } from './measures/against-catalog.ts';
import { pageAgainst } from './measures/against-page.ts';
import { against } from './measures/against.ts';
import { nodeVersions, semiSpaces } from './measures/side-by-side.ts';
import { adThroughput } from './measures/ad-throughput.ts';
import { auctions } from './measures/auctions.ts';
import { besideSample } from './measures/beside-sample.ts';
import { besideSignIns } from './measures/beside-sign-ins.ts';
import { costOnPaper } from './measures/cost.ts';
import { everyTarget } from './measures/every-target.ts';
import { forecast } from './measures/forecast.ts';
import { guard } from './measures/guard.ts';
import { latency } from './measures/latency.ts';
import { life } from './measures/life.ts';
import { page } from './measures/page.ts';
import { pixels } from './measures/pixels.ts';
import { profile } from './measures/profile.ts';
import { reload } from './measures/reload.ts';
import { replicas } from './measures/replicas.ts';
import { scaleOut } from './measures/scale.ts';
import { vast } from './measures/vast.ts';
import { wholeCost } from './measures/whole.ts';
import { goalTable, reportOf, sectionOf, withFigures } from './report.ts';

const MEASURES = [
  'whole',
  'ads',
  'auctions',
  'vast',
  'pixels',
  'latency',
  'scale',
  'targets',
  'reload',
  'life',
  'replicas',
  'sign-ins',
  'sample',
  'forecast',
  'page',
  'profile',
] as const;
/** The rest takes longer than a smoke run may. */
const QUICK_MEASURES: readonly string[] = ['ads', 'pixels', 'latency', 'replicas'];

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    'node-flags': { type: 'string', default: IMAGE_FLAGS.join(' ') },
    dist: { type: 'string' },
    against: { type: 'string' },
    'side-by-side': { type: 'string' },
    out: { type: 'string' },
  },
});
const say = (line: string): void => console.error(line);
const only = values.only?.split(',');
const unknown = only?.filter((name) => !MEASURES.some((known) => known === name)) ?? [];
if (unknown.length > 0) {
  say(`There are these measures: ${MEASURES.join(', ')}`);
  process.exit(2);
}
/** What two builds are compared by. `ads`: `/ad` and `/impression`. */
const AGAINST = {
  ads: against,
  whole: (rig: Rig, other: string, of: Scale) => wholeCost(rig, of, other),
  scale: catalogAgainst,
  page: pageAgainst,
} as const;
const notCompared = values.against === undefined ? [] : (only?.filter((name) => !Object.hasOwn(AGAINST, name)) ?? []);
if (notCompared.length > 0) {
  say(`Two builds are compared by these measures: ${Object.keys(AGAINST).join(', ')}`);
  process.exit(2);
}
const SIDE_BY_SIDE = { nodes: nodeVersions, 'semi-space': semiSpaces } as const;
const sideBySide = values['side-by-side'] as keyof typeof SIDE_BY_SIDE | undefined;
if (sideBySide !== undefined && !Object.hasOwn(SIDE_BY_SIDE, sideBySide)) {
  say(`There are these side by side: ${Object.keys(SIDE_BY_SIDE).join(', ')}`);
  process.exit(2);
}
const isWanted = (name: (typeof MEASURES)[number]): boolean => only?.includes(name) ?? (!values.quick || QUICK_MEASURES.includes(name));
const scale: Scale = {
  quick: values.quick,
  rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
  seconds: Number(values.seconds ?? (values.quick ? 2 : 8)),
};
const nodeFlags = values['node-flags'].split(' ').filter((flag) => flag !== '');

const measureAll = async (rig: Rig): Promise<readonly Finding[]> => {
  if (before !== undefined) return [await guard(rig, before)];
  if (values.against !== undefined) {
    const findings: Finding[] = [];
    for (const name of only ?? ['ads'])
      findings.push(await AGAINST[name as keyof typeof AGAINST](rig, path.resolve(values.against), scale));
    return findings;
  }
  if (sideBySide !== undefined) return [await SIDE_BY_SIDE[sideBySide](rig, scale)];
  const findings: Finding[] = [];
  const measure = async <T extends Finding>(name: (typeof MEASURES)[number], run: () => Promise<T>): Promise<T | undefined> => {
    if (!isWanted(name)) return undefined;
    const begun = performance.now();
    say(`${name} …`);
    const finding = await run();
    findings.push(finding);
    say(`${name}: ${((performance.now() - begun) / 1000).toFixed(0)} s\n`);
    return finding;
  };
  await measure('whole', () => wholeCost(rig, scale));
  const ads = await measure('ads', () => adThroughput(rig, scale));
  await measure('auctions', () => auctions(rig, scale));
  await measure('vast', () => vast(rig, scale));
  const hits = await measure('pixels', () => pixels(rig, scale));
  await measure('latency', () => latency(rig, scale));
  await measure('scale', () => scaleOut(rig, scale));
  await measure('targets', () => everyTarget(rig, scale));
  await measure('reload', () => reload(rig, scale));
  await measure('life', () => life(rig, scale));
  await measure('replicas', () => replicas(rig, scale));
  await measure('sign-ins', () => besideSignIns(rig, scale));
  await measure('sample', () => besideSample(rig, scale));
  await measure('forecast', () => forecast(rig, scale));
  await measure('page', () => page(rig, scale));
  await measure('profile', () => profile(rig, scale, ads?.ad.cpuMicros ?? NaN));
  if (ads && hits) findings.push(costOnPaper(ads.ad, hits.impression));
  return findings;
};

const opened: Pick<Rig, 'close'>[] = [];
const leave = (): void => void Promise.allSettled(opened.map((one) => one.close())).finally(() => process.exit(130));
process.once('SIGINT', leave);
process.once('SIGTERM', leave);
const folderBefore = values.guard ? mkdtempSync(path.join(tmpdir(), 'ad-server-before-')) : undefined;
// Also when it is interrupted, or fails.
if (folderBefore !== undefined) process.once('exit', () => removeBefore(folderBefore));
const before = folderBefore === undefined ? undefined : await buildBefore(folderBefore);
const rig = await createRig({ nodeFlags, ...(values.dist ? { dist: values.dist } : {}), say });
opened.push(rig);

let findings: readonly Finding[];
try {
  findings = await measureAll(rig);
} finally {
  await rig.close();
}
const goals = findings.flatMap((finding) => finding.goals);
const args = process.argv.slice(2).join(' ');
const command = `npm run bench${args === '' ? '' : ` -- ${args}`}`;
const circumstances = { command, nodeFlags, pinned: rig.pinned, ...scale };
const report = sideBySide === undefined ? await reportOf(findings, circumstances) : sectionOf(findings[0]!, circumstances);
const document = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const out = values.out ?? (values.quick || values.guard || only || values.against ? undefined : document);
if (out !== undefined) writeFileSync(out, out === document ? withFigures(readFileSync(document, 'utf8'), report, sideBySide) : report);
console.log(out === undefined || sideBySide !== undefined ? report : goalTable(goals));
const implausible = goals.filter(({ plausible }) => !plausible);
const isCheck = values.quick || values.guard;
if (isCheck)
  for (const { what, goal, measured } of implausible)
    say(`${values.guard ? 'Dearer' : 'An order of magnitude off'}: ${what}: ${measured}, goal ${goal}`);
if (isCheck) console.log(`${goals.length - implausible.length} passed, ${implausible.length} failed`);
process.exit(isCheck && implausible.length > 0 ? 1 : 0);
