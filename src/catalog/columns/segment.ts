/**
 * The rows of one block of a catalog table in one piece of shared memory: a header, the numbers that
 * are no 32-bit integers, the cells of all rows by type (integers of 32, 16 and 8 bits), each type row
 * by row, then the texts.
 *
 * A text is its length in bytes (LEB128) and its UTF-8. Numbers and texts are stored once each, and a
 * cell holds the position, of 16 bits for a number; 0 is null. Most limits of a line item are null or
 * the same in many rows: with doubles in the cells a line item took 40 bytes more than with positions
 * of 32 bits.
 */
export interface Segment {
  readonly rows: number;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  readonly u16: Uint16Array;
  readonly u8: Uint8Array;
  readonly texts: Buffer;
  /** Decoded values by position (kinds.ts, `repeated`). */
  readonly repeated: Map<number, unknown>;
}

/** The cells of rows while they are written, in the order of the fields. */
export interface SegmentRows {
  readonly i32: number[];
  readonly u16: number[];
  readonly u8: number[];
  /** Stores a text, each different one once, and returns its position. */
  text(value: string | null): number;
  /**
   * Stores numbers side by side, the same ones once, and returns the position of the first.
   *
   * @throws {RangeError} beyond 65,535, which a block of 256 rows reaches with 256 numbers in each
   */
  numbers(...values: readonly number[]): number;
}

/** Five are used; doubles begin at a multiple of eight bytes. */
const HEADER_INTS = 6;
const MAX_POSITION = 0xffff;

/** @param fill writes the rows and returns their number */
export const writeSegment = (fill: (rows: SegmentRows) => number): SharedArrayBuffer => {
  const numbers = [NaN];
  const knownNumbers = new Map<string, number>();
  const texts: Buffer[] = [Buffer.of(0)];
  const knownTexts = new Map<string, number>();
  let textBytes = 1;
  const rows: SegmentRows = {
    i32: [],
    u16: [],
    u8: [],
    numbers: (...values) => {
      const key = values.join(' ');
      let at = knownNumbers.get(key);
      if (at === undefined) {
        if (numbers.length > MAX_POSITION) throw new RangeError('a block has more different numbers than its cells can name');
        knownNumbers.set(key, (at = numbers.length));
        numbers.push(...values);
      }
      return at;
    },
    text: (value) => {
      if (value === null) return 0;
      let at = knownTexts.get(value);
      if (at === undefined) {
        knownTexts.set(value, (at = textBytes));
        const bytes = Buffer.from(value);
        const length = leb128(bytes.length);
        texts.push(length, bytes);
        textBytes += length.length + bytes.length;
      }
      return at;
    },
  };
  const count = fill(rows);
  const header = Int32Array.of(count, numbers.length, rows.i32.length, rows.u16.length, rows.u8.length, 0);
  const cells = [Int32Array.from(rows.i32), Uint16Array.from(rows.u16), Uint8Array.from(rows.u8)];
  const parts = [header, Float64Array.from(numbers), ...cells, ...texts];
  const buffer = new SharedArrayBuffer(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  const into = new Uint8Array(buffer);
  let at = 0;
  for (const part of parts) {
    into.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return buffer;
};

type Header = readonly [rows: number, doubles: number, integers: number, shorts: number, bytes: number];

export const openSegment = (buffer: SharedArrayBuffer): Segment => {
  const [rows, doubles, integers, shorts, bytes] = new Int32Array(buffer, 0, HEADER_INTS) as unknown as Header;
  const f64At = HEADER_INTS * Int32Array.BYTES_PER_ELEMENT;
  const i32At = f64At + doubles * Float64Array.BYTES_PER_ELEMENT;
  const u16At = i32At + integers * Int32Array.BYTES_PER_ELEMENT;
  const u8At = u16At + shorts * Uint16Array.BYTES_PER_ELEMENT;
  return {
    rows,
    f64: new Float64Array(buffer, f64At, doubles),
    i32: new Int32Array(buffer, i32At, integers),
    u16: new Uint16Array(buffer, u16At, shorts),
    u8: new Uint8Array(buffer, u8At, bytes),
    texts: Buffer.from(buffer, u8At + bytes),
    repeated: new Map(),
  };
};

/** The text at a position that `SegmentRows.text` returned. */
export const textAt = ({ texts }: Segment, position: number): string | null => {
  if (position === 0) return null;
  let at = position;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = texts[at++]!;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) return texts.toString('utf8', at, at + length);
  }
};

const leb128 = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.of(...bytes, rest);
};
