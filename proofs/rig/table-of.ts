import type { Finding, Proof } from './proof.ts';

export type Verdict = Omit<Proof, 'run'> & Finding & { readonly seconds: number };

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The verdicts as a Markdown table. */
export const tableOf = (verdicts: readonly Verdict[]): string =>
  [
    '| Proof | Expected | Observed | Verdict |',
    '|---|---|---|---|',
    ...verdicts.map(
      ({ name, claim, expected, observed, ok, seconds }) =>
        `| \`${name}\` ${cell(claim)} | ${cell(expected)} | ${cell(observed)} (${seconds} s) | ${ok ? 'holds' : '**does not hold**'} |`,
    ),
  ].join('\n');
