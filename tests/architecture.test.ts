import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const SRC = path.resolve(__dirname, '../src');

/** Top floor to ground. A folder may import its own floor's neighbours only where that is said, and any floor below. */
const FLOORS: readonly (readonly string[])[] = [
  ['.'],
  ['commands', 'replica'],
  ['trafficking'],
  ['http'],
  ['serving'],
  ['tracking'],
  ['events'],
  ['bidders', 'ledger'],
  ['decision', 'creative', 'context'],
  ['catalog'],
  ['targeting', 'redis'],
];
/** May be imported from anywhere, and import none of the floors. */
const EVERYWHERE = ['base', 'config', 'observability'];
/** Development and tests only: nothing on the road of a request may load it. */
const EMBEDDED = 'embedded';
const SAME_FLOOR: Readonly<Record<string, readonly string[]>> = { commands: ['replica'] };

/** No package, no clock, no chance, no I/O: what they need of the world is handed in. */
const PURE = ['targeting', 'decision', 'creative'];
const IMPURE = /\b(Date\.now|Math\.random|performance\.now|process\.|setTimeout|setInterval|setImmediate|fetch)\b/;

const LONGEST_FILE = 300;

interface SourceFile {
  readonly name: string;
  readonly folder: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const sources: readonly SourceFile[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const text = readFileSync(path.join(SRC, name), 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => target!);
    return { name, folder: folderOf(name), text, imports };
  });

function folderOf(name: string): string {
  return name.includes(path.sep) ? name.split(path.sep)[0]! : '.';
}

const floorOf = (folder: string): number => FLOORS.findIndex((floor) => floor.includes(folder));

/** The folders of src that a file imports, its own left out. */
const foldersImported = ({ name, folder, imports }: SourceFile): readonly string[] =>
  imports
    .filter((target) => target.startsWith('.'))
    .map((target) => folderOf(path.relative(SRC, path.resolve(SRC, path.dirname(name), target))))
    .filter((target) => target !== folder);

describe('the house', () => {
  it('knows every folder of src', () => {
    const known = [...FLOORS.flat(), ...EVERYWHERE, EMBEDDED];
    expect([...new Set(sources.map(({ folder }) => folder))].filter((folder) => !known.includes(folder))).toEqual([]);
  });

  it('imports one way, from the top floor to the ground', () => {
    const upward = sources
      .filter(({ folder }) => floorOf(folder) >= 0 && folder !== '.')
      .flatMap((file) =>
        foldersImported(file)
          .filter((target) => !EVERYWHERE.includes(target))
          .filter((target) => floorOf(target) <= floorOf(file.folder) && !SAME_FLOOR[file.folder]?.includes(target))
          .map((target) => `${file.name} → ${target}`),
      );
    expect(upward).toEqual([]);
  });

  it('keeps configuration and observability free of the floors, and the embedded stores off the road', () => {
    const wrong = sources.flatMap((file) =>
      foldersImported(file)
        .filter(
          (target) =>
            (EVERYWHERE.includes(file.folder) && !EVERYWHERE.includes(target)) || (target === EMBEDDED && file.name !== 'main.ts'),
        )
        .map((target) => `${file.name} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps targeting, decision and creative pure: no package, no clock, no chance, no I/O', () => {
    const impure = sources
      .filter(({ folder }) => PURE.includes(folder))
      .flatMap(({ name, text, imports }) => [
        ...imports.filter((target) => !target.startsWith('.')).map((target) => `${name} imports ${target}`),
        ...text
          .split('\n')
          .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && IMPURE.test(line))
          .map((line) => `${name}: ${line.trim()}`),
      ]);
    expect(impure).toEqual([]);
  });

  it('exports by name, from the file where a thing stands', () => {
    const wrong = sources.filter(({ text }) => /^export default|^export \* from/m.test(text)).map(({ name }) => name);
    expect(wrong).toEqual([]);
  });

  it('keeps every file short enough to read in one sitting', () => {
    const long = sources.map(({ name, text }) => ({ name, lines: text.split('\n').length })).filter(({ lines }) => lines > LONGEST_FILE);
    expect(long).toEqual([]);
  });
});
