import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { callKeys, type CallScope, type ScriptCall } from '../call-keys.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import { winnerOf, type Reservation, type ReservationMoments, type ReserveRequest, type WantedLots } from '../reservation.ts';
import { CANDIDATE_LUA, type EncodeCandidate } from '../reserve/encode-candidate.ts';

/** What became of ads that a replica had reserved as a lot. */
export interface LotReport {
  readonly publisherId: number;
  /** With the price at which they are held. */
  readonly candidate: RankedCandidate;
  /** When the publisher's accounts expire, epoch ms. */
  readonly expiresAtMs: number;
  /** The publisher's day of the reservation. */
  readonly day: number;
  /** Of the hold that `returned` ads are taken out of. */
  readonly holdEndMs: number;
  readonly returned: number;
  /** Pacing gave permits for them. */
  readonly isPaced: boolean;
  /** Ads of this creative that were handed out; negative: that Redis has counted as served and were not. */
  readonly served: number;
}

/** Returns lots that a call has granted. `served`: as in LotReport. */
export const returnLots = (
  { publisherId, expiresAtMs }: ReserveRequest,
  candidate: RankedCandidate,
  { day, holdEndMs, lot, spare }: WantedLots & ReservationMoments,
  served = 0,
): readonly LotReport[] => {
  const report = { publisherId, expiresAtMs, candidate, day, holdEndMs };
  return [
    { ...report, returned: lot, isPaced: true, served },
    { ...report, returned: spare, isPaced: false, served: 0 },
  ];
};

/**
 * Returns all that was reserved for a request which was answered without it. A user's place under a
 * frequency cap stays taken until its hold ends, and so do ads that are kept for later requests of the page view.
 */
export const returnReservation = (request: ReserveRequest, { imps }: Reservation): readonly LotReport[] =>
  imps.flatMap((reserved, i) => {
    const { moments, granted } = reserved;
    const candidate = winnerOf(request.imps[i] ?? [], reserved);
    if (!candidate || !moments) return [];
    const { lot, spare } = granted ?? { lot: 0, spare: 0 };
    return returnLots(request, candidate, { ...moments, lot: lot + 1, spare }, -1);
  });

const REPORT_FIELDS = ['publisher', 'expiresAtS', 'day', 'holdEndMs', 'returned', 'isPaced', 'served'] as const;

/** The generated part of report-lots.lua. */
export const REPORT_LUA: readonly string[] = [...CANDIDATE_LUA, luaReader('report_record', REPORT_FIELDS)];

export interface ReportsOptions {
  readonly keys: LedgerKeys;
  readonly encodeCandidate: EncodeCandidate;
  /** Of the call, among those of this replica. */
  readonly number: number;
  /** Of what Redis remembers of them. */
  readonly memoryKey: string;
}

/** The call of report-lots.lua. */
export const encodeReports = (
  reports: readonly LotReport[],
  { keys, encodeCandidate, number, memoryKey }: ReportsOptions,
  scope: CallScope,
): ScriptCall => {
  const keysOf = (publisherId: number): readonly string[] => {
    const shard = keys.shardOf(publisherId);
    return [keys.accounts(publisherId), keys.serves(shard), keys.broken(shard)];
  };
  const call = callKeys(reports, keysOf, [memoryKey], scope);
  const args = [call.scope, String(number)];
  for (const { publisherId, candidate, expiresAtMs, day, holdEndMs, returned, isPaced, served } of reports) {
    const publisher = call.positionOf(publisherId);
    const expiresAtS = Math.ceil(expiresAtMs / 1000);
    args.push(encodeRow(REPORT_FIELDS, { publisher, expiresAtS, day, holdEndMs, returned, isPaced, served }), encodeCandidate(candidate));
  }
  return { keys: call.keys, args };
};
