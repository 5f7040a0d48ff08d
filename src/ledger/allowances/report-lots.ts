import type { RankedCandidate } from '../../decision/ranked-candidate.ts';
import { encodeRow, luaReader } from '../../redis/script-fields.ts';
import { callKeys, type ScriptCall } from '../call-keys.ts';
import type { LedgerKeys } from '../ledger-keys.ts';
import { CANDIDATE_LUA, type EncodeCandidate } from '../reserve/encode-candidate.ts';

/** What became of ads that a replica had reserved as a lot. */
export interface LotReport {
  readonly publisherId: number;
  /** With the price at which they are held. */
  readonly candidate: RankedCandidate;
  /** When the publisher's accounts expire, epoch ms. */
  readonly expiresAtMs: number;
  /** The UTC day of the reservation. */
  readonly day: number;
  /** Of the hold that `returned` ads are taken out of. */
  readonly holdEndMs: number;
  readonly returned: number;
  /** Pacing gave permits for them. */
  readonly isPaced: boolean;
  /** Ads of this creative that were handed out. */
  readonly served: number;
}

const REPORT_FIELDS = ['publisher', 'expiresAtS', 'day', 'holdEndMs', 'returned', 'isPaced', 'served'] as const;

/** The generated part of report-lots.lua. */
export const REPORT_LUA: readonly string[] = [...CANDIDATE_LUA, luaReader('report_record', REPORT_FIELDS)];

/** The call of report-lots.lua. */
export const encodeReports = (
  reports: readonly LotReport[],
  { keys, encodeCandidate }: { readonly keys: LedgerKeys; readonly encodeCandidate: EncodeCandidate },
): ScriptCall => {
  const keysOf = (publisherId: number): readonly string[] => {
    const shard = keys.shardOf(publisherId);
    return [keys.accounts(publisherId), keys.serves(shard), keys.broken(shard)];
  };
  const call = callKeys(reports, keysOf, []);
  const args = [String(call.publishers)];
  for (const { publisherId, candidate, expiresAtMs, day, holdEndMs, returned, isPaced, served } of reports) {
    const publisher = call.positionOf(publisherId);
    const expiresAtS = Math.ceil(expiresAtMs / 1000);
    args.push(encodeRow(REPORT_FIELDS, { publisher, expiresAtS, day, holdEndMs, returned, isPaced, served }), encodeCandidate(candidate));
  }
  return { keys: call.keys, args };
};
