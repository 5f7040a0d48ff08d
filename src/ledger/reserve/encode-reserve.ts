import type { NoBidReason } from '../../decision/no-bid-reason.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { callKeys } from '../call-keys.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import type { Reservation, ReservedImp, ReserveRequest } from '../reservation.ts';
import { CANDIDATE_LUA, type EncodeCandidate } from './encode-candidate.ts';

const SETTINGS_FIELDS = ['tokenTtlMs', 'kp', 'ki', 'kd'] as const;
const REQUEST_FIELDS = ['publisher', 'expiresAtS', 'readsPlaces', 'hourStartMs', 'shareBefore', 'shareOfHour'] as const;

/** The generated part of reserve.lua. */
export const RESERVE_LUA: readonly string[] = [
  ...CANDIDATE_LUA,
  luaReader('settings_record', SETTINGS_FIELDS),
  luaReader('request_record', REQUEST_FIELDS),
];

/** The settings that all calls share: `ARGV[1]`. */
export const encodeReserveSettings = (settings: Readonly<Record<(typeof SETTINGS_FIELDS)[number], number>>): string =>
  encodeRow(SETTINGS_FIELDS, settings);

// The user's places are read only when a candidate has a frequency cap.
const readsPlaces = ({ userHash, imps }: ReserveRequest): boolean =>
  userHash !== null && imps.some((candidates) => candidates.some(({ lineItem }) => lineItem.frequencyCap));

/** `KEYS` and `ARGV` of reserve.lua. */
export interface ReserveCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** @param settings of encodeReserveSettings */
export const encodeReserve = (
  requests: readonly ReserveRequest[],
  { keys, settings, encodeCandidate }: { keys: LedgerKeys; settings: string; encodeCandidate: EncodeCandidate },
): ReserveCall => {
  const places: string[] = [];
  for (const request of requests) if (readsPlaces(request)) places.push(keys.places(request.publisherId, request.userHash!));
  const call = callKeys(requests, (publisherId) => publisherKeys(keys, publisherId), places);
  const args = [settings, String(call.publishers)];
  for (const request of requests) args.push(encodeRequest(request, call.positionOf(request.publisherId), encodeCandidate));
  return { keys: call.keys, args };
};

const publisherKeys = (keys: LedgerKeys, publisherId: number): readonly string[] => {
  const shard = keys.shardOf(publisherId);
  return [keys.accounts(publisherId), keys.serves(shard), keys.horizon(shard), keys.broken(shard)];
};

/** One request: a line for the request, then a line for each impression with its candidates. */
const encodeRequest = (request: ReserveRequest, publisher: number, encodeCandidate: EncodeCandidate): string => {
  const { expiresAtMs, curve, imps } = request;
  const head = encodeRow(REQUEST_FIELDS, {
    publisher,
    expiresAtS: Math.ceil(expiresAtMs / 1000),
    readsPlaces: readsPlaces(request),
    hourStartMs: curve.hourStartMs,
    shareBefore: curve.shareBefore,
    shareOfHour: curve.shareOfHour,
  });
  // An impression without candidates still needs its line: ';' is an empty one.
  return `${head}\n${imps.map((candidates) => candidates.map(encodeCandidate).join(';') || ';').join('\n')}`;
};

export const decodeReservation = (reply: string): Reservation => ({ imps: reply.split('\n').map(decodeImp) });

const decodeImp = (line: string): ReservedImp => {
  const numbers = line.split(' ').map(Number);
  const winner = numbers[0]!;
  return winner < 0
    ? { winner, moments: undefined, refused: numbers.slice(1) as NoBidReason[] }
    : {
        winner,
        moments: { tokenExpS: numbers[1]!, holdEndMs: numbers[2]!, day: numbers[3]! },
        refused: numbers.slice(4) as NoBidReason[],
      };
};
