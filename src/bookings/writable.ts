import { isObject } from '../base/narrow.ts';
import type { EntityKind, EntityRecord } from './entity-kind.ts';
import { mergePatch } from './merge-patch.ts';

/** What a client sends, without what only answers have. */
export const writable = (kind: EntityKind, input: unknown): unknown => without(input, ['counts', ...Object.keys(kind.readOnly)]);

/** A patch of a list of parents, or of its short form, replaces both. */
export const patched = (kind: EntityKind, before: EntityRecord, patch: object): unknown => {
  const same = kind.parents.flatMap(({ field, list }) => (list && (field in patch || list.field in patch) ? [field, list.field] : []));
  return mergePatch(without(writable(kind, before), same), writable(kind, patch));
};

export const without = (input: unknown, fields: readonly string[]): unknown =>
  isObject(input) ? Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name))) : input;
