import type { Knex } from 'knex';
import { MS_PER_DAY } from '../base/utc-day.ts';
import { isLocal } from '../context/network-of.ts';
import { readActivity, type ActivityRow } from '../events/postgres/activity-rows.ts';
import { PROVISIONAL } from '../ledger/hit.ts';
import { ACTIVITY_RULE } from '../ledger/settle/activity-rule.ts';
import { createActivity, type Actor } from './invalid-traffic/activity.ts';

/** What no person did: the hits of a day by `activityKey`. */
export type FilteredActivity = ReadonlySet<string>;

export const activityKey = ({ jti, kind }: { readonly jti: string; readonly kind: string }): string => `${kind} ${jti}`;

/** The days before, of which the ledger remembers something. */
const DAYS_BEFORE = ACTIVITY_RULE.memoryMs / MS_PER_DAY;

/**
 * What the rules over time filter on a stored day: its hits and those of the week before pass through them again, in
 * the order of their times. Rejects when Postgres is unavailable.
 */
export const rejudgeActivity = async (knex: Knex, day: number): Promise<FilteredActivity> => {
  const activity = createActivity();
  const actorOf = createActorOf();
  const filtered = new Set<string>();
  /** Provisional clicks, the one that is due first at the front. */
  const due: { readonly row: ActivityRow; readonly actor: Actor; readonly dueMs: number }[] = [];
  const judgeUntil = (nowMs: number): void => {
    for (;;) {
      const [first] = due;
      if (!first || first.dueMs > nowMs) return;
      due.shift();
      if (activity.judge(first.actor, first.row.atMs, first.dueMs) !== '') filtered.add(activityKey(first.row));
    }
  };
  const pass = (row: ActivityRow): void => {
    const { kind, atMs } = row;
    const actor = actorOf(row);
    judgeUntil(atMs);
    if (kind === 'impression') {
      if (activity.impression(actor, atMs)) filtered.add(activityKey(row));
      return;
    }
    const { verdict } = activity.click(actor, atMs);
    if (verdict === PROVISIONAL) due.push({ row, actor, dueMs: atMs + ACTIVITY_RULE.judgeAfterMs });
    else if (verdict !== '') filtered.add(activityKey(row));
  };
  await readActivity(knex, { firstDay: day - DAYS_BEFORE, lastDay: day }, (rows) => rows.forEach(pass));
  judgeUntil(Infinity);
  return filtered;
};

/** As ledger/settle/actor.ts names it, from what rows keep. */
const createActorOf = (): ((row: ActivityRow) => Actor) => {
  const local = new Map<string, boolean>();
  const isPublic = (network: string): boolean => {
    let isKnown = local.get(network);
    if (isKnown === undefined) local.set(network, (isKnown = isLocal(network.slice(0, network.indexOf('/')))));
    return !isKnown;
  };
  return ({ publisherId, creativeId, user, network, browser }) => {
    const of = network !== null && isPublic(network) ? `${publisherId} ${network}` : '';
    const isUser = user !== null;
    const visitor = isUser ? `${publisherId} ${user}` : of === '' ? '' : `${of} ${browser ?? ''}`;
    return { visitor, isUser, network: of, creative: String(creativeId) };
  };
};
