import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '..');
const DOCUMENTS = [
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

/** The anchor that a Markdown renderer gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const anchorsIn = (text: string): readonly string[] => [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

test.each(DOCUMENTS)('every link in %s leads to a file and heading that exist', (name) => {
  const text = readFileSync(path.join(ROOT, name), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  const broken = links.filter(([, target = '', anchor]) => {
    const file = target === '' ? path.join(ROOT, name) : path.resolve(ROOT, path.dirname(name), target);
    return !existsSync(file) || (anchor !== undefined && !anchorsIn(readFileSync(file, 'utf8')).includes(anchor));
  });
  expect(broken.map(([link]) => link)).toEqual([]);
});

test('every proof that a document names exists', () => {
  const proofs = path.join(ROOT, 'proofs');
  const names = readdirSync(proofs).flatMap((file) =>
    file.endsWith('.ts')
      ? [...readFileSync(path.join(proofs, file), 'utf8').matchAll(/^ {2}name: '([\w-]+)',$/gm)].map(([, name]) => name)
      : [],
  );
  expect(names.length).toBeGreaterThan(15);
  for (const document of DOCUMENTS) {
    const text = readFileSync(path.join(ROOT, document), 'utf8');
    for (const [, list = ''] of text.matchAll(/npm run prove --.*?--only ([\w,-]+)/g))
      for (const name of list.split(',')) expect([document, names]).toEqual([document, expect.arrayContaining([name])]);
  }
});

test('every decision record is numbered without gaps, dated, and has the four parts', () => {
  const folder = path.join(ROOT, 'docs/adr');
  const records = readdirSync(folder).filter((name) => name !== 'README.md');
  expect(records.map((name) => name.slice(0, 5))).toEqual(records.map((_, index) => `${String(index + 1).padStart(4, '0')}-`));
  for (const name of records) {
    const text = readFileSync(path.join(folder, name), 'utf8');
    expect([name, text]).toEqual([name, expect.stringMatching(/^# \d+\. .+\n\n\d{4}-\d\d-\d\d\n\n\*\*Status\.\*\* /)]);
    expect([name, ...[...text.matchAll(/^\*\*(Context|Decision|Consequences)\.\*\*/gm)].map(([, part]) => part)]).toEqual([
      name,
      'Context',
      'Decision',
      'Consequences',
    ]);
  }
});
