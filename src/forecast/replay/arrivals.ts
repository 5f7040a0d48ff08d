import type { SampledRequest } from '../sample/sampled-request.ts';

/** A request of the sample that comes again. */
export interface Arrival {
  readonly request: SampledRequest;
  readonly atMs: number;
  /** Of several visitors like the sampled one, each has another number. */
  readonly copy: number;
  /** 32 bits by which its numbers are drawn: the same in each replay of these days. */
  readonly seed: number;
}

export interface ArrivalOptions {
  /** Of the day that comes again, in the order of time. */
  readonly requests: readonly SampledRequest[];
  /** From that day to this one. */
  readonly shiftMs: number;
  /** How many requests of the replay a sampled request becomes, on average: whole visitors come again, or none. */
  readonly copies: (request: SampledRequest) => number;
}

/** Visitors that come again together come within this time. */
const APART_MS = 60_000;

/** The requests of a day, in the order of time. */
export const arrivalsOf = ({ requests, shiftMs, copies }: ArrivalOptions): readonly Arrival[] => {
  const arrivals: Arrival[] = [];
  let isSorted = true;
  for (const request of requests) {
    const wanted = copies(request);
    const own = hashOf(request.visitor, 0);
    const shiftedMs = request.atMs + shiftMs;
    for (let copy = 0; copy < wanted; copy++) {
      const part = Math.min(wanted - copy, 1);
      const seed = hashOf(request.placements[0] ?? '', own ^ Math.imul(copy + 1, 0x9e3779b1) ^ (shiftedMs % 2 ** 32));
      // One who may not be measured comes by chance, a visitor with all requests or with none.
      if (part < 1 && (request.visitor === '' ? seed / 2 ** 32 : drawOf(request.visitor, copy)) >= part) continue;
      if (copy > 0) isSorted = false;
      const atMs = copy === 0 ? shiftedMs : shiftedMs + Math.floor(APART_MS * drawOf(request.visitor, copy + 1));
      arrivals.push({ request, copy, atMs, seed });
    }
  }
  return isSorted ? arrivals : arrivals.sort((a, b) => a.atMs - b.atMs);
};

/** A number in [0, 1) that is the same for each request of a visitor. */
const drawOf = (visitor: string, copy: number): number => hashOf(visitor, copy) / 2 ** 32;

const hashOf = (text: string, salt: number): number => {
  let hash = 0x811c9dc5 ^ salt;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
};
