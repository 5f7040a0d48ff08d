import type { Knex } from 'knex';
import type { Ids } from '../../access/scope.ts';
import type { ReadStatuses } from '../status/read-statuses.ts';
import type { AttentionGroup } from './attention.ts';
import { findBookings, judgeBookings, type JudgedBooking } from './find-bookings.ts';
import { findShort } from './find-short.ts';
import { itemGroups } from './line-item-groups.ts';

/** Line items whose status is read: 0.3 s. The first by id. */
const MAX_JUDGED = 5_000;
/** Line items whose goals are expected to be missed. */
const MAX_SHORT = 1_000;

export interface ItemGroups {
  readonly judged: readonly JudgedBooking[];
  readonly groups: readonly AttentionGroup[];
}

/** What needs attention of the line items of some publishers. Rejects when Postgres is unavailable. */
export const readItemGroups = async (
  knex: Knex,
  readStatuses: ReadStatuses,
  { atMs, publishers }: { readonly atMs: number; readonly publishers: Ids },
): Promise<ItemGroups> => {
  const [judged, short] = await Promise.all([
    findBookings(knex, 'current', { atMs, limit: MAX_JUDGED, publishers }).then((current) => judgeBookings(readStatuses, current)),
    findShort(knex, { atMs, limit: MAX_SHORT, publishers }),
  ]);
  return { judged, groups: itemGroups(judged, short, atMs) };
};
