import type { Knex } from 'knex';
import { groupBy } from '../base/group-by.ts';
import type { RefilterRow, RefilterStore, RowChange } from '../events/postgres/refilter-store.ts';
import { sizeOfText } from '../ledger/ad-size.ts';
import { billsHit, ORDER_REASONS, type Hit, type InvalidReason } from '../ledger/hit.ts';
import { accountField, type LedgerKeys } from '../ledger/ledger-keys.ts';
import type { BillsOn } from '../ledger/limits.ts';
import { createPendingHits } from './pending-hits.ts';
import { activityKey, type FilteredActivity } from './rejudge-activity.ts';
import type { RejudgeHit } from './invalid-traffic/rejudge-hit.ts';
import { judgeFollowing } from './invalid-traffic/rules.ts';
import { MS_PER_MINUTE } from '../base/utc-day.ts';

export interface RefilterOptions {
  readonly store: RefilterStore;
  readonly keys: Pick<LedgerKeys, 'shardOf'>;
  readonly rejudge: RejudgeHit;
  /** What the rules over time filter on this day (rejudge-activity.ts). */
  readonly activity: FilteredActivity;
  /** In days since the epoch. */
  readonly day: number;
  readonly nowMs: number;
  /** Reports what would change, and changes nothing. */
  readonly dryRun: boolean;
  /** Called after each transaction; it throws to stop. */
  readonly rest: () => Promise<void>;
}

/** Hits that change alike. */
export interface RefilterChange {
  readonly lineItemId: number;
  readonly kind: string;
  /** '': it counted. */
  readonly from: '' | InvalidReason;
  /** '': it is counted, as far as its caps have room. `no room`: it would be, and a daily cap is used up. */
  readonly to: '' | InvalidReason | 'no room';
  readonly hits: number;
  /** Micros that are billed less (negative), or at most more. */
  readonly micros: number;
}

/** Tokens of one transaction. */
const TOKENS_AT_ONCE = 500;
/**
 * A token is judged again this long after its end: by then its hold has been released, and the
 * ledger and the fold know its hits by their rows.
 */
const ENDED_MS = 10 * MS_PER_MINUTE;

/**
 * Judges the stored hits of a day by the rules and lists of now, and changes rows and counts alike
 * in one transaction for each 500 tokens. Can be repeated and interrupted: each run judges what is
 * stored.
 *
 * A hit that counted and is filtered leaves the counts; the comparison of the books then lowers the
 * accounts. A hit that was filtered and is not any more waits in `pending_hits` to be settled by a
 * replica, which counts it only if every cap and budget has room: nothing was reserved for it. A cap
 * is never exceeded; without room the hit stays filtered for its old reason.
 */
export const refilterDay = async (options: RefilterOptions): Promise<readonly RefilterChange[]> => {
  const { store, keys, day, nowMs, dryRun, rest } = options;
  const room = new Map(await store.room(day));
  const accountsOf = (of: Pick<RefilterRow, 'lineItemId' | 'campaignId'>) => [
    accountField('l', of.lineItemId),
    accountField('c', of.campaignId),
  ];
  /** Takes from what accounts have left; negative amounts are given back. */
  const take = (accounts: readonly string[], impressions: number, micros: number): void => {
    for (const account of accounts) {
      const left = room.get(account);
      if (left) room.set(account, { impressions: left.impressions - impressions, spendMicros: left.spendMicros - micros });
    }
  };
  const found = new Map<string, RefilterChange>();
  const note = ({ lineItemId, kind, reason: from }: RefilterRow, to: RefilterChange['to'], micros: number): void => {
    const key = `${lineItemId} ${kind} ${from} ${to}`;
    const before = found.get(key) ?? { lineItemId, kind, from, to, hits: 0, micros: 0 };
    found.set(key, { ...before, hits: before.hits + 1, micros: before.micros + micros });
  };

  /**
   * Takes what a hit needs of the daily caps of its line item, and of the daily budget of its campaign. Resolves to what it
   * may bill; undefined: there is no room.
   */
  const takeRoom = (hit: Hit): number | undefined => {
    const { kind, ad } = hit;
    const price = billsHit(hit) ? ad.priceMicros : 0;
    if (kind === 'event' && price === 0) return 0;
    const impressions = kind === 'impression' ? 1 : 0;
    const accounts = accountsOf(ad);
    const left = accounts.map((account) => room.get(account));
    const spends = left.map((of) => of?.spendMicros ?? price);
    const billed = kind === 'impression' ? price : Math.max(Math.min(price, ...spends), 0);
    if (!left.every((of) => of !== undefined && of.impressions >= impressions && of.spendMicros >= billed)) return undefined;
    take(accounts, impressions, billed);
    return billed;
  };

  const restore = async (row: RefilterRow, trx: Knex.Transaction): Promise<RowChange[]> => {
    const hit = hitOf(row, day);
    const billed = takeRoom(hit);
    note(row, billed === undefined ? 'no room' : '', billed ?? 0);
    if (billed === undefined || dryRun || row.reason === '') return [];
    const priceMicros = hit.kind !== 'impression' && billsHit(hit) ? billed : hit.ad.priceMicros;
    const restored: Hit = {
      ...{ ...hit, ad: { ...hit.ad, priceMicros }, invalidReason: '', signals: row.signals },
      ...{ atMs: row.at.getTime(), restored: { reason: row.reason, atMs: nowMs } },
    };
    await createPendingHits({ knex: trx }).restore(restored, keys.shardOf(row.publisherId));
    return [{ row, reason: null, hit }];
  };

  const judgeToken = async (rows: readonly RefilterRow[], trx: Knex.Transaction): Promise<RowChange[]> => {
    const changes: RowChange[] = [];
    for (const { row, reason } of verdictsOf(rows, options)) {
      if (reason === row.reason) continue;
      if (reason === '') changes.push(...(await restore(row, trx)));
      else {
        note(row, reason, -row.billedMicros);
        if (row.reason === '') take(accountsOf(row), row.kind === 'impression' ? -1 : 0, -row.billedMicros);
        if (!dryRun) changes.push({ row, reason, hit: hitOf(row, day) });
      }
    }
    return changes;
  };

  await store.indexSignals(day);
  let after: string | undefined = '';
  while (after !== undefined) {
    const range = { day, after, limit: TOKENS_AT_ONCE, endedBefore: new Date(nowMs - ENDED_MS) };
    after = await store.changeTokens(range, async (rows, trx) => {
      const changes: RowChange[] = [];
      for (const ofToken of groupBy(rows, ({ jti }) => jti).values()) changes.push(...(await judgeToken(ofToken, trx)));
      return changes;
    });
    await rest();
  }
  return [...found.values()].sort((a, b) => a.lineItemId - b.lineItemId || a.kind.localeCompare(b.kind) || a.from.localeCompare(b.from));
};

