import type { Knex } from 'knex';
import { countWords } from '../delivery/number-words.ts';
import { findShort } from '../delivery/attention/find-short.ts';
import { showEndDate } from '../catalog/model/flight-dates.ts';
import type { ShortLineItem } from '../forecast/short-line-items.ts';
import type { FoundAlert } from './found-alert.ts';

/**
 * Line items that the forecast of the last night expects to miss their goals, the largest gap first, each with what would help
 * most. Rejects when Postgres is unavailable.
 */
export const findShortAlerts = async (knex: Knex, atMs: number, limit: number): Promise<readonly FoundAlert[]> => {
  const rows = await findShort(knex, { atMs, limit });
  return rows.map(({ id, name, publisherId, untilMs, short }) => ({
    ...{ kind: 'will_under_deliver', entity: 'line_item', entityId: String(id), publisherId },
    words: `“${name}” is expected to deliver ${countWords(short.expected)} of ${countWords(short.due)} impressions that are due by ${showEndDate(untilMs)} (${Math.floor((100 * short.expected) / Math.max(short.due, 1))}%). ${remedyWords(short)}`,
  }));
};

const remedyWords = ({ remedy, lacksCreative }: ShortLineItem): string => {
  if (lacksCreative) return 'It has no creative that may serve.';
  return remedy
    ? `What helps most: ${remedy.words}, for about ${countWords(remedy.p50)}.`
    : 'No single change is known to bring more: lower its goal, or book it on more placements.';
};
