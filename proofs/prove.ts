/*
 * npm run prove: tests the claims of docs/reliability.md on a fleet of replicas behind a balancer, with network faults.
 *
 *   npm run prove                        every proof at full scale, but those that need Go, Java, PHP or chDB
 *   npm run prove -- --quick             a smaller scale for every change, up to three proofs at a time, about eight minutes
 *   npm run prove -- --only cap,tokens   selected proofs
 *   npm run prove -- --seed 7            other random choices
 *   npm run prove -- --only reports --count 50000000                    as many hits of `sinks`, events of `reports`
 *   npm run prove -- --only chaos --seed 7 --seeds 1                    plays one story again
 *   npm run prove -- --only chaos --seeds 200 --only-steps ttl,clicks   stories with selected classes of steps;
 *                                                                       --only-rules budget,cap: until one of these breaks
 *   npm run prove -- --only cost --against ../old/dist                  searches another build for costly requests
 *   npm run prove -- --write             writes the figures to docs/reliability.md
 */
import { parseArgs } from 'node:util';
import PQueue from 'p-queue';
import { createRig } from './rig/create-rig.ts';
import { createScale, findingOf, PATIENCE, type Proof, type ScaleOptions } from './rig/proof.ts';
import { PROOFS } from './proofs.ts';
import { runApart } from './rig/run-apart.ts';
import { tableOf, type Verdict } from './rig/table-of.ts';
import { writeFigures } from './rig/write-figures.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string' },
    seeds: { type: 'string' },
    'only-steps': { type: 'string' },
    'only-rules': { type: 'string' },
    against: { type: 'string' },
  },
});
const say = (line: string): void => console.error(line);
const wanted = values.only?.split(',');
const proofs = PROOFS.filter(({ name, needs }) => wanted?.includes(name) ?? needs === undefined);
if (wanted && proofs.length < wanted.length) {
  say(`There are these proofs: ${PROOFS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

const listOf = (names: string | undefined): readonly string[] | undefined => names?.split(',').filter(Boolean);
const scaleOptions: ScaleOptions = {
  quick: values.quick,
  count: values.count === undefined ? undefined : Number(values.count),
  seeds: values.seeds === undefined ? undefined : Number(values.seeds),
  onlySteps: listOf(values['only-steps']),
  onlyRules: listOf(values['only-rules']),
  against: values.against,
};
const scale = createScale(scaleOptions);

/** The default of the service. */
const REDIS_TIMEOUT_MS = 100;
const rig = await createRig({ seed: Number(values.seed), redisTimeoutMs: scale.ms(REDIS_TIMEOUT_MS), say });
const leave = (): void => void rig.close().finally(() => process.exit(130));
process.once('SIGINT', leave);
process.once('SIGTERM', leave);

const found = new Map<Proof, Verdict>();
/** On two cores. */
const MAX_BESIDE = 3;
const MAX_BESIDE_TIMED = 2;

/** @param tell takes its lines as they come */
const runProof = async (proof: Proof, tell: (line: string) => void): Promise<void> => {
  tell(`\n${proof.name}: ${proof.claim}`);
  const begun = performance.now();
  const finding = await (proof.isComputed && values.quick && proofs.length > 1
    ? runApart({ name: proof.name, seed: rig.seed, scale: scaleOptions }, tell)
    : findingOf(proof, { ...rig, say: tell }, scale));
  const seconds = Math.round((performance.now() - begun) / 1000);
  found.set(proof, { ...proof, ...finding, seconds });
  const patience = scale.quick ? ` (limits of time: ${PATIENCE} times as long)` : '';
  tell(
    `  expected  ${proof.expected}${patience}\n  observed  ${finding.observed}\n  ${finding.ok ? 'holds' : 'DOES NOT HOLD'} (${seconds} s)`,
  );
};

/**
 * Most proofs wait for most of their time, so at the small scale some run beside each other. The lines of one are said together, when it
 * has ended.
 */
const runBeside = async (chosen: readonly Proof[], atOnce: number): Promise<void> => {
  const concurrency = values.quick ? atOnce : 1;
  const isTold = concurrency === 1 || proofs.length === 1;
  await new PQueue({ concurrency }).addAll(
    chosen.map((proof) => async () => {
      const lines: string[] = [];
      await runProof(proof, isTold ? say : (line) => lines.push(line));
      if (lines.length > 0) say(lines.join('\n'));
    }),
  );
};
const beside = proofs.filter(({ isAlone, isTimed }) => !isAlone && !isTimed);
const begunFirst = values.quick ? beside.toSorted((a, b) => Number(b.isLong ?? false) - Number(a.isLong ?? false)) : beside;
await runBeside(begunFirst, MAX_BESIDE);
await runBeside(
  proofs.filter(({ isTimed }) => isTimed),
  MAX_BESIDE_TIMED,
);
for (const proof of proofs) if (proof.isAlone) await runProof(proof, say);
await rig.close();
const verdicts = proofs.map((proof) => found.get(proof)!);

const command = `npm run prove -- ${process.argv
  .slice(2)
  .filter((arg) => arg !== '--write')
  .join(' ')}`.replace(/ -- $/, '');
if (values.write)
  await writeFigures(
    verdicts,
    PROOFS.map(({ name }) => name),
    command,
  );
console.log(`\n${tableOf(verdicts)}`);
const missed = verdicts.filter(({ ok }) => !ok);
for (const { name, observed } of missed) console.log(`Does not hold: ${name}: ${observed.split('\n', 1)[0]}`);
console.log(`\n${verdicts.length - missed.length} passed, ${missed.length} failed`);
process.exit(missed.length === 0 ? 0 : 1);
