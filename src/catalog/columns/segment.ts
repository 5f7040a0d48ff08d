/**
 * The rows of one block of a catalog table in one piece of shared memory: a header, the numbers that
 * are no 32-bit integers, the cells of all rows by type (32-bit integers, bytes), each type row by
 * row, then the texts.
 *
 * A text is its length in bytes (LEB128) and its UTF-8. Numbers and texts are stored once each, and a
 * cell holds the position; 0 is null. Most limits of a line item are null or the same in many rows:
 * with doubles in the cells a line item took 40 bytes more.
 */
export interface Segment {
  readonly rows: number;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
  readonly u8: Uint8Array;
  readonly texts: Buffer;
  /** Decoded values by position (kinds.ts, `repeated`). */
  readonly repeated: Map<number, unknown>;
}

/** The cells of rows while they are written, in the order of the fields. */
export interface SegmentRows {
  readonly i32: number[];
  readonly u8: number[];
  /** Stores a text, each different one once, and returns its position. */
  text(value: string | null): number;
  /** Stores numbers side by side, the same ones once, and returns the position of the first. */
  numbers(...values: readonly number[]): number;
}

const HEADER_INTS = 4;

/** @param fill writes the rows and returns their number */
export const writeSegment = (fill: (rows: SegmentRows) => number): SharedArrayBuffer => {
  const numbers = [NaN];
  const knownNumbers = new Map<string, number>();
  const texts: Buffer[] = [Buffer.of(0)];
  const knownTexts = new Map<string, number>();
  let textBytes = 1;
  const rows: SegmentRows = {
    i32: [],
    u8: [],
    numbers: (...values) => {
      const key = values.join(' ');
      let at = knownNumbers.get(key);
      if (at === undefined) {
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
  const header = Int32Array.of(count, numbers.length, rows.i32.length, rows.u8.length);
  const parts = [header, Float64Array.from(numbers), Int32Array.from(rows.i32), Uint8Array.from(rows.u8), ...texts];
  const buffer = new SharedArrayBuffer(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  const into = new Uint8Array(buffer);
  let at = 0;
  for (const part of parts) {
    into.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  return buffer;
};

export const openSegment = (buffer: SharedArrayBuffer): Segment => {
  const [rows, doubles, integers, bytes] = new Int32Array(buffer, 0, HEADER_INTS) as unknown as readonly [number, number, number, number];
  const f64At = HEADER_INTS * Int32Array.BYTES_PER_ELEMENT;
  const i32At = f64At + doubles * Float64Array.BYTES_PER_ELEMENT;
  const u8At = i32At + integers * Int32Array.BYTES_PER_ELEMENT;
  return {
    rows,
    f64: new Float64Array(buffer, f64At, doubles),
    i32: new Int32Array(buffer, i32At, integers),
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
