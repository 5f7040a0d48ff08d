import type { PidGains } from '../../src/config/settings.ts';
import type { RankedCandidate } from '../../src/decision/ranked-candidate.ts';
import { createAllowances } from '../../src/ledger/allowances/allowances.ts';
import type { LedgerKeys } from '../../src/ledger/ledger-keys.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { VIRTUAL_CLOCK_KEY } from '../../src/ledger/ledger-keys.ts';
import type { ReservedImp, ReserveRequest } from '../../src/ledger/reservation.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { LINK_UP } from '../link-up.ts';

/** What a replica decides ads with, on the clock of a simulation. */
export interface SimulatedReplica {
  readonly ledger: Ledger;
  /** By how much its clock is ahead of Redis's. */
  readonly skewMs: number;
  /** Reserves an ad of the first of the candidates that is under its limits, or of a lot of it. */
  reserve(candidates: readonly RankedCandidate[], request: Omit<ReserveRequest, 'imps' | 'userHash'>): Promise<ReservedImp>;
  /** Ads of a line item that it has reserved for later requests on a day (since the epoch). */
  inStock(lineItemId: number, day: number): number;
  /** What a replica does once a second. */
  report(): Promise<void>;
}

export interface SimulatedReplicaOptions {
  readonly redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly tokenTtlMs: number;
  readonly pid: PidGains;
  readonly skewMs: number;
  /** False: every ad is reserved by a call. */
  readonly allowances: boolean;
  /** Time in the simulation, within the step at which Redis's clock is. */
  readonly clock: () => number;
}

/** The default of ALLOWANCE_RESERVE. */
const RESERVE_MS = 60_000;

export const createSimulatedReplica = (options: SimulatedReplicaOptions): SimulatedReplica => {
  const { redis, keys, tokenTtlMs, pid, skewMs, allowances: enabled, clock } = options;
  const onFailure = (_script: string, fault: Error) => {
    throw fault;
  };
  const ledger = createLedger({ redis, link: LINK_UP, keys, tokenTtlMs, pid, clock: VIRTUAL_CLOCK_KEY, onFailure });
  const allowances = createAllowances({
    ledger,
    tokenTtlMs,
    enabled,
    reserveMs: RESERVE_MS,
    isUp: () => true,
    now: clock,
    clock,
  });
  return {
    ledger,
    skewMs,
    reserve: async (candidates, request) => {
      const { imps } = await allowances.reserve({ ...request, userHash: null, imps: [candidates], isShared: true });
      if (!imps[0]) throw new Error('the ledger gave no answer');
      return imps[0];
    },
    inStock: (lineItemId, day) =>
      allowances.pending
        .filter((report) => report.candidate.lineItem.id === lineItemId && report.day === day)
        .reduce((sum, { returned }) => sum + returned, 0),
    report: allowances.report,
  };
};