interface Verdict {
  readonly row: RefilterRow;
  readonly reason: '' | InvalidReason;
}

/** A hit that needs an impression: a click, or an event that billed or would bill. */
const follows = ({ kind, billedMicros, hit }: RefilterRow): boolean =>
  kind === 'click' || (kind === 'event' && (billedMicros > 0 || (hit !== null && billsHit(hit))));

/** What each row of a token comes to. Rows that need an impression come last: it judges them. */
const verdictsOf = (
  rows: readonly RefilterRow[],
  { rejudge, activity }: Pick<RefilterOptions, 'rejudge' | 'activity'>,
): readonly Verdict[] => {
  const keyOf = ({ kind, eventType }: RefilterRow): string => `${kind} ${eventType}`;
  const byActivity = ({ row, reason }: Verdict): '' | InvalidReason =>
    reason === '' && activity.has(activityKey(row)) ? 'activity' : reason;
  // A token counts once for each kind: beside a row that counts or could, one of another client stays filtered.
  const own = new Set(rows.filter(({ screened }) => !screened).map(keyOf));
  const judged = rows.map((row): Verdict => {
    const { screened, publisherId, signals } = row;
    const byRequest = rejudge({ publisherId, reason: row.reason, signals }) ?? row.reason;
    if (byRequest === '' && screened && own.has(keyOf(row))) return { row, reason: row.reason };
    const isOrdered = follows(row) && byRequest === '' && ORDER_REASONS.some((one) => one === row.reason);
    return { row, reason: isOrdered ? row.reason : byActivity({ row, reason: byRequest }) };
  });
  const impressions = judged.filter(({ row }) => row.kind === 'impression');
  const counted = impressions.find(({ reason }) => reason === '');
  return [
    ...judged.filter(({ row }) => !follows(row)),
    ...judged
      .filter(({ row }) => follows(row))
      .map(({ row, reason }): Verdict => {
        const byOrder = reason === '' || reason === 'no_impression';
        // Without any row of an impression, one may be on its way.
        if (!byOrder || impressions.length === 0) return { row, reason: reason === '' && row.reason !== '' ? row.reason : reason };
        return { row, reason: byActivity({ row, reason: judgeOrder(row, counted?.row) }) };
      }),
  ];
};

const judgeOrder = (hit: RefilterRow, impression: RefilterRow | undefined): '' | InvalidReason =>
  judgeFollowing({
    kind: hit.kind,
    atMs: hit.at.getTime(),
    // A click that counted was not fast.
    servedAtMs: hit.hit?.ad.servedAtMs ?? -Infinity,
    impressionAtMs: impression?.at.getTime(),
  });

/** What counting the hit of a row takes: as it came, or as it was billed. */
const hitOf = (row: RefilterRow, day: number): Hit => {
  const { jti, kind, eventType, publisherId, campaignId, lineItemId, creativeId, placementId, userHash, country, device } = row;
  const { region, browser, size } = row;
  if (row.hit) return { ...row.hit, ad: { ...row.hit.ad, userHash: userHash === '' ? null : userHash } };
  const endMs = row.tokenEndsAt.getTime();
  return {
    ad: {
      ...{ tokenId: jti, publisherId, campaignId, lineItemId, creativeId, placementId, size: sizeOfText(size) },
      ...{
        priceMicros: row.billedMicros,
        billsOn: kind === 'event' ? (row.billedMicros > 0 ? (eventType as BillsOn) : 'impression') : kind,
        day,
        servedAtMs: 0,
        holdEndMs: endMs,
        tokenExpS: Math.ceil(endMs / 1000),
      },
      ...{ userHash: userHash === '' ? null : userHash, billingNotice: false },
    },
    ...{ kind, eventType, invalidReason: '', atMs: row.at.getTime(), country, device },
    ...{ region: region ?? undefined, browser: browser ?? undefined },
  };
};
