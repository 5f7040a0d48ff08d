import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { spawnSync } from 'node:child_process';
import { findRedisServer } from '../src/embedded/find-redis-server.ts';
import { tableOf, type Finding, type Goal } from './finding.ts';

export interface Circumstances {
  readonly command: string;
  readonly nodeFlags: readonly string[];
  readonly pinned: boolean;
  readonly rounds: number;
  readonly seconds: number;
}

/** The document with `figures` between its marks of this name. Throws when it has no marks. */
export const withFigures = (document: string, figures: string, name = 'figures'): string => {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The document has no marks ${begin} … ${end}.`);
  return `${before}${begin}\n${figures}${end}${after}`;
};

/** One finding, without the rest of the document. */
export const sectionOf = ({ text }: Finding, { command, rounds, seconds }: Circumstances): string =>
  `Written by \`${command}\` in one run: medians of ${rounds} rounds of ${seconds} s.\n\n${text}\n`;

/** The figures of a whole run, as the sections of docs/performance.md. */
export const reportOf = async (findings: readonly Finding[], circumstances: Circumstances): Promise<string> =>
  [
    `Written by \`${circumstances.command}\` in one run: medians of ${circumstances.rounds} rounds of ${circumstances.seconds} s.`,
    '## Goals',
    goalTable(findings.flatMap(({ goals }) => goals)),
    '## Machine',
    await machine(circumstances),
    '## What is measured',
    readFileSync(new URL('./method.md', import.meta.url), 'utf8').trim(),
    ...findings.flatMap(({ title, text }) => [`## ${title}`, text]),
  ].join('\n\n') + '\n';

export const goalTable = (goals: readonly Goal[]): string =>
  tableOf(
    ['', 'goal', 'measured', ''],
    goals.map(({ what, goal, measured, met }) => [what, goal, measured, met ? 'met' : '**not met**']),
  );

const machine = async ({ nodeFlags, pinned }: Circumstances): Promise<string> => {
  const [cpu] = cpus();
  const versions = [
    `Node ${process.versions.node} (V8 ${process.versions.v8})`,
    versionOf((await findRedisServer()) ?? 'redis-server', ['--version'], /v=(\S+)/, 'Redis'),
    `Linux ${release()}`,
  ];
  return [
    `- ${cpus().length} × ${cpu!.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB of memory`,
    `- ${versions.filter((version) => version !== '').join(', ')}`,
    `- every Node process with ${nodeFlags.length > 0 ? `\`${nodeFlags.join(' ')}\`` : 'no flags'}`,
    pinned
      ? '- servers pinned to core 0; load generator, Redis and Postgres to core 1'
      : '- **not pinned**: server and load compete for the same cores',
  ].join('\n');
};

/** '' when it is unknown: the report is complete without it. */
const versionOf = (command: string, args: readonly string[], pattern: RegExp, name: string): string => {
  // The binary of redis-tools is a server by the name it is called by.
  const { stdout } = spawnSync(command, args, { encoding: 'utf8', argv0: 'redis-server' });
  const [, version] = pattern.exec(stdout ?? '') ?? [];
  return version === undefined ? '' : `${name} ${version}`;
};
