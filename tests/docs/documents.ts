import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(__dirname, '../..');

/** Every document of the repository, by its path in it. */
export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  'sdk/README.md',
  ...readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

export const readDocument = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

/** A fenced block of code. */
export interface CodeBlock {
  readonly document: string;
  /** After the opening fence; empty: none. */
  readonly language: string;
  readonly text: string;
}

export const codeBlocksOf = (document: string): readonly CodeBlock[] =>
  [...readDocument(document).matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({ document, language, text }));
