import type { Entity } from '../../src/catalog/entities/define-entity.ts';
import { ENTITY_TABLES, entityOf } from '../../src/catalog/entities/entities.ts';
import type { Field } from '../../src/catalog/entities/field.ts';
import { formOf, type FormField } from '../../src/catalog/entities/form.ts';

const fieldsOf = (entity: Entity): readonly FormField[] => formOf(entity).flatMap(({ fields }) => fields);

/** Of the fields that a client sets; an object is replaced by its members. */
const pointersOf = ({ fields }: Entity): readonly string[] =>
  Object.entries<Field>(fields)
    // The short form of placement_ids.
    .filter(([name, { absent }]) => absent !== 'generated' && name !== 'placement_id')
    .flatMap(([name, field]) => pointersBelow(`/${name}`, field));

const pointersBelow = (pointer: string, { members }: Pick<Field, 'members'>): readonly string[] =>
  members ? Object.entries(members).flatMap(([name, member]) => pointersBelow(`${pointer}/${name}`, member)) : [pointer];

test.each(ENTITY_TABLES)('the form of %s has every field that a client sets, once', (table) => {
  const shown = fieldsOf(entityOf(table)).map(({ pointer }) => pointer);
  expect([...shown].sort()).toEqual([...pointersOf(entityOf(table))].sort());
});

test.each(ENTITY_TABLES)('the form of %s names every value of an enumeration, and its conditions name fields', (table) => {
  const pointers = pointersOf(entityOf(table));
  for (const { pointer, schema, choices, words } of fieldsOf(entityOf(table))) {
    const values = (schema.enum ?? schema.items?.enum ?? []).filter((value) => value !== null);
    expect([pointer, ...Object.keys(choices).sort()]).toEqual([pointer, ...values.map(String).sort()]);
    const conditions = [words.when ?? {}, ...(words.variants ?? []).map(({ when }) => when)];
    for (const name of conditions.flatMap((condition) => Object.keys(condition))) expect(pointers).toContain(`/${name}`);
  }
});
