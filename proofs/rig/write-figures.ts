import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { mergedTable, type Verdict } from './table-of.ts';

const FILE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** Writes the figures of a run between the marks in docs/reliability.md. The rows of proofs that did not run stay. */
export const writeFigures = async (verdicts: readonly Verdict[], names: readonly string[], command: string): Promise<void> => {
  const text = await readFile(FILE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const [earlier, after] = rest?.split(END) ?? [];
  if (before === undefined || earlier === undefined || after === undefined) throw new Error(`${FILE} has no marks ${BEGIN} … ${END}.`);
  const when = new Date().toISOString().slice(0, 10);
  const where = `Node ${process.versions.node}, ${cpus().length} cores shared by replicas, stores, balancer and load`;
  const head = `Each row is the last run of its proof; the last of all: \`${command}\`, ${when}, ${where}.`;
  await writeFile(FILE, `${before}${BEGIN}\n${head}\n\n${mergedTable(earlier, verdicts, names)}\n${END}${after}`);
};
