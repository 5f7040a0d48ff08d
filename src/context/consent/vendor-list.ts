import type { BitReader } from './bit-reader.ts';

/** A set of vendors in a consent string. It is searched, never expanded: one range may name 65,535 ids. */
export interface VendorList {
  has(vendorId: number): boolean;
}

/**
 * How ranges write ids: as 16 bits (IAB TCF v2, "RangeEntry"), or as the Fibonacci-coded distance from
 * the id before (IAB GPP, "Range (Fibonacci)").
 */
export type IdCoding = 'fixed' | 'fibonacci';

/** A vendor section: the largest id, then either a bit for each id or ranges of ids. */
export const readVendorList = (bits: BitReader, coding: IdCoding): VendorList => {
  const maxVendorId = bits.number(16);
  if (bits.number(1) === 1) return readRanges(bits, coding);
  const first = bits.at();
  bits.skip(maxVendorId);
  return { has: (id) => id >= 1 && id <= maxVendorId && bits.isSet(first + id - 1) };
};

/** Ranges without a head: a publisher restriction. */
export const readRanges = (bits: BitReader, coding: IdCoding): VendorList => {
  /** First and last id of each range. */
  const bounds: number[] = [];
  let before = 0;
  for (let count = bits.number(12); count > 0 && !bits.isPast(); count--) {
    const isRange = bits.number(1) === 1;
    const first = coding === 'fixed' ? bits.number(16) : before + bits.fibonacci();
    const last = isRange ? (coding === 'fixed' ? bits.number(16) : first + bits.fibonacci()) : first;
    bounds.push(first, last);
    before = last;
  }
  return { has: (id) => isWithin(bounds, id) };
};

const isWithin = (bounds: readonly number[], id: number): boolean => {
  for (let i = 0; i < bounds.length; i += 2) if (bounds[i]! <= id && id <= bounds[i + 1]!) return true;
  return false;
};
