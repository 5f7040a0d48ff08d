import type { Entity } from '../entities/define-entity.ts';
import type { Field, Fields, MembersOf, RecordOf } from '../entities/field.ts';
import { microsFromAmount } from '../model/money.ts';

/** Makes the copy of a checked record to the members that are one of its fields each. */
export const membersOf = <F extends Fields>({ fields }: Entity<F>): ((record: RecordOf<F>) => MembersOf<F>) => {
  const copied = Object.entries<Field>(fields).flatMap(([name, { view, stored, only }]) =>
    view ? [{ name, member: view[0], orElse: view[2] ?? null, isAmount: stored === 'micros', only }] : [],
  );
  const copy = (record: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const members: Record<string, unknown> = {};
    for (const { name, member, orElse, isAmount, only } of copied) {
      const value = only === undefined || only === record['type'] ? (record[name] ?? null) : null;
      members[member] = value === null ? orElse : isAmount ? microsFromAmount(value as number) : value;
    }
    return members;
  };
  // The copy knows the names of fields at run time only; its type is that of the definition it was made from.
  return copy as (record: RecordOf<F>) => MembersOf<F>;
};
