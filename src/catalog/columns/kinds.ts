import type { Schema } from '../../base/schema.ts';
import type { Field, KindName, KindValues } from '../entities/field.ts';
import { textAt, type Segment, type SegmentRows } from './segment.ts';

/** An entity as a view: its fields are read from a segment when they are used. */
export interface View {
  readonly segment: Segment;
  readonly row: number;
}

/** Cells of a row, or the position of a field's first cells in it. */
export interface Cells {
  readonly i32: number;
  readonly u16: number;
  readonly u8: number;
}

/** How the value of a field is stored in the cells of a row, and read from them. */
export interface Kind<T> {
  readonly cells: Cells;
  write(rows: SegmentRows, value: T): void;
  /**
   * A getter of the view's class. Each kind has a function of its own, so that V8 compiles it for
   * the one type of array that it reads.
   *
   * @param at the field's first cells in a row
   * @param width the cells of a whole row
   */
  getter(at: Cells, width: Cells): (this: View) => T;
}

/** A kind for each member. */
export type Kinds<E> = { readonly [K in keyof E]: Kind<E[K]> };

export const NO_CELLS: Cells = { i32: 0, u16: 0, u8: 0 };
const I32: Cells = { ...NO_CELLS, i32: 1 };
export const U16: Cells = { ...NO_CELLS, u16: 1 };
const U8: Cells = { ...NO_CELLS, u8: 1 };

/** null as a 32-bit integer: no id, size or number of places is negative. */
const NULL = -0x80000000;
/** null as an integer of 16 bits. */
const SMALL_NULL = 0xffff;

export const integer: Kind<number> = {
  cells: I32,
  write: (rows, value) => rows.i32.push(value),
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      return this.segment.i32[this.row * width + at]!;
    },
};

export const integerOrNull: Kind<number | null> = {
  cells: I32,
  write: (rows, value) => rows.i32.push(value ?? NULL),
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      const value = this.segment.i32[this.row * width + at]!;
      return value === NULL ? null : value;
    },
};

/** An integer from 0 to 65,534. */
const small: Kind<number> = {
  cells: U16,
  write: (rows, value) => rows.u16.push(value),
  getter: ({ u16: at }, { u16: width }) =>
    function () {
      return this.segment.u16[this.row * width + at]!;
    },
};

const smallOrNull: Kind<number | null> = {
  cells: U16,
  write: (rows, value) => rows.u16.push(value ?? SMALL_NULL),
  getter: ({ u16: at }, { u16: width }) =>
    function () {
      const value = this.segment.u16[this.row * width + at]!;
      return value === SMALL_NULL ? null : value;
    },
};

/** A double. */
export const number: Kind<number> = {
  cells: U16,
  write: (rows, value) => rows.u16.push(rows.numbers(value)),
  getter: ({ u16: at }, { u16: width }) =>
    function () {
      const { f64, u16 } = this.segment;
      return f64[u16[this.row * width + at]!]!;
    },
};

export const numberOrNull: Kind<number | null> = {
  cells: U16,
  write: (rows, value) => rows.u16.push(value === null ? 0 : rows.numbers(value)),
  getter: ({ u16: at }, { u16: width }) =>
    function () {
      const { f64, u16 } = this.segment;
      const position = u16[this.row * width + at]!;
      return position === 0 ? null : f64[position]!;
    },
};

/** An object of two numbers, or null. `make` is a literal of its own, which V8 allocates fastest. */
export const numberPairOrNull = <T extends object>(
  numbers: (value: T) => readonly [number, number],
  make: (first: number, second: number) => T,
): Kind<T | null> => ({
  cells: U16,
  write: (rows, value) => rows.u16.push(value === null ? 0 : rows.numbers(...numbers(value))),
  getter: ({ u16: at }, { u16: width }) =>
    function () {
      const { f64, u16 } = this.segment;
      const position = u16[this.row * width + at]!;
      return position === 0 ? null : make(f64[position]!, f64[position + 1]!);
    },
});

export const flag: Kind<boolean> = {
  cells: U8,
  write: (rows, value) => rows.u8.push(value ? 1 : 0),
  getter: ({ u8: at }, { u8: width }) =>
    function () {
      return this.segment.u8[this.row * width + at] === 1;
    },
};

/** One of a fixed list of values, by its position. */
export const oneOf = <T>(values: readonly T[]): Kind<T> => ({
  cells: U8,
  write: (rows, value) => rows.u8.push(values.indexOf(value)),
  getter: ({ u8: at }, { u8: width }) =>
    function () {
      return values[this.segment.u8[this.row * width + at]!]!;
    },
});

export const text: Kind<string> = {
  cells: I32,
  write: (rows, value) => rows.i32.push(rows.text(value)),
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      return textAt(this.segment, this.segment.i32[this.row * width + at]!) ?? '';
    },
};

/** A JSON value that many rows of a block have: each different one is stored and decoded once. */
export const repeated = <T>(): Kind<T> => ({
  cells: I32,
  write: (rows, value) => rows.i32.push(rows.text(JSON.stringify(value))),
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      const { segment } = this;
      const position = segment.i32[this.row * width + at]!;
      let decoded = segment.repeated.get(position);
      if (decoded === undefined) segment.repeated.set(position, (decoded = JSON.parse(textAt(segment, position) ?? 'null') as unknown));
      return decoded as T;
    },
});

/** The same of a list that most rows have nothing in. */
export const repeatedList = <T>(none: readonly T[]): Kind<readonly T[]> => {
  const { cells, getter, write } = repeated<readonly T[]>();
  return {
    cells,
    write: (rows, value) => (value.length === 0 ? rows.i32.push(0) : write(rows, value)),
    getter: (at, width) => {
      const some = getter(at, width);
      return function () {
        return this.segment.i32[this.row * width.i32 + at.i32] === 0 ? none : some.call(this);
      };
    },
  };
};

export const textOrNull: Kind<string | null> = {
  cells: I32,
  write: (rows, value) => rows.i32.push(rows.text(value)),
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      return textAt(this.segment, this.segment.i32[this.row * width + at]!);
    },
};

/** Any JSON value, as its text. `revive` makes the value from what was parsed, `plain` reverses it. */
export const json = <T, J = T>(
  plain: (value: T) => J = (value) => value as unknown as J,
  revive: (stored: J) => T = (stored) => stored as unknown as T,
): Kind<T> => ({
  cells: I32,
  write: (rows, value) => rows.i32.push(rows.text(JSON.stringify(plain(value)))),
  getter: ({ i32: at }, { i32: width }) =>
    function () {
      return revive(JSON.parse(textAt(this.segment, this.segment.i32[this.row * width + at]!) ?? 'null') as J);
    },
});

const KINDS: { readonly [Name in Exclude<KindName, 'oneOf'>]: Kind<KindValues[Name]> } = {
  ...{ id: integer, owner: integer, integer, integerOrNull, number, numberOrNull, flag, text, textOrNull },
  ...{ json: json(), repeated: repeated() },
};

/** The kind of the column of a field. An integer that its schema keeps small takes half the room. */
export const kindOf = ({ schema, stored }: Pick<Field, 'schema' | 'stored'>, name: KindName): Kind<unknown> => {
  if (name === 'oneOf') return oneOf<unknown>(schema['enum'] as readonly unknown[]);
  if (stored === undefined && isSmall(schema)) {
    if (name === 'integer') return small;
    if (name === 'integerOrNull') return smallOrNull;
  }
  return KINDS[name];
};

const isSmall = ({ minimum, maximum }: Schema): boolean => Number(minimum) >= 0 && Number(maximum) < SMALL_NULL;
