import { ImportFault } from '../import-fault.ts';

/** A value of a dump: its bytes, and whether they were quoted. null: NULL. */
export type DumpValue = Buffer | null;

/** What a dump says of a table, in the order of the file. */
export interface DumpReader {
  /** @param columns by their places; of MySQL as its `create table` has them */
  readonly row: (table: string, columns: readonly string[], values: readonly DumpValue[]) => void;
  readonly table: (name: string) => void;
  /** Whether the rows of a table are read; others are passed over. */
  readonly wants: (table: string) => boolean;
}

const [NEW_LINE, TAB, SPACE, QUOTE, DOUBLE, BACKTICK, BACKSLASH, COMMA, OPEN, CLOSE, END] = [10, 9, 32, 39, 34, 96, 92, 44, 40, 41, 59];
const [DASH, SLASH, STAR] = [45, 47, 42];

/** What follows a backslash in a text of MySQL. Others stand for themselves. */
const ESCAPED = new Map([...'0bnrtZ'].map((letter, i) => [letter.charCodeAt(0), [0, 8, 10, 13, 9, 26][i]!]));
/** Those of a line of COPY. */
const COPY_ESCAPED = new Map([...'bfnrtv'].map((letter, i) => [letter.charCodeAt(0), [8, 12, 10, 13, 9, 11][i]!]));

/**
 * Reads a dump of mysqldump, mariadb-dump, phpMyAdmin or pg_dump, statement by statement. It is not a database: statements other
 * than `create table`, `insert` and `copy` are passed over.
 *
 * @throws ImportFault when it ends within a statement
 */
