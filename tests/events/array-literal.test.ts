import fc from 'fast-check';
import knexFactory, { type Knex } from 'knex';
import { arrayLiteral } from '../../src/events/postgres/array-literal.ts';
import { testDatabase } from '../setup/test-database.ts';

let knex: Knex;
beforeAll(async () => {
  knex = knexFactory({ client: 'pg', connection: await testDatabase(), pool: { min: 0, max: 1 } });
});
afterAll(() => knex.destroy());

const readBack = async (literal: string, type: string): Promise<unknown> => {
  const { rows } = await knex.raw<{ rows: { read: unknown }[] }>(`select ?::${type}[] as read`, [literal]);
  return rows[0]?.read;
};

describe('arrayLiteral', () => {
  test.each([['', 'null', 'NULL', null, 'nullable', '{}', 'a,b', '"', '\\', '\\"', ' a ', 'a\nb', '\t', 'ünï', '{"k":[1,"x\\\\"]}']])(
    'texts with the signs of an array come back from Postgres as they were',
    async (...texts) => expect(await readBack(arrayLiteral(texts), 'text')).toEqual(texts),
  );

  test('numbers, truth values and nothing at all come back too', async () => {
    expect(await readBack(arrayLiteral([1, -2, null, undefined]), 'int')).toEqual([1, -2, null, null]);
    expect(await readBack(arrayLiteral([true, false, null]), 'boolean')).toEqual([true, false, null]);
    expect(await readBack(arrayLiteral([]), 'text')).toEqual([]);
  });

  test('any text that Postgres can hold comes back as it was', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')))), async (texts) => {
        expect(await readBack(arrayLiteral(texts), 'text')).toEqual(texts);
      }),
    ));
});
