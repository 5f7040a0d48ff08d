import type { Kind } from '../../api/wire.ts';
import { choicesOf, fieldsOf, wordsOf } from './entity-fields.ts';
import type { FormField } from '../../../src/catalog/entities/form.ts';
import type { Draft } from './form.ts';
import { readAt, writtenAt } from './pointer.ts';
import { listOf } from './typed-text.ts';
import { t } from '../../words/texts.ts';

/** A field that both have changed, to different values. */
export interface ConflictField {
  readonly pointer: string;
  readonly label: string;
  /** Values as a form holds them, and in words. */
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly mineShown: string;
  readonly theirsShown: string;
}

/** Two changes of one record, compared with what both began with. */
export interface Conflict {
  readonly fields: readonly ConflictField[];
  /** Labels of the fields that only they have changed. */
  readonly taken: readonly string[];
  /** Mine, with their values in the fields that only they have changed. */
  readonly merged: Draft;
}

/** Compares two drafts of a record field by field. Pure. */
export const compareDrafts = (kind: Kind, base: Draft, mine: Draft, theirs: Draft): Conflict => {
  const differ = (a: Draft, b: Draft, { pointer }: FormField): boolean =>
    JSON.stringify(readAt(a, pointer)) !== JSON.stringify(readAt(b, pointer));
  const changed = fieldsOf(kind).filter((field) => differ(base, theirs, field));
  const both = changed.filter((field) => differ(base, mine, field) && differ(mine, theirs, field));
  const taken = changed.filter((field) => !differ(base, mine, field));
  return {
    fields: both.map((field) => {
      const [own, other] = [readAt(mine, field.pointer), readAt(theirs, field.pointer)];
      return {
        pointer: field.pointer,
        label: wordsOf(field, mine).label,
        mine: own,
        theirs: other,
        mineShown: valueInWords(field, own),
        theirsShown: valueInWords(field, other),
      };
    }),
    taken: taken.map((field) => wordsOf(field, theirs).label),
    merged: taken.reduce((draft, { pointer }) => writtenAt(draft, pointer, readAt(theirs, pointer)), mine),
  };
};

/** Texts of a value, however deep: a row of key-values is its key and its values. */
const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap(textsIn)
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : listOf(value).filter((text) => text !== '');

/** A value of a draft as people read it. */
export const valueInWords = (field: FormField, value: unknown): string => {
  if (typeof value === 'boolean') return value ? t`on` : t`off`;
  const labels = new Map(choicesOf(field).map(({ value: choice, label }) => [choice, label]));
  return (
    textsIn(value)
      .map((text) => labels.get(text) ?? text)
      .join(', ') || t`nothing`
  );
};
