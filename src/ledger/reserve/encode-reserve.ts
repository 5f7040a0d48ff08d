import { dayRuleText, UTC_DAYS } from '../../base/local-day.ts';
import { MS_PER_HOUR } from '../../base/utc-day.ts';
import type { TrafficCurve } from '../../catalog/snapshot/traffic-curve.ts';
import type { NoBidReason } from '../../decision/no-bid-reason.ts';
import type { Block, RankedCandidate } from '../../decision/ranked-candidate.ts';
import { encodeRow, luaConstants, luaReader } from '../../redis/script-fields.ts';
import { CLIENT_RULE } from '../client-rule.ts';
import type { LotRule } from '../allowances/lot-rule.ts';
import { callKeys, type CallScope, type ScriptCall } from '../call-keys.ts';
import { isCountedForCaps } from '../frequency-counters.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import type { Reservation, ReservationMoments, ReservedImp, ReserveRequest } from '../reservation.ts';
import { CANDIDATE_LUA, type EncodeCandidate } from './encode-candidate.ts';

const SETTINGS_FIELDS = ['tokenTtlMs', 'kp', 'ki', 'kd'] as const;

/** Where a moment lies in the publisher's day, as scripts read it. */
export const CURVE_FIELDS = ['hourStartMs', 'lengthMs', 'shareBefore', 'shareOfHour', 'days'] as const;
/** `page`: false, or a list: of the placements of the impressions, where ads may be kept for them. */
const REQUEST_FIELDS = ['publisher', 'expiresAtS', 'maxHoldMs', 'readsPlaces', 'page', ...CURVE_FIELDS] as const;

/** The record of CURVE_FIELDS. */
export const curveRecord = ({ hourStartMs, lengthMs = MS_PER_HOUR, shareBefore, shareOfHour, days = UTC_DAYS }: TrafficCurve) => ({
  ...{ hourStartMs, lengthMs, shareBefore, shareOfHour },
  days: dayRuleText(days),
});

/** The generated part of reserve.lua. */
export const reserveLua = (lotRule: LotRule): readonly string[] => [
  ...CANDIDATE_LUA,
  luaConstants('LOT_', { ...lotRule }),
  luaConstants('CLIENT_', CLIENT_RULE),
  luaReader('settings_record', SETTINGS_FIELDS),
  luaReader('request_record', REQUEST_FIELDS),
];

/** The settings that all calls share: `ARGV[1]`. */
export const encodeReserveSettings = (settings: Readonly<Record<(typeof SETTINGS_FIELDS)[number], number>>): string =>
  encodeRow(SETTINGS_FIELDS, settings);

/** The key of the user's places; undefined: they are not read, because no candidate counts for a frequency cap. */
const placesKeyOf = ({ publisherId, userHash, imps }: ReserveRequest, keys: LedgerKeys): string | undefined =>
  userHash !== null && imps.some((candidates) => candidates.some(isCountedForCaps)) ? keys.places(publisherId, userHash) : undefined;

/**
 * The call of reserve.lua.
 *
 * @param settings of encodeReserveSettings
 */
export const encodeReserve = (
  requests: readonly ReserveRequest[],
  { keys, settings, encodeCandidate }: { keys: LedgerKeys; settings: string; encodeCandidate: EncodeCandidate },
  scope: CallScope,
): ScriptCall => {
  const placesKeys = requests.map((request) => placesKeyOf(request, keys));
  const own: string[] = [];
  requests.forEach(({ publisherId, pageView }, i) => {
    if (placesKeys[i] !== undefined) own.push(placesKeys[i]);
    if (pageView !== undefined) own.push(keys.pageView(publisherId, pageView));
  });
  const call = callKeys(requests, (publisherId) => publisherKeys(keys, publisherId), own, scope);
  const args = [settings, call.scope, encodeClients(requests)];
  requests.forEach((request, i) => {
    const record = { publisher: call.positionOf(request.publisherId), readsPlaces: placesKeys[i] !== undefined };
    args.push(encodeRequest(request, record, encodeCandidate));
  });
  return { keys: call.keys, args };
};

