import { randomUUID } from 'node:crypto';
import { ReplyError } from 'ioredis';
import { groupBy } from '../base/group-by.ts';
import type { PidGains } from '../config/settings.ts';
import { answerWithin } from '../redis/answer-within.ts';
import { defineFunction } from '../redis/define-function.ts';
import { batchCalls, type BatchOptions } from '../redis/batch-calls.ts';
import { createCandidateEncoder } from './reserve/encode-candidate.ts';
import type { LotRule } from './allowances/lot-rule.ts';
import type { ActivityRule } from './settle/activity-rule.ts';
import type { LedgerBooks } from './books/ledger-books.ts';
import type { CallScope } from './call-keys.ts';
import { encodeReports, REPORT_LUA, type LotReport } from './allowances/report-lots.ts';
import { addDone, createReportLane, type NumberedReports, type ReportsDone } from './allowances/report-lane.ts';
import { NoBidReason } from '../decision/no-bid-reason.ts';
import { decodeReservation, encodeReserve, encodeReserveSettings } from './reserve/encode-reserve.ts';
import { defineReserveLibrary } from './reserve/reserve-library.ts';
import { ARGS_OF_HIT, decodeSettled, encodeSettles, settleLua, type HitLimits, type SettleCall } from './settle/encode-settle.ts';
import type { Hit, Settled } from './hit.ts';
import type { LedgerKeys, ScriptOptions } from './ledger-keys.ts';
import { loadScript } from '../redis/load-script.ts';
import { refusesWrites, scopeOfShard, scopesOf, type RedisClient } from '../redis/redis-client.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import { winnerOf, type Reservation, type ReserveRequest } from './reservation.ts';

/**
 * All counts that a decision depends on. `reserve` and `settle` resolve to undefined without waiting
 * when Redis is unavailable.
 */
export interface Ledger {
  /** `onLate`: what Redis has reserved all the same after this resolved to undefined. */
  reserve(request: ReserveRequest, onLate?: OnLate): Promise<Reservation | undefined>;
  settle(hit: Hit, limits: HitLimits, options?: SettleOptions): Promise<Settled | undefined>;
  /** The fields of accounts that refused lately because the rest of them is held (accountField). */
  readScarce(): Promise<ReadonlySet<string>>;
  /** Each report is carried out once: what Redis does not answer is sent again with the next reports. */
  reportLots(reports: readonly LotReport[]): Promise<ReportsDone>;
  /** Reports that Redis has not answered. */
  unansweredReports(): readonly LotReport[];
}

export type OnLate = (reservation: Reservation) => void;

interface ReserveCall {
  readonly request: ReserveRequest;
  readonly onLate: OnLate | undefined;
}

export interface SettleOptions {
  /** The hit was accepted at its `atMs`, while Redis was unavailable. */
  readonly late?: boolean;
  /** When the impression of a click was counted, if its event row says so. */
  readonly impressionAtMs?: number | undefined;
}

export interface LedgerOptions extends ScriptOptions {
  readonly link: RedisLink;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  /** undefined: a loss of data is not looked for, in simulations and tests of the ledger alone. */
  readonly books?: LedgerBooks | undefined;
  /** Default: LOT_RULE. */
  readonly lotRule?: LotRule;
  /** Default: ACTIVITY_RULE. */
  readonly activityRule?: ActivityRule;
  /** Timeout of a call; undefined: the command timeout of this connection. */
  readonly patienceMs?: number;
  /** Called for every failed call. */
  readonly onFailure?: (script: LedgerScript, fault: Error) => void;
}

export type LedgerScript = 'reserve' | 'settle' | 'report_lots';

/**
 * Candidates that one script call checks, at 3.5 to 10 µs each (paced ones cost most): more would
 * delay the requests of others. The calls of a turn are split by it, and one request offers no more
 * at a time (serving/reserve-winners.ts).
 */
export const MAX_CANDIDATES_PER_CALL = 256;

/**
 * About 10 µs each. With 64 a replica and Redis wait for each other in turn, and the same clients get four fifths of
 * the impressions; with 16 each of them takes Redis a tenth longer.
 */
const MAX_HITS_PER_CALL = 32;
/** At 3,000 hits a second a call for each costs the service and Redis twice as much. A pixel has these milliseconds, an ad has not. */
const HIT_CALLS_EVERY_MS = 5;

