import type { AuditRow } from '../../../src/bookings/audit-api.ts';
import type { Comment } from '../../../src/bookings/comment-store.ts';
import { dayOf } from '../../../src/base/utc-day.ts';
import type { Kind } from '../../api/wire.ts';
import { isAmount, labelOf } from '../../bookings/forms/entity-fields.ts';
import { textOf } from '../../bookings/forms/typed-text.ts';
import { date } from '../../words/dates.ts';
import { count, price } from '../../words/formats.ts';
import { kindNamed } from '../../words/kinds.ts';
import { t } from '../../words/texts.ts';

/** A change of a booking that its course may show. */
export interface CourseMark {
  readonly day: number;
  readonly at: string;
  readonly actor: string;
  /** `Price per thousand (CPM) $4.00 → $5.00`. */
  readonly words: string;
  /** A note about the day, instead of a change. */
  readonly isNote?: boolean;
}

/** Fields that decide how much is delivered. */
const DECIDING = [
  ...['cpm', 'cpc', 'budget', 'daily_budget', 'goal_impressions', 'goal_clicks', 'daily_impression_cap', 'daily_spend_cap'],
  ...['priority', 'pacing', 'start_date', 'end_date', 'active', 'frequency_cap', 'placement_ids', 'targeting', 'share_of_voice', 'class'],
];

/** The changes of a record that decide how much it delivers, and the comments about a day of it, in the order of time. */
export const courseMarks = (rows: readonly AuditRow[], comments: readonly Comment[], currency: string): readonly CourseMark[] =>
  [...changesIn(rows, currency), ...comments.flatMap(noteOf)].toSorted((a, b) => a.at.localeCompare(b.at));

const noteOf = ({ day, actor, text }: Comment): readonly CourseMark[] =>
  day === null ? [] : [{ day: dayOf(Date.parse(day)), at: `${day}T00:00:00.000Z`, actor, words: text, isNote: true }];

const changesIn = (rows: readonly AuditRow[], currency: string): readonly CourseMark[] =>
  rows
    .filter(({ action }) => action === 'update')
    .flatMap(({ at, actor, entity, before, after }) => {
      const changed = DECIDING.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
      const kind = kindNamed(entity);
      const words = changed.map((name) => {
        const [from, to] = [before?.[name], after?.[name]];
        if (name === 'active') return to === true ? t`resumed` : t`paused`;
        const label = labelOf(kind, name, after ?? {});
        return isPlain(from) && isPlain(to) ? `${label} ${shown(kind, name, from, currency)} → ${shown(kind, name, to, currency)}` : label;
      });
      return words.length > 0 ? [{ day: dayOf(Date.parse(at)), at, actor, words: words.join(', ') }] : [];
    });

/** A value as it is written elsewhere. */
const shown = (kind: Kind | undefined, name: string, value: unknown, currency: string): string => {
  if (typeof value === 'number') return kind && isAmount(kind, name) ? price(value, currency) : count(value);
  const text = textOf(value);
  return text === '' ? '–' : name.endsWith('_date') ? date(text) : text;
};

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
