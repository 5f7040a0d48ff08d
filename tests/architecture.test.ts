import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { drawFloors } from '../scripts/draw-floors.mjs';
import { EMBEDDED, EVERYWHERE, FLOORS, folderOf, importsOf, SAME_FLOOR } from '../scripts/floors.mjs';
import { ADVISORY_LOCKS } from '../src/base/advisory-locks.ts';

const ROOT = path.resolve(__dirname, '..');

/** No package, clock, random number or I/O: their callers pass in what they need. */
const PURE = ['src/targeting', 'src/decision', 'src/creative', 'src/tracking/invalid-traffic'];
const IMPURE = /\b(Date\.now|Math\.random|performance\.now|process\.|setTimeout|setInterval|setImmediate|fetch)\b/;

/** The top-level folders, and which others each may import. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  src: [],
  sdk: [],
  admin: ['src'],
  testkit: ['src'],
  proofs: ['testkit', 'src'],
  bench: ['testkit', 'src', 'scripts'],
  tests: ['testkit', 'src', 'sdk', 'admin', 'scripts'],
  scripts: ['src', 'admin'],
};
/** The page imports types from all of src, but code only from these folders, which need no server. */
const CODE_FOR_ADMIN = [
  'src/base',
  'src/targeting',
  'src/decision',
  'src/creative',
  'src/catalog/checks',
  'src/catalog/entities',
  'src/catalog/model',
  'src/delivery/at-stake',
  'src/imports/files',
  'src/people/preferences',
];

/** Lengths of days and hours have their names in src/base/utc-day.ts. A plain value of a property (an example, an initial value) is data. */
const LENGTHS_OF_TIME = [
  /\b(86_?400_?000|3_?600_?000)\b/,
  /(?<![\d_]|: )\b86_?400\b(?!_)/,
  /[*/%] (60_?000|3_?600|1_?440)\b(?!_)|\b(60_?000|3_?600|1_?440) [*/%]/,
  /\b(60|24) \* 60\b|\b60 \* 1_?000\b/,
];

const MAX_LINES = 250;
const SHORT = ['src', 'admin', 'sdk', 'testkit'];

interface SourceFile {
  /** Relative to the checkout. */
  readonly name: string;
  readonly program: string;
  readonly text: string;
  readonly imports: readonly { readonly target: string; readonly typeOnly: boolean }[];
}