const candidatesOf = ({ request: { imps } }: ReserveCall): number => imps.reduce((sum, candidates) => sum + candidates.length, 0);

export const createLedger = (options: LedgerOptions): Ledger => {
  const { redis, link, keys, tokenTtlMs, pid, books, lotRule, activityRule, clock, patienceMs, onFailure } = options;
  const load = (path: string, generated: readonly string[]) => loadScript(new URL(path, import.meta.url), { clock, generated });
  const { reserve: reserveAds } = defineReserveLibrary({ redis, lotRule, clock });
  const settleHits = defineFunction<string[]>(redis, {
    name: 'ads_settle',
    lua: load('./settle/settle.lua', settleLua(activityRule)),
    entry: 'settle_hits',
  });
  const reportAll = defineFunction<number[]>(redis, {
    name: 'ads_report_lots',
    lua: load('./allowances/report-lots.lua', REPORT_LUA),
    entry: 'report_lots',
  });
  const settings = encodeReserveSettings({ tokenTtlMs, ...pid });
  const encodeCandidate = createCandidateEncoder();
  /** Of reports: Redis remembers the last number of each. */
  const replica = randomUUID();

  /** Of the calls of a lane, which all have one scope. */
  const scopeOf = (publisherId: number): CallScope => {
    const scope = scopeOfShard(redis, keys.shardOf(publisherId));
    return { recordKey: keys.epochs(scope), epoch: books?.epochOf(scope) ?? '' };
  };

  /** Also what comes too late for its request: it is held until it is returned. */
  const noteReserved = ({ publisherId, imps }: ReserveRequest, reservation: Reservation): Reservation => {
    if (!books) return reservation;
    for (const [i, reserved] of reservation.imps.entries()) {
      const { moments, granted, refused } = reserved;
      const winner = winnerOf(imps[i]!, reserved);
      const more = granted ? granted.lot + granted.spare : (winner?.block?.kept.length ?? 0);
      if (moments && winner) books.holds.note(publisherId, winner, moments, 1 + more);
      if (!refused.includes(NoBidReason.BooksRebuilding)) continue;
      for (const [at, reason] of refused.entries())
        if (reason === NoBidReason.BooksRebuilding) books.refused(publisherId, imps[i]![at]!.campaign.id);
    }
    return reservation;
  };

  /** `text`: of the hit, as its event has it. */
  const noteSettled = (hit: Hit, text: string, settled: Settled | undefined): Settled | undefined => {
    if (!settled) books?.refused(hit.ad.publisherId, hit.ad.campaignId);
    else if (settled.outcome === 'duplicate') books?.settledBefore(hit, text);
    else if (settled.outcome !== 'expired') books?.settled(hit, text);
    return settled;
  };

  const sendReserves = async (calls: readonly ReserveCall[]): Promise<readonly Reservation[]> => {
    const requests = calls.map(({ request }) => request);
    const call = encodeReserve(requests, { keys, settings, encodeCandidate }, scopeOf(requests[0]!.publisherId));
    const answer = reserveAds(call.keys.length, ...call.keys, ...call.args).then((replies) =>
      replies.map((reply, i) => noteReserved(requests[i]!, decodeReservation(reply, requests[i]!))),
    );
    books?.granting(answer);
    try {
      return await answerWithin(patienceMs, answer);
    } catch (fault) {
      const tellLate = (late: readonly Reservation[]): void => calls.forEach(({ onLate }, i) => onLate?.(late[i]!));
      answer.then(tellLate, () => undefined);
      throw fault;
    }
  };

  const sendSettles = async (calls: readonly SettleCall[]): Promise<readonly (Settled | undefined)[]> => {
    const call = encodeSettles(calls, keys, scopeOf(calls[0]!.hit.ad.publisherId));
    const replies = await answerWithin(patienceMs, settleHits(call.keys.length, ...call.keys, ...call.args));
    return replies.map((reply, i) => noteSettled(calls[i]!.hit, call.args[ARGS_OF_HIT * i + 2]!, decodeSettled(reply)));
  };

  const sendReports = async ({ number, reports }: NumberedReports): Promise<readonly number[]> => {
    const { publisherId } = reports[0]!;
    const memoryKey = keys.lotReports(scopeOfShard(redis, keys.shardOf(publisherId)), replica);
    const call = encodeReports(reports, { keys, encodeCandidate, number, memoryKey }, scopeOf(publisherId));
    const returned = await answerWithin(patienceMs, reportAll(call.keys.length, ...call.keys, ...call.args));
    reports.forEach((report, i) => {
      if (returned[i]! > 0) books?.holds.note(report.publisherId, report.candidate, report, -returned[i]!);
    });
    return returned;
  };

  const reserveIn = createLanes(redis, keys, sendReserves, { weigh: candidatesOf, maxWeight: MAX_CANDIDATES_PER_CALL });
  // Virtual time does not pass while a hit waits.
  const settleIn = createLanes(redis, keys, sendSettles, {
    maxCalls: MAX_HITS_PER_CALL,
    everyMs: clock === undefined ? HIT_CALLS_EVERY_MS : 0,
  });

  /** `inPlace`: what a call resolves to that has failed. */
  const guarded = async <T>(
    script: LedgerScript,
    shard: number,
    call: () => Promise<T>,
    inPlace: (fault: unknown) => T | undefined = () => undefined,
  ): Promise<T | undefined> => {
    if (!link.upOf(shard)) return undefined;
    try {
      return await call();
    } catch (fault) {
      link.suspect(shard);
      onFailure?.(script, fault as Error);
      return inPlace(fault);
    }
  };

  const scopes = Array.from({ length: scopesOf(redis, keys) }, (_, scope) => scope);
  const reportLanes = scopes.map((scope) =>
    createReportLane((numbered) => {
      // Nothing is taken back when the script has failed: it would again.
      const inPlace = (fault: unknown) =>
        fault instanceof ReplyError && !refusesWrites(fault) ? numbered.reports.map(() => 0) : undefined;
      return guarded('report_lots', scope, () => sendReports(numbered), inPlace);
    }),
  );

  return {
    reserve: (request, onLate) => {
      const shard = keys.shardOf(request.publisherId);
      return guarded('reserve', shard, () => reserveIn(shard)({ request, onLate }));
    },
    settle: (hit, limits, { late = false, impressionAtMs } = {}) => {
      const { publisherId, servedAtMs } = hit.ad;
      const shard = keys.shardOf(publisherId);
      // Its row may say that it has counted, and Redis no longer does: it goes by way of Postgres, where rows are asked.
      if (!late && books?.isOlder(scopeOfShard(redis, shard), servedAtMs)) return Promise.resolve(undefined);
      return guarded('settle', shard, () => settleIn(shard)({ hit, limits, late, impressionAtMs }));
    },
    readScarce: async () => {
      const names = await Promise.all(
        scopes.map((scope) => guarded('report_lots', scope, () => answerWithin(patienceMs, redis.zrange(keys.scarce(scope), '0', '-1')))),
      );
      return new Set(names.flatMap((of) => (of ?? []).map((name) => name.slice(name.lastIndexOf(' ') + 1))));
    },
    reportLots: async (reports) => {
      const byScope = groupBy(reports, ({ publisherId }) => scopeOfShard(redis, keys.shardOf(publisherId)));
      // Ten times a second, and a cluster has up to 256 lanes.
      const due = scopes.filter((scope) => byScope.has(scope) || reportLanes[scope]!.pending.length > 0);
      return addDone(await Promise.all(due.map((scope) => reportLanes[scope]!.send(byScope.get(scope) ?? []))));
    },
    unansweredReports: () => reportLanes.flatMap(({ pending }) => pending),
  };
};

/**
 * A script call reaches one cluster slot, so in a cluster each shard gathers its own calls. A
 * single server takes the calls of all shards together.
 */
const createLanes = <Call, Answer>(
  redis: RedisClient,
  keys: LedgerKeys,
  send: (calls: readonly Call[]) => Promise<readonly Answer[]>,
  options: BatchOptions<Call> = {},
): ((shard: number) => (call: Call) => Promise<Answer>) => {
  const lanes = Array.from({ length: scopesOf(redis, keys) }, () => batchCalls(send, options));
  return (shard) => lanes[scopeOfShard(redis, shard)]!;
};
