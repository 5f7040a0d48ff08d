import { readFile } from 'node:fs/promises';
import ipaddr from 'ipaddr.js';
import { remembered } from '../base/recent-map.ts';

/** A list of address ranges. */
export interface AddressList {
  /** Number of ranges as listed; 0: the list is off. */
  readonly size: number;
  /** Whether the list has an address; from the cache in 0.05 µs, else in 1.5 µs. */
  has(address: string | null): boolean;
  /** Of a prefix such as `192.0.2.0/24`, how much the list has. */
  partOf(prefix: string): 'all' | 'some' | 'none';
}

export const NO_ADDRESSES: AddressList = { size: 0, has: () => false, partOf: () => 'none' };

const CACHED_ADDRESSES = 50_000;

/**
 * Reads DATACENTER_ADDRESSES: one range in CIDR notation or one address per line; `#` begins a
 * comment. Rejects with the file's name and the first lines that are neither, or when it has none.
 */
export const readAddressList = async (path: string): Promise<AddressList> => {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line, i) => ({ number: i + 1, text: line.replace(/#.*/, '').trim() }));
  const named = lines.filter(({ text }) => text !== '');
  const wrong = named.filter(({ text }) => rangeOf(text) === undefined);
  if (wrong.length > 0) {
    const shown = wrong.slice(0, 5).map(({ number, text }) => `line ${number}: ${text.slice(0, 50)}`);
    throw new Error(`the address list ${path} has ${wrong.length} lines that are not an address or a range (CIDR): ${shown.join('; ')}`);
  }
  if (named.length === 0) throw new Error(`the address list ${path} is empty`);
  return createAddressList(named.map(({ text }) => text));
};

/** @throws when an entry is not an address or a range in CIDR notation */
export const createAddressList = (entries: readonly string[]): AddressList => {
  const ranges = mergeRanges(
    entries.map((entry) => {
      const range = rangeOf(entry);
      if (!range) throw new Error(`${entry} is not an address or a range`);
      return range;
    }),
  );
  const partOfRange = ([first, last]: Range): 'all' | 'some' | 'none' => {
    // The first range that does not end before `first`.
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]![1] < first) low = middle + 1;
      else high = middle;
    }
    const found = ranges[low];
    if (!found || found[0] > last) return 'none';
    return found[0] <= first && last <= found[1] ? 'all' : 'some';
  };
  const partOf = (prefix: string): 'all' | 'some' | 'none' => {
    const range = rangeOf(prefix);
    return range === undefined ? 'none' : partOfRange(range);
  };
  const has = remembered(CACHED_ADDRESSES, (address) => partOf(address) === 'all');
  return { size: entries.length, has: (address) => address !== null && has(address), partOf };
};

/** First and last address, both included: the version of IP and all hexadecimal digits, which sort as text. */
type Range = readonly [first: string, last: string];

const rangeOf = (entry: string): Range | undefined => {
  const [text = '', lengthText, ...rest] = entry.split('/');
  if (rest.length > 0 || !ipaddr.isValid(text) || (ipaddr.IPv4.isValid(text) && !ipaddr.IPv4.isValidFourPartDecimal(text)))
    return undefined;
  const address = ipaddr.parse(text);
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  if (lengthText !== undefined && !/^\d{1,3}$/.test(lengthText)) return undefined;
  const length = lengthText === undefined ? bits : Number(lengthText);
  if (length > bits) return undefined;
  const first = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`);
  const size = 1n << BigInt(bits - length);
  const base = first - (first % size);
  const textOf = (number: bigint): string => (bits === 32 ? '4' : '6') + number.toString(16).padStart(bits / 4, '0');
  return [textOf(base), textOf(base + size - 1n)];
};

/** Sorted, and without overlaps. */
const mergeRanges = (ranges: readonly Range[]): readonly Range[] => {
  const merged: Range[] = [];
  for (const range of ranges.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const before = merged.at(-1);
    if (before && range[0] <= before[1]) merged[merged.length - 1] = [before[0], before[1] > range[1] ? before[1] : range[1]];
    else merged.push(range);
  }
  return merged;
};
