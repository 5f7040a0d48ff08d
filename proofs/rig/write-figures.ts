import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { tableOf, type Verdict } from './table-of.ts';

const FILE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));
const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';

/** Writes the figures between the marks in docs/reliability.md. */
export const writeFigures = async (verdicts: readonly Verdict[], command: string): Promise<void> => {
  const text = await readFile(FILE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${FILE} has no marks ${BEGIN} … ${END}.`);
  const when = new Date().toISOString().slice(0, 10);
  const where = `Node ${process.versions.node}, ${cpus().length} cores shared by replicas, stores, balancer and load`;
  const head = `\`${command}\`, ${when}, ${where}:`;
  await writeFile(FILE, `${before}${BEGIN}\n${head}\n\n${tableOf(verdicts)}\n${END}${after}`);
};