const publisherKeys = (keys: LedgerKeys, publisherId: number): readonly string[] => {
  const shard = keys.shardOf(publisherId);
  return [keys.accounts(publisherId), keys.serves(shard), keys.horizon(shard), keys.broken(shard), keys.clients(publisherId)];
};

/** A request without a client. */
const NO_CLIENT = '-';

/** The clients of the requests, in their order; '' without any, the usual case. */
const encodeClients = (requests: readonly ReserveRequest[]): string =>
  requests.some(({ client }) => client !== undefined) ? requests.map(({ client = NO_CLIENT }) => client).join(' ') : '';

const NONE: readonly string[] = [];

/** A hold lives as long as its token. */
const NO_MAX = 0;

/** One request: a line for the request, then a line for each impression with its candidates. */
const encodeRequest = (
  { expiresAtMs, maxHoldMs = NO_MAX, curve, siblingsOf, pageView, placementIds = NONE, imps, wants }: ReserveRequest,
  { publisher, readsPlaces }: { readonly publisher: number; readonly readsPlaces: boolean },
  encodeCandidate: EncodeCandidate,
): string => {
  const head = encodeRow(REQUEST_FIELDS, {
    publisher,
    expiresAtS: Math.ceil(expiresAtMs / 1000),
    maxHoldMs,
    readsPlaces,
    page: pageView !== undefined && placementIds,
    ...curveRecord(curve),
  });
  const encodeOne = (candidate: RankedCandidate): string => {
    const wanted = wants?.get(candidate);
    const { id, budgetMicros, dailyBudgetMicros } = candidate.campaign;
    const { lineItem, campaign } = candidate;
    const scheduled = lineItem.pacing === 'ASAP' ? undefined : curve.scheduled?.(lineItem, campaign);
    const text = encodeCandidate(candidate, budgetMicros === null && dailyBudgetMicros === null ? undefined : siblingsOf?.(id), scheduled);
    return wanted ? `${wanted.lot} ${wanted.spare} ${text}` : text;
  };
  // An impression without candidates still needs its line: ';' is an empty one.
  return `${head}\n${imps.map((candidates) => candidates.map(encodeOne).join(';') || ';').join('\n')}`;
};

/** In place of a winner (block.lua): the ad of a roadblock that has won before; -3: one that is kept for this request. */
const BOUND = -2;
const NONE_REFUSED: readonly NoBidReason[] = [];

export const decodeReservation = (reply: string, { imps }: ReserveRequest): Reservation => {
  /** The ads of roadblocks that have won, by impression. */
  let bound: Map<number, RankedCandidate> | undefined;
  return {
    imps: reply.split('\n').map((line, i) => {
      const reserved = decodeImp(line, bound?.get(i));
      const block = imps[i]?.[reserved.winner]?.block;
      for (const ad of block?.bound ?? NO_ADS) (bound ??= new Map<number, RankedCandidate>()).set(ad.imp, ad.candidate);
      return reserved;
    }),
  };
};

const NO_ADS: Block['bound'] = [];

const decodeImp = (line: string, bound: RankedCandidate | undefined): ReservedImp => {
  const numbers = line.split(' ').map(Number);
  const winner = numbers[0]!;
  if (winner === -1) return { winner, moments: undefined, refused: numbers.slice(1) as NoBidReason[], granted: undefined };
  if (winner >= 0)
    return {
      winner,
      moments: momentsIn(numbers),
      granted: numbers[6] === 0 ? undefined : { lot: numbers[4]!, spare: numbers[5]!, redisMs: numbers[6]! },
      refused: numbers.slice(7) as NoBidReason[],
    };
  const ad = { winner: -1, moments: momentsIn(numbers), refused: NONE_REFUSED, granted: undefined };
  return winner === BOUND ? { ...ad, bound } : { ...ad, kept: { creativeId: numbers[4]!, priceMicros: numbers[5]! } };
};

const momentsIn = (numbers: readonly number[]): ReservationMoments => ({
  tokenExpS: numbers[1]!,
  holdEndMs: numbers[2]!,
  day: numbers[3]!,
});
