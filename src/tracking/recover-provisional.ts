import type { Knex } from 'knex';
import { dateOfDay, dayOf, MS_PER_HOUR } from '../base/utc-day.ts';
import { moveRows } from '../events/postgres/move-rows.ts';
import { createSinkDays } from '../events/sinks/sink-days.ts';
import { PROVISIONAL, type Hit } from '../ledger/hit.ts';
import type { LedgerKeys } from '../ledger/ledger-keys.ts';
import type { PendingHits } from './pending-hits.ts';

export interface RecoverProvisionalOptions {
  readonly knex: Knex;
  readonly pending: Pick<PendingHits, 'restoreAll'>;
  readonly keys: Pick<LedgerKeys, 'shardOf'>;
  /** Of the tokens, those whose click the ledger has under judgement. Rejects when Redis is unavailable. */
  readonly underJudgement: (shard: number, tokens: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now?: () => number;
}

/** Long after a click is judged, and its row written: it is judged after ten minutes. */
const OLD_MS = MS_PER_HOUR;
const MAX_CLICKS = 500;
/** Of partitions that are looked at. */
const MAX_DAYS = 7;
const CLICK = { kind: 'click', eventType: '', screened: false } as const;

const FIND = `
  select day::text, jti, publisher_id as "publisherId" from events
  where day >= ?::date and invalid_reason = '${PROVISIONAL}' and at < ? order by at limit ${MAX_CLICKS}`;

// Reads all signals of these days: no index finds them, and clicks are seldom lost.
const FIND_HITS = `
  select jti, hit from event_signals
  where day = any(?::date[]) and jti = any(?::text[]) and kind = 'click' and not screened and hit is not null`;

interface OldClick {
  readonly day: string;
  readonly jti: string;
  readonly publisherId: number;
}

/**
 * Clicks under judgement that the ledger no longer knows, because Redis lost them: each waits in `pending_hits` to be settled
 * again, and its row gets what comes of that. Of a click of which the sender may not be kept, too little is stored to bill
 * it: it is filtered. Resolves to how many there were. Rejects when a store is unavailable.
 */
export const createRecoverProvisional =
  ({ knex, pending, keys, underJudgement, now = Date.now }: RecoverProvisionalOptions): (() => Promise<number>) =>
  async () => {
    const shardOf = ({ publisherId }: Pick<OldClick, 'publisherId'>): number => keys.shardOf(publisherId);
    const nowMs = now();
    const { rows } = await knex.raw<{ rows: OldClick[] }>(FIND, [
      dateOfDay(dayOf(nowMs) - MAX_DAYS),
      new Date(nowMs - OLD_MS).toISOString(),
    ]);
    const lost: OldClick[] = [];
    for (const shard of new Set(rows.map(shardOf))) {
      const clicks = rows.filter((click) => shardOf(click) === shard);
      const tokens = clicks.map(({ jti }) => jti);
      const known = await underJudgement(shard, tokens);
      lost.push(...clicks.filter(({ jti }) => !known.has(jti)));
    }
    if (lost.length === 0) return 0;
    const hits = await hitsOf(knex, lost);
    await pending.restoreAll(
      lost.flatMap((click) => {
        const hit = hits.get(click.jti);
        return hit ? [{ hit, shard: shardOf(click) }] : [];
      }),
    );
    const untold = lost.filter(({ jti }) => !hits.has(jti));
    for (const { day, jti } of untold)
      await knex.transaction((trx) => moveRows(trx, day, [{ jti, ...CLICK, reason: 'activity', billedMicros: 0 }]));
    // No event says so, and sinks have another reason until their days are compared.
    const sinkDays = createSinkDays({ knex });
    for (const day of new Set(untold.map((click) => click.day))) await sinkDays.changed(day);
    return lost.length;
  };

/** What counting these clicks takes, by token, where it may be kept. */
const hitsOf = async (knex: Knex, clicks: readonly OldClick[]): Promise<ReadonlyMap<string, Hit>> => {
  const { rows } = await knex.raw<{ rows: { jti: string; hit: Hit }[] }>(FIND_HITS, [
    [...new Set(clicks.map(({ day }) => day))],
    clicks.map(({ jti }) => jti),
  ] as unknown as Knex.RawBinding);
  return new Map(rows.map(({ jti, hit }) => [jti, hit]));
};
