/** The typed arrays that one buffer holds, by name, in this order. */
export type ArrayTypes = Readonly<Record<string, Float64ArrayConstructor | Int32ArrayConstructor | Uint16ArrayConstructor>>;
export type ArraysOf<T extends ArrayTypes> = { readonly [name in keyof T]: ArrayOf<T[name]> };
type ArrayOf<C> = C extends Float64ArrayConstructor ? Float64Array : C extends Int32ArrayConstructor ? Int32Array : Uint16Array;

const ALIGNMENT_BYTES = 8;
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES;

/** The arrays in one buffer, which can be transferred to another thread: their lengths, then their items. */
export const packArrays = <T extends ArrayTypes>(types: T, arrays: ArraysOf<T>): ArrayBuffer => {
  const names = Object.keys(types) as (keyof T & string)[];
  const start = aligned(names.length * Int32Array.BYTES_PER_ELEMENT);
  const buffer = new ArrayBuffer(names.reduce((sum, name) => sum + aligned(arrays[name].byteLength), start));
  new Int32Array(buffer).set(names.map((name) => arrays[name].length));
  const into = new Uint8Array(buffer);
  let at = start;
  for (const name of names) {
    const { buffer: from, byteOffset, byteLength } = arrays[name];
    into.set(new Uint8Array(from, byteOffset, byteLength), at);
    at += aligned(byteLength);
  }
  return buffer;
};

export const unpackArrays = <T extends ArrayTypes>(types: T, buffer: ArrayBuffer): ArraysOf<T> => {
  const names = Object.keys(types);
  const lengths = new Int32Array(buffer, 0, names.length);
  let at = aligned(lengths.byteLength);
  const entries = names.map((name, i) => {
    const type = types[name] as new (buffer: ArrayBuffer, at: number, length: number) => Float64Array | Int32Array | Uint16Array;
    const array = new type(buffer, at, lengths[i]!);
    at += aligned(array.byteLength);
    return [name, array];
  });
  return Object.fromEntries(entries) as ArraysOf<T>;
};
