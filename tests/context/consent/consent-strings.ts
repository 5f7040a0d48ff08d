import { TcfCaV1 } from '@iabgpp/cmpapi';
import { Base64Url } from '@iabtcf/core';

export const bits = (value: number, width: number): string => value.toString(2).padStart(width, '0');

const flags = (set: readonly number[], width: number): string =>
  Array.from({ length: width }, (_, i) => (set.includes(i + 1) ? '1' : '0')).join('');

/** A vendor section with ranges, or with a bit for each vendor. */
export const vendors = (ids: readonly number[], form: 'bits' | 'ranges' = 'bits'): string => {
  const max = Math.max(0, ...ids);
  return form === 'bits'
    ? bits(max, 16) + '0' + flags(ids, max)
    : bits(max, 16) +
        '1' +
        bits(ids.length, 12) +
        ids.map((id, i) => (i % 2 ? '0' + bits(id, 16) : '1' + bits(id, 16) + bits(id, 16))).join('');
};

export interface TcfParts {
  readonly version?: number;
  /** When it was last updated. */
  readonly at?: string;
  readonly purposes?: readonly number[];
  readonly legitimate?: readonly number[];
  readonly vendors?: string;
  readonly legitimateVendors?: string;
  /** `[purpose, type, vendor]` each. */
  readonly restrictions?: readonly (readonly [number, number, number])[];
  /** Vendors of the segment DisclosedVendors. */
  readonly disclosed?: readonly number[];
  /** The publisher segment. */
  readonly publisher?: { readonly purposes: readonly number[]; readonly legitimate?: readonly number[] };
}

/** A TCF string as a consent platform writes it: the fields of the TCF v2 format in order. */
export const tcfString = ({ version = 2, at = '2026-01-15', purposes = [], legitimate = [], ...parts }: TcfParts): string => {
  const time = bits(Date.parse(at) / 100, 36);
  const core = [
    bits(version, 6),
    time,
    time,
    bits(31, 12),
    bits(1, 12),
    bits(0, 6),
    bits(0b000100_001101, 12),
    bits(100, 12),
    bits(5, 6),
    '00',
    bits(0, 12),
    flags(purposes, 24),
    flags(legitimate, 24),
    '0',
    bits(0b000100_001101, 12),
    parts.vendors ?? vendors([2, 4]),
    parts.legitimateVendors ?? vendors([]),
    bits(parts.restrictions?.length ?? 0, 12),
    ...(parts.restrictions ?? []).map(([purpose, type, vendor]) => bits(purpose, 6) + bits(type, 2) + bits(1, 12) + '0' + bits(vendor, 16)),
  ].join('');
  const segments = [
    core,
    ...(parts.disclosed ? [bits(1, 3) + vendors(parts.disclosed)] : []),
    ...(parts.publisher
      ? [bits(3, 3) + flags(parts.publisher.purposes, 24) + flags(parts.publisher.legitimate ?? [], 24) + bits(0, 6)]
      : []),
  ];
  return segments.map((segment) => Base64Url.encode(segment)).join('.');
};

/** The TCF string for Canada, with express consent to purposes and of one vendor. */
export const canadianString = (purposes: readonly number[], vendor: number): string => {
  const flagsOf = Array.from({ length: 24 }, (_, i) => purposes.includes(i + 1));
  const section = new TcfCaV1();
  section.setFieldValue('PurposesExpressConsent', flagsOf);
  section.setFieldValue('PubPurposesExpressConsent', flagsOf);
  section.setFieldValue('VendorExpressConsent', [vendor]);
  return section.encode();
};

/** A number as the sum of Fibonacci numbers 1, 2, 3, 5, …, with a bit for each of them and one more at the end. */
const fibonacci = (number: number): string => {
  const weights = [1, 2];
  while (weights.at(-1)! <= number) weights.push(weights.at(-1)! + weights.at(-2)!);
  let rest = number;
  const set = weights.toReversed().map((weight) => {
    const isSet = weight <= rest;
    if (isSet) rest -= weight;
    return isSet ? '1' : '0';
  });
  return `${set.toReversed().join('').replace(/0+$/, '')}1`;
};

/** A GPP string: its header, which names the sections by the distance from the one before, and their texts. */
export const gppString = (texts: Readonly<Record<number, string>>): string => {
  const ids = Object.keys(texts).map(Number);
  const entries = ids.map((id, i) => `0${fibonacci(id - (ids[i - 1] ?? 0))}`);
  return [Base64Url.encode([bits(3, 6), bits(1, 6), bits(ids.length, 12), ...entries].join('')), ...Object.values(texts)].join('~');
};
