import { createTargetingIndex, TARGETING_ARRAYS } from '../../targeting/targeting-index.ts';
import { unpackArrays } from '../../base/packed-arrays.ts';
import type { Entities } from '../columns/entities.ts';
import type { Booking, Campaign, Creative, LineItem } from '../model/entities.ts';
import type { Bookings, Candidate, CandidateIndex, Roadblocks, Voice } from './snapshot.ts';

/** The arrays of a candidate index, in rank order. */
export const CANDIDATE_ARRAYS = {
  ecpmMicros: Float64Array,
  creativeIds: Int32Array,
  tieEnd: Int32Array,
  /** Empty: all weights are 1. */
  weights: Float64Array,
  /** Empty with the weights. */
  shares: Float64Array,
  /** Empty: no line item has a goal of clicks. */
  clickRates: Float64Array,
  /** What creatives have delivered. Empty: no rotation is optimised. */
  impressions: Float64Array,
  clicks: Float64Array,
  /** Line item, share of voice and position of each candidate with a share. Empty: none has one. */
  voices: Float64Array,
  /** Line item and position of each candidate of a roadblock. Empty: there is none. */
  roadblocks: Int32Array,
  /** The step of each candidate in its sequence, and how many it has; 0: it is of none. Empty: none is. */
  turns: Int32Array,
  ...TARGETING_ARRAYS,
} as const;

/** The ranking of a slot. It does not change with the other fields of its candidates. */
export type Ranks = Readonly<ReturnType<typeof openRanks>>;

export const openRanks = (buffer: ArrayBuffer) => {
  const { ecpmMicros, creativeIds, tieEnd, weights, shares, clickRates, impressions, clicks, voices, roadblocks, turns, ...tables } =
    unpackArrays(CANDIDATE_ARRAYS, buffer);
  return {
    ecpmMicros,
    creativeIds,
    tieEnd,
    weights: unlessEmpty(weights),
    shares: unlessEmpty(shares),
    clickRates: unlessEmpty(clickRates),
    impressions: unlessEmpty(impressions),
    clicks: unlessEmpty(clicks),
    voices: voices.length > 0 ? voicesIn(voices) : undefined,
    roadblocks: roadblocks.length > 0 ? roadblocksIn(roadblocks) : undefined,
    turns: unlessEmpty(turns),
    targeting: createTargetingIndex(tables),
  };
};

const INTS_A_VOICE = 3;

/** By line item, in the order of their ids. */
const voicesIn = (numbers: Float64Array): readonly Voice[] => {
  const voices = new Map<number, { lineItemId: number; percent: number; positions: number[] }>();
  for (let i = 0; i < numbers.length; i += INTS_A_VOICE) {
    const [lineItemId, percent, position] = numbers.subarray(i, i + INTS_A_VOICE) as unknown as readonly [number, number, number];
    const known = voices.get(lineItemId);
    if (known) known.positions.push(position);
    else voices.set(lineItemId, { lineItemId, percent, positions: [position] });
  }
  return [...voices.values()].sort((a, b) => a.lineItemId - b.lineItemId);
};

/** The positions of each line item. */
const roadblocksIn = (numbers: Int32Array): Roadblocks => {
  const roadblocks = new Map<number, number[]>();
  for (let i = 0; i < numbers.length; i += 2) {
    const [lineItemId, position] = [numbers[i]!, numbers[i + 1]!];
    const known = roadblocks.get(lineItemId);
    if (known) known.push(position);
    else roadblocks.set(lineItemId, [position]);
  }
  return roadblocks;
};

const unlessEmpty = <A extends Float64Array | Int32Array>(numbers: A): A | undefined => (numbers.length > 0 ? numbers : undefined);

/** The tables that a booking is put together from. */
export interface BookingTables {
  readonly creatives: Entities<Creative>;
  readonly lineItems: Entities<LineItem>;
  readonly campaigns: Entities<Campaign>;
}

const bookingOf = ({ creatives, lineItems, campaigns }: BookingTables, creativeId: number): Booking => {
  const creative = creatives.get(creativeId)!;
  const lineItem = lineItems.get(creative.lineItemId)!;
  return { creative, lineItem, campaign: campaigns.get(lineItem.campaignId)! };
};

/** Bookings by the ids of their creatives. */
export const bookingsOf = (tables: BookingTables, creativeIds: Int32Array): Bookings => ({
  size: creativeIds.length,
  find: (creativeId) => (creativeIds.includes(creativeId) ? bookingOf(tables, creativeId) : undefined),
  *[Symbol.iterator]() {
    for (let i = 0; i < creativeIds.length; i++) yield bookingOf(tables, creativeIds[i]!);
  },
});

/**
 * Candidates of one index that are kept between requests, by the low bits of their positions: the
 * best ranked, which most requests read, and what is prepared for them by identity.
 */
const KEPT = 512;

export const candidateIndex = (tables: BookingTables, ranks: Ranks): CandidateIndex => {
  const { ecpmMicros, creativeIds, tieEnd, weights, shares, clickRates, impressions, clicks, voices, roadblocks, turns, targeting } = ranks;
  const size = creativeIds.length;
  const kept: (Candidate | undefined)[] = [];
  const keptPosition = new Int32Array(Math.min(KEPT, size)).fill(-1);

  const make = (position: number): Candidate => {
    const { creative, lineItem, campaign } = bookingOf(tables, creativeIds[position]!);
    return {
      creative,
      lineItem,
      campaign,
      ecpmMicros: ecpmMicros[position]!,
      clickRate: clickRates?.[position] ?? 0,
      turn: turns?.[2 * position + 1] ? { step: turns[2 * position]!, steps: turns[2 * position + 1]! } : undefined,
      counts:
        impressions && clicks && lineItem.rotation === 'optimised'
          ? { impressions: impressions[position]!, clicks: clicks[position]! }
          : undefined,
    };
  };
  return {
    size,
    tieEnd,
    weights,
    shares,
    voices,
    roadblocks,
    targeting,
    at: (position) => {
      const place = position & (KEPT - 1);
      if (keptPosition[place] !== position) {
        kept[place] = make(position);
        keptPosition[place] = position;
      }
      return kept[place]!;
    },
    peek: (position) => {
      const place = position & (KEPT - 1);
      return keptPosition[place] === position ? kept[place]! : make(position);
    },
    priceOf: (creativeId) => {
      const position = creativeIds.indexOf(creativeId);
      return position < 0 ? undefined : { ecpmMicros: ecpmMicros[position]!, clickRate: clickRates?.[position] ?? 0 };
    },
    find: (creativeId) => {
      const position = creativeIds.indexOf(creativeId);
      return position < 0 ? undefined : make(position);
    },
    *[Symbol.iterator]() {
      for (let position = 0; position < size; position++) yield make(position);
    },
  };
};