export const readDumpRows = (bytes: Buffer, reader: DumpReader): void => {
  const columnsOf = new Map<string, readonly string[]>();
  let at = 0;

  const isSpace = (code: number | undefined): boolean => code === SPACE || code === NEW_LINE || code === TAB || code === 13;
  const half = (): ImportFault =>
    new ImportFault(`It is half a dump: it ends within a statement, at byte ${bytes.length}. Make it again, and let it finish`);
  const skipLine = (): void => {
    const end = bytes.indexOf(NEW_LINE, at);
    at = end < 0 ? bytes.length : end + 1;
  };
  /** Past white space and comments. A conditional comment of MySQL (`/*!`) is one, too: what is read is in none. */
  const skipSpace = (): void => {
    for (;;) {
      if (isSpace(bytes[at])) at++;
      else if (bytes[at] === DASH && bytes[at + 1] === DASH) skipLine();
      else if (bytes[at] === 35) skipLine();
      else if (bytes[at] === SLASH && bytes[at + 1] === STAR) {
        const end = bytes.indexOf('*/', at + 2);
        if (end < 0) throw half();
        at = end + 2;
      } else return;
    }
  };
  /** Past the quoted text that begins here. */
  const skipQuoted = (quote: number): void => {
    for (at++; at < bytes.length; at++) {
      if (bytes[at] === BACKSLASH && quote === QUOTE) at++;
      else if (bytes[at] === quote) return void at++;
    }
    throw half();
  };
  const skipStatement = (): void => {
    while (at < bytes.length) {
      const code = bytes[at]!;
      if (code === END) return void at++;
      if (code === QUOTE || code === DOUBLE || code === BACKTICK) skipQuoted(code);
      else at++;
    }
    throw half();
  };
  /** The word here, in small letters, without going past it. */
  const peek = (length: number): string => bytes.toString('latin1', at, at + length).toLowerCase();
  /** `rv_acls`, in quotes of either kind, without its schema. */
  const readName = (): string => {
    skipSpace();
    let name = '';
    for (;;) {
      const quote = bytes[at];
      if (quote === BACKTICK || quote === DOUBLE) {
        const end = bytes.indexOf(quote, at + 1);
        if (end < 0) throw half();
        name = bytes.toString('utf8', at + 1, end);
        at = end + 1;
      } else {
        const from = at;
        while (at < bytes.length && /\w/.test(String.fromCharCode(bytes[at]!))) at++;
        name = bytes.toString('utf8', from, at);
      }
      if (bytes[at] !== 46) return name;
      at++;
    }
  };
  /** `(a, b)` */
  const readNames = (): readonly string[] => {
    const names: string[] = [];
    at++;
    for (;;) {
      names.push(readName());
      skipSpace();
      if (bytes[at] === undefined) throw half();
      if (bytes[at++] === CLOSE) return names;
    }
  };

  const readText = (): Buffer => {
    const from = ++at;
    const parts: Buffer[] = [];
    let plain = from;
    for (; at < bytes.length; at++) {
      const code = bytes[at];
      if (code === BACKSLASH) {
        parts.push(bytes.subarray(plain, at), Buffer.of(ESCAPED.get(bytes[at + 1]!) ?? bytes[at + 1] ?? 0));
        plain = ++at + 1;
      } else if (code === QUOTE) {
        parts.push(bytes.subarray(plain, at));
        if (bytes[at + 1] !== QUOTE) {
          at++;
          return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
        }
        plain = ++at;
      }
    }
    throw half();
  };
  const readValue = (): DumpValue => {
    skipSpace();
    if (peek(8) === '_binary ') {
      at += 8;
      skipSpace();
    }
    if (bytes[at] === QUOTE) return readText();
    const from = at;
    while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== CLOSE && !isSpace(bytes[at])) at++;
    const word = bytes.toString('latin1', from, at);
    if (/^null$/i.test(word)) return null;
    return /^0x([0-9a-f]{2})*$/i.test(word) ? Buffer.from(word.slice(2), 'hex') : Buffer.from(word);
  };

  const readInsert = (): void => {
    const table = readName();
    if (!reader.wants(table)) return skipStatement();
    skipSpace();
    const columns = bytes[at] === OPEN ? readNames() : (columnsOf.get(table) ?? []);
    skipSpace();
    if (peek(6) !== 'values') return skipStatement();
    at += 6;
    for (;;) {
      skipSpace();
      if (bytes[at] !== OPEN) throw half();
      const values: DumpValue[] = [];
      do {
        at++;
        values.push(readValue());
        skipSpace();
      } while (bytes[at] === COMMA);
      if (bytes[at] !== CLOSE) throw half();
      at++;
      reader.row(table, columns, values);
      skipSpace();
      if (bytes[at] === END) return void at++;
      if (bytes[at++] !== COMMA) throw half();
    }
  };

  const readCopy = (): void => {
    const table = readName();
    skipSpace();
    const columns = bytes[at] === OPEN ? readNames() : (columnsOf.get(table) ?? []);
    skipStatement();
    skipLine();
    for (;;) {
      const end = bytes.indexOf(NEW_LINE, at);
      if (end < 0) throw half();
      const line = bytes.subarray(at, end);
      at = end + 1;
      if (line.length === 2 && line[0] === BACKSLASH && line[1] === 46) return;
      if (reader.wants(table)) reader.row(table, columns, copyValues(line));
    }
  };

  const readCreate = (): void => {
    at += 'create table'.length;
    skipSpace();
    if (peek(13) === 'if not exists') at += 13;
    const table = readName();
    reader.table(table);
    const from = at;
    skipStatement();
    if (reader.wants(table)) columnsOf.set(table, columnsIn(bytes.toString('utf8', from, at)));
  };

  for (skipSpace(); at < bytes.length; skipSpace()) {
    const word = peek(12);
    if (word.startsWith('insert into ')) {
      at += 12;
      readInsert();
    } else if (word.startsWith('copy ')) {
      at += 5;
      readCopy();
    } else if (word === 'create table') readCreate();
    else if (bytes[at] === BACKSLASH) skipLine();
    else skipStatement();
  }
};

/** Values of a line of COPY. */
const copyValues = (line: Buffer): readonly DumpValue[] => {
  const values: DumpValue[] = [];
  for (let from = 0; from <= line.length;) {
    const tab = line.indexOf(TAB, from);
    const value = line.subarray(from, tab < 0 ? line.length : tab);
    values.push(value.length === 2 && value[0] === BACKSLASH && value[1] === 78 ? null : unescaped(value));
    if (tab < 0) break;
    from = tab + 1;
  }
  return values;
};

const unescaped = (value: Buffer): Buffer => {
  if (!value.includes(BACKSLASH)) return value;
  const bytes: number[] = [];
  for (let i = 0; i < value.length; i++) {
    if (value[i] === BACKSLASH && i + 1 < value.length) bytes.push(COPY_ESCAPED.get(value[++i]!) ?? value[i]!);
    else bytes.push(value[i]!);
  }
  return Buffer.from(bytes);
};

/** The columns that a `create table` has, one a line. */
const columnsIn = (text: string): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const [, quoted, plain] = /^\s*(?:[`"]([^`"]+)[`"]|(\w+))\s+\w/.exec(line) ?? [];
    return quoted ?? (plain !== undefined && !/^(primary|unique|key|constraint|index|fulltext|check)$/i.test(plain) ? plain : []);
  });
