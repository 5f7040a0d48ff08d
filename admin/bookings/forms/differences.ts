import type { Kind } from '../../api/wire.ts';
import { valueInWords } from './conflict.ts';
import { draftOf } from './entity-draft.ts';
import { fieldsOf, isAmount, wordsOf } from './entity-fields.ts';
import { readAt } from './pointer.ts';
import { listOf } from './typed-text.ts';
import { date } from '../../words/dates.ts';
import { count, price } from '../../words/formats.ts';
import { t } from '../../words/texts.ts';

/** A day, or a moment of one. */
const IS_DAY = /^\d{4}-\d{2}-\d{2}(?:$|T)/;

/** A field of a record before and after a change, in words. */
export interface Difference {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/**
 * The fields that differ between two states of a record, as its form shows them.
 *
 * @param before null: the record is new, and what it has beside the defaults is new
 * @param nameOf the name of a parent by its id
 * @param currency of its amounts
 */
export const differencesOf = (
  kind: Kind,
  before: object | null,
  after: object,
  nameOf: (parent: Kind, id: string) => string,
  currency: string,
): readonly Difference[] => {
  const [old, now] = [draftOf(kind, before ?? {}), draftOf(kind, after)];
  return fieldsOf(kind).flatMap((field) => {
    const { pointer, parent } = field;
    const name = pointer.slice(1);
    const [was, is] = [readAt(old, pointer), readAt(now, pointer)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const shown = (value: unknown): string => {
      if (parent) {
        const ids = listOf(value).filter((id) => id !== '');
        return ids.map((id) => nameOf(parent, id)).join(', ') || t`nothing`;
      }
      if (typeof value === 'string') {
        if (Number(value) && isAmount(kind, name)) return price(Number(value), currency);
        if (Number(value) && /impressions|clicks/.test(name)) return count(Number(value));
        if (IS_DAY.test(value)) return date(value);
      }
      return valueInWords(field, value);
    };
    return [{ label: wordsOf(field, now).label, before: shown(was), after: shown(is) }];
  });
};
