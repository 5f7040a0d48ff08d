import type { Finding, Proof } from './proof.ts';

export type Verdict = Omit<Proof, 'run'> & Finding & { readonly seconds: number };

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

const HEAD = ['| Proof | Expected | Observed | Verdict |', '|---|---|---|---|'];

const rowOf = ({ name, claim, expected, observed, ok, seconds }: Verdict): string =>
  `| \`${name}\` ${cell(claim)} | ${cell(expected)} | ${cell(observed)} (${seconds} s) | ${ok ? 'holds' : '**does not hold**'} |`;

/** The verdicts as a Markdown table. */
export const tableOf = (verdicts: readonly Verdict[]): string => [...HEAD, ...verdicts.map(rowOf)].join('\n');

/** The same table with the rows of an earlier one for proofs that did not run, in the order of `names`. */
export const mergedTable = (earlier: string, verdicts: readonly Verdict[], names: readonly string[]): string => {
  const rows = names.flatMap((name) => {
    const verdict = verdicts.find((one) => one.name === name);
    return verdict ? rowOf(verdict) : (earlier.split('\n').find((line) => line.startsWith(`| \`${name}\` `)) ?? []);
  });
  return [...HEAD, ...rows].join('\n');
};