const filesNamed = (pattern: RegExp): readonly string[] =>
  Object.keys(PROGRAMS).flatMap((program) =>
    readdirSync(path.join(ROOT, program), { recursive: true, encoding: 'utf8' })
      .filter((name) => pattern.test(name) && !/(?:^|\/)(?:node_modules|dist)\//.test(name))
      .map((name) => path.join(program, name)),
  );
const read = (name: string): string => readFileSync(path.join(ROOT, name), 'utf8');

const sources: readonly SourceFile[] = filesNamed(/\.(ts|mjs)$/).map((name) => {
  const text = read(name);
  return { name, program: programOf(name), text, imports: importsOf(name, text) };
});
const src = sources.filter(({ program }) => program === 'src');
const names = new Set(sources.map(({ name }) => name));

function programOf(name: string): string {
  return name.split(path.sep)[0] ?? name;
}

const isWithin = (name: string, folders: readonly string[]): boolean => folders.some((folder) => name.startsWith(folder + path.sep));

const foldersImported = ({ name, imports }: SourceFile): readonly string[] =>
  imports
    .filter(({ target }) => programOf(target) === 'src')
    .map(({ target }) => folderOf(target))
    .filter((folder) => folder !== folderOf(name));

const floorOf = (folder: string): number => FLOORS.findIndex((floor) => floor.includes(folder));

describe('the folders of src', () => {
  it('are all listed here', () => {
    const known = [...FLOORS.flat(), ...EVERYWHERE, EMBEDDED];
    expect([...new Set(src.map(({ name }) => folderOf(name)))].filter((folder) => !known.includes(folder))).toEqual([]);
  });

  it('are drawn as they are (node scripts/draw-floors.mjs)', () => {
    expect(read('docs/images/floors.svg')).toBe(drawFloors(ROOT));
  });

  it('import one way, from the top floor to the bottom', () => {
    const upward = src
      .filter(({ name }) => floorOf(folderOf(name)) >= 0 && folderOf(name) !== '.')
      .flatMap((file) => {
        const folder = folderOf(file.name);
        return foldersImported(file)
          .filter((target) => !EVERYWHERE.includes(target))
          .filter((target) => floorOf(target) <= floorOf(folder) && !SAME_FLOOR[folder]?.includes(target))
          .map((target) => `${file.name} → ${target}`);
      });
    expect(upward).toEqual([]);
  });

  it('keep base, configuration and observability free of the floors, and the embedded stores out of the replica', () => {
    const wrong = src.flatMap((file) =>
      foldersImported(file)
        .filter(
          (target) =>
            (EVERYWHERE.includes(folderOf(file.name)) && !EVERYWHERE.includes(target)) ||
            (target === EMBEDDED && file.name !== path.join('src', 'main.ts')),
        )
        .map((target) => `${file.name} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('keep targeting, decision and creative pure: no package, clock, random number or I/O', () => {
    const impure = src
      .filter(({ name }) => isWithin(name, PURE))
      .flatMap(({ name, text, imports }) => [
        ...imports.filter(({ target }) => programOf(target) !== 'src').map(({ target }) => `${name} imports ${target}`),
        ...text
          .split('\n')
          .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && IMPURE.test(line))
          .map((line) => `${name}: ${line.trim()}`),
      ]);
    expect(impure).toEqual([]);
  });
});

describe('the whole repository', () => {
  it('imports one way: tests, proofs and bench → testkit → src', () => {
    const wrong = sources.flatMap(({ name, program, imports }) =>
      imports
        .map(({ target }) => target)
        .filter((target) => programOf(target) in PROGRAMS && programOf(target) !== program)
        .filter((target) => !PROGRAMS[program]?.includes(programOf(target)))
        .map((target) => `${name} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('gives the trafficking page types of src, and code only of folders that need no server', () => {
    const wrong = sources
      .filter(({ program }) => program === 'admin')
      .flatMap(({ name, imports }) =>
        imports
          .filter(({ target, typeOnly }) => programOf(target) === 'src' && !typeOnly && !isWithin(target, CODE_FOR_ADMIN))
          .map(({ target }) => `${name} → ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('has no import circle', () => {
    const targetsOf = new Map(sources.map(({ name, imports }) => [name, imports.map(({ target }) => target)]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (name: string, trail: readonly string[]): void => {
      if (trail.includes(name)) circles.push([...trail.slice(trail.indexOf(name)), name].join(' → '));
      if (trail.includes(name) || done.has(name)) return;
      for (const target of targetsOf.get(name) ?? []) if (names.has(target)) visit(target, [...trail, name]);
      done.add(name);
    };
    for (const { name } of sources) visit(name, []);
    expect(circles).toEqual([]);
  });

  it('takes advisory locks of Postgres by names, whose numbers differ', () => {
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(numbers.filter((number, at) => numbers.indexOf(number) !== at)).toEqual([]);
    // For a session, where all others end with their transaction.
    const migrating = `query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration])`;
    const taken = sources.filter(
      ({ name, program, text }) =>
        program !== 'tests' && name !== path.join('src', 'base', 'advisory-locks.ts') && /_advisory_/.test(text.replace(migrating, '')),
    );
    expect(taken.map(({ name }) => name)).toEqual([]);
  });

  it('exports by name, from the file that defines a thing', () => {
    const wrong = sources.filter(({ text, program }) => program !== 'tests' && /^export default|^export \* from/m.test(text));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  it('names the lengths of days and hours', () => {
    const wrong = sources
      .filter(({ name, program }) => name.endsWith('.ts') && program !== 'tests' && name !== path.join('src', 'base', 'utc-day.ts'))
      .flatMap(({ name, text }) =>
        text
          .split('\n')
          .map((line, at) => ({ line: line.replaceAll(/'[^']*'|`[^`]*(?:`|$)|\/\/.*|^\s*\/?\*.*/g, ''), at: `${name}:${at + 1}` })),
      )
      .filter(({ line }) => LENGTHS_OF_TIME.some((length) => length.test(line)));
    expect(wrong.map(({ at, line }) => `${at}: ${line.trim()}`)).toEqual([]);
  });

  it(`keeps the files of ${SHORT.join(', ')} within ${MAX_LINES} lines`, () => {
    const long = sources
      .filter(({ program }) => SHORT.includes(program))
      .map(({ name, text }) => ({ name, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });
});

describe('Lua files', () => {
  const luaFiles = filesNamed(/\.lua$/);
  const scripts = src.flatMap(({ name, text }) =>
    [...text.replaceAll(/^\s*\/?\*.*$/gm, '').matchAll(/'(\.[^']+\.lua)'/g)].map(([, target = '']) =>
      path.join(path.dirname(name), target),
    ),
  );

  it('begin with a sentence', () => {
    expect(luaFiles.filter((name) => !/^-- [A-Z`][^\n]*(\n-- [^\n]*)*[.:]/i.test(read(name)))).toEqual([]);
  });

  it('that a module loads name their KEYS, ARGV, what they return and why they are atomic', () => {
    expect(scripts.length).toBeGreaterThan(5);
    const missing = scripts.flatMap((name) => {
      const text = read(name);
      const code = text.replace(/^--.*$/gm, '');
      const header = text.slice(0, text.search(/^(?!--)/m));
      const used = ['KEYS', 'ARGV'].filter((word) => code.includes(word));
      return [...used, 'Returns', 'Why'].filter((word) => !header.includes(word)).map((word) => `${name}: ${word}`);
    });
    expect(missing).toEqual([]);
  });

  it(`have at most ${MAX_LINES} lines`, () => {
    const long = luaFiles.map((name) => ({ name, lines: read(name).split('\n').length - 1 })).filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it('include files that exist', () => {
    const included = luaFiles.flatMap((name) =>
      [...read(name).matchAll(/^-- @include (\S+)/gm)].map(([, target = '']) => path.join(path.dirname(name), target)),
    );
    expect(included.length).toBeGreaterThan(5);
    expect(included.filter((name) => !luaFiles.includes(name))).toEqual([]);
  });
});
