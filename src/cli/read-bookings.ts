import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LineCounter, parseDocument, parse, isNode, visit, type Document, type ScalarTag } from 'yaml';
import { isObject } from '../base/narrow.ts';
import { CliFault } from './cli-fault.ts';
import { LISTS, PARTS } from './declared-lists.ts';

/** Files of bookings as the lines that the service reads. */
export interface BookingLines {
  readonly lines: readonly string[];
  /** `bookings.yaml:14 (cpm)` of a pointer into the lines. */
  readonly placeOf: (pointer: string) => string;
}

type Json = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

interface Line {
  readonly record: Json;
  readonly file: OpenFile;
  /** Of the record in its file. */
  readonly at: Path;
}

interface OpenFile {
  readonly name: string;
  readonly value: unknown;
  readonly lineOf: (at: Path) => number;
}

/**
 * Reads files of YAML or JSON, which together are one declaration: one of them names the publisher. Every record becomes a line,
 * so that a campaign of any size is sent in small ones.
 *
 * @throws CliFault with the place of what cannot be read
 */
export const readBookings = async (names: readonly string[], env: NodeJS.ProcessEnv): Promise<BookingLines> => {
  const lines: Line[] = [];
  for (const name of names) lines.push(...linesOf(await openFile(name, env)));
  return {
    lines: lines.map(({ record }) => JSON.stringify(record)),
    placeOf: (pointer) => {
      const [, number = '', , ...more] = pointer.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
      const line = lines[Number(number)];
      if (number === '' || !line) return names.join(', ');
      const steps = more.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
      const field = steps.length > 0 ? ` ${steps.join('.')}` : '';
      return `${line.file.name}:${line.file.lineOf([...line.at, ...steps])}${field}`;
    },
  };
};

const openFile = async (name: string, env: NodeJS.ProcessEnv): Promise<OpenFile> => {
  const text = await readFile(name, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    throw new CliFault(`${name} cannot be read: ${fault.code}`);
  });
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, customTags: tagsOf(name, env) });
  const [fault] = document.errors;
  if (fault) throw new CliFault(`${name}:${fault.linePos?.[0].line ?? 1} ${fault.message.split('\n', 1)[0]}`);
  const lineAt = (offset: number): number => lineCounter.linePos(offset).line;
  return {
    name,
    value: valueOf(document, (offset, words) => new CliFault(`${name}:${lineAt(offset)} ${words}`)),
    lineOf: (at) => {
      for (let steps = [...at]; steps.length > 0; steps = steps.slice(0, -1)) {
        const node = document.getIn(steps, true);
        if (isNode(node) && node.range) return lineAt(node.range[0]);
      }
      return 1;
    },
  };
};

/** The document without its aliases. @throws what `fault` makes of one that names what it is in, and of too many */
const valueOf = (document: Document.Parsed, fault: (offset: number, words: string) => CliFault): unknown => {
  visit(document, {
    Alias: (_, alias, around) => {
      const named = alias.resolve(document);
      if (named && around.includes(named)) throw fault(alias.range?.[0] ?? 0, `*${alias.source} is within what it names`);
    },
  });
  try {
    return document.toJS() as unknown;
  } catch (refused) {
    // The package's limit of what aliases multiply.
    throw refused instanceof ReferenceError ? fault(0, 'repeats too much by aliases') : refused;
  }
};

/** !env NAME, !env NAME=DEFAULT: a value of the environment, read as YAML. !file PATH: the text of a file beside this one. */
const tagsOf = (name: string, env: NodeJS.ProcessEnv): ScalarTag[] => [
  {
    tag: '!env',
    resolve: (word, onError) => {
      const [, variable = '', usual] = /^([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      const value = env[variable] ?? usual;
      if (value === undefined) onError(`the variable ${variable} is not set`);
      return parse(value ?? 'null') as unknown;
    },
  },
  {
    tag: '!file',
    resolve: (word, onError) => {
      try {
        return readFileSync(path.resolve(path.dirname(name), word), 'utf8');
      } catch (fault) {
        onError(`${word} cannot be read: ${(fault as NodeJS.ErrnoException).code}`);
        return '';
      }
    },
  },
];

const linesOf = (file: OpenFile): readonly Line[] => {
  const { name, value } = file;
  if (!isObject(value)) throw new CliFault(`${name} must be a mapping: publisher, ${Object.keys(LISTS).join(', ')}`);
  return Object.entries(value).flatMap(([member, held]) => {
    if (member === 'version' || member === 'installation') return [{ record: { [member]: held }, file, at: [member] }];
    if (member === 'publisher') return [{ record: { publisher: held }, file, at: [member] }];
    const kind = LISTS[member as keyof typeof LISTS];
    if (kind === undefined)
      throw new CliFault(`${name}:${file.lineOf([member])} ${member} is not known: publisher, ${Object.keys(LISTS).join(', ')} are`);
    return listed(file, kind, held, [member], {});
  });
};

const listed = (file: OpenFile, kind: string, list: unknown, at: Path, around: Json): readonly Line[] => {
  if (!Array.isArray(list)) throw new CliFault(`${file.name}:${file.lineOf(at)} must be a list`);
  return list.flatMap((record: unknown, i) => {
    const own = [...at, i];
    const part = PARTS[kind];
    if (!isObject(record) || !part) return [{ record: { [kind]: isObject(record) ? { ...around, ...record } : record }, file, at: own }];
    const [list, partKind] = part;
    const { [list]: parts, ...fields } = record;
    const line = { record: { [kind]: { ...around, ...fields } }, file, at: own };
    return parts === undefined
      ? [line]
      : [line, ...listed(file, partKind, parts, [...own, list], { [kind]: record['key'] ?? record['id'] })];
  });
};
