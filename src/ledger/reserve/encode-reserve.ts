import type { NoBidReason } from '../../decision/no-bid-reason.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import type { Reservation, ReservedImp, ReserveRequest } from '../reservation.ts';
import { CANDIDATE_LUA, type EncodeCandidate } from './encode-candidate.ts';

const SETTINGS_FIELDS = ['tokenTtlMs', 'kp', 'ki', 'kd'] as const;
const REQUEST_FIELDS = ['expiresAtS', 'readsPlaces', 'hourStartMs', 'shareBefore', 'shareOfHour'] as const;

/** The generated part of reserve.lua. */
export const RESERVE_LUA: readonly string[] = [
  ...CANDIDATE_LUA,
  luaReader('settings_record', SETTINGS_FIELDS),
  luaReader('request_record', REQUEST_FIELDS),
];

/** The settings that all calls share: `ARGV[1]`. */
export const encodeReserveSettings = (settings: Readonly<Record<(typeof SETTINGS_FIELDS)[number], number>>): string =>
  encodeRow(SETTINGS_FIELDS, settings);

/** The keys of reserve.lua for one request. */
export const reserveKeys = (keys: LedgerKeys, { publisherId, userHash }: ReserveRequest): string[] => {
  const accounts = keys.accounts(publisherId);
  const shard = keys.shardOf(publisherId);
  return [
    accounts,
    userHash === null ? accounts : keys.places(publisherId, userHash),
    keys.serves(shard),
    keys.horizon(shard),
    keys.broken(shard),
  ];
};

/** One request: a line for the request, then a line for each impression with its candidates. */
export const encodeReserve = ({ expiresAtMs, userHash, curve, imps }: ReserveRequest, encodeCandidate: EncodeCandidate): string => {
  const request = encodeRow(REQUEST_FIELDS, {
    hourStartMs: curve.hourStartMs,
    shareBefore: curve.shareBefore,
    shareOfHour: curve.shareOfHour,
    expiresAtS: Math.ceil(expiresAtMs / 1000),
    // The user's places are read only when a candidate has a frequency cap.
    readsPlaces: userHash !== null && imps.some((candidates) => candidates.some(({ lineItem }) => lineItem.frequencyCap)),
  });
  // An impression without candidates still needs its line: ';' is an empty one.
  return `${request}\n${imps.map((candidates) => candidates.map(encodeCandidate).join(';') || ';').join('\n')}`;
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
