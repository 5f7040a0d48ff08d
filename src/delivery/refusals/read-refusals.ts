import type { Knex } from 'knex';
import { groupBy } from '../../base/group-by.ts';
import type { Days } from '../../api/days-query.ts';
import { dayOf, MS_PER_DAY } from '../../base/utc-day.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { NoBidReason, reasonName, wordsOf } from '../../decision/no-bid-reason.ts';
import type { HourlyRefusals, RefusalStore } from '../../events/postgres/refusal-store.ts';
import { OUTRANKED, type RefusalReason } from '../../serving/count-refusals.ts';
import { loadedLineItem } from '../loaded-line-item.ts';
import type { RefusalRow, Refusals, Rival } from './refusals.ts';
import { remedyOf } from './remedy-of.ts';

/** Why line items were not shown by this name and in these words. */
export const refusalName = (reason: RefusalReason): string => (reason === OUTRANKED ? 'outranked' : reasonName(reason));
export const refusalWords = (reason: RefusalReason): string =>
  reason === OUTRANKED ? 'another line item ranks before it' : wordsOf(reason);

export interface ReadRefusalsOptions {
  readonly knex: Knex;
  readonly refusalStore: Pick<RefusalStore, 'read'>;
  readonly currentSnapshot: () => Snapshot | undefined;
}

/** Line items named as those that outranked another. */
const MAX_RIVALS = 5;

/** undefined: there is no such line item. Rejects when Postgres is away. */
export const createReadRefusals =
  ({ knex, refusalStore, currentSnapshot }: ReadRefusalsOptions) =>
  async (id: number, { from, to }: Days): Promise<Refusals | undefined> => {
    if (!(await knex('line_items').where({ id }).first('id'))) return undefined;
    const counts = await refusalStore.read(id, Date.parse(from), (dayOf(Date.parse(to)) + 1) * MS_PER_DAY);
    const losses = counts.filter(({ reason }) => reason !== NoBidReason.Targeting);
    const lost = sumOf(losses);
    const rivals = await namedRivals(knex, losses);
    const loaded = loadedLineItem(currentSnapshot(), id);
    const reasons = [...groupBy(losses, ({ reason }) => reason as RefusalReason)].map(([reason, of]): RefusalRow => {
      const impressions = sumOf(of);
      const outrankedBy = reason === OUTRANKED ? rivals : [];
      return {
        reason: refusalName(reason),
        words: refusalWords(reason),
        impressions,
        share: impressions / lost,
        outranked_by: outrankedBy,
        remedy: (loaded && remedyOf(loaded, reason, outrankedBy[0]?.line_item_id ?? 0)) ?? null,
      };
    });
    return {
      line_item_id: id,
      from,
      to,
      off_target: sumOf(counts) - lost,
      lost,
      reasons: reasons.sort((a, b) => b.impressions - a.impressions),
      hours: [...groupBy(counts, ({ hour }) => hour.toISOString())].map(([hour, of]) => {
        const lostInHour = sumOf(of.filter(({ reason }) => reason !== NoBidReason.Targeting));
        return { hour, off_target: sumOf(of) - lostInHour, lost: lostInHour };
      }),
    };
  };

const sumOf = (counts: readonly { readonly impressions: number }[]): number =>
  counts.reduce((sum, { impressions }) => sum + impressions, 0);

const namedRivals = async (knex: Knex, counts: readonly HourlyRefusals[]): Promise<readonly Rival[]> => {
  const byRival = groupBy(
    counts.filter(({ outrankedBy }) => outrankedBy > 0),
    ({ outrankedBy }) => outrankedBy,
  );
  const most = [...byRival]
    .map(([id, of]) => ({ id, impressions: sumOf(of) }))
    .sort((a, b) => b.impressions - a.impressions)
    .slice(0, MAX_RIVALS);
  const ids = most.map(({ id }) => id);
  const rows = await knex('line_items').whereIn('id', ids).select<{ id: number; name: string }[]>('id', 'name');
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return most.map(({ id, impressions }) => ({ line_item_id: id, line_item: names.get(id) ?? null, impressions }));
};
