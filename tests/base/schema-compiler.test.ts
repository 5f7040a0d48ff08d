import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaCompiler } from '../../src/base/schema-compiler.ts';
import { ENTITIES } from '../../src/catalog/entities/entities.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../src/http/openrtb/ad-request-schema.ts';
import { AUCTION_REQUEST_SCHEMA } from '../../src/http/openrtb/auction-schema.ts';
import { checkedSchema } from '../../src/api/component.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';

const SCHEMAS = {
  ...Object.fromEntries(Object.entries(ENTITIES).map(([table, { schema }]) => [table, schema])),
  AD_REQUEST_SCHEMA,
  FLAT_AD_REQUEST_SCHEMA,
  AUCTION_REQUEST_SCHEMA,
  ...Object.fromEntries(
    Object.entries(allRoutes([])).flatMap(([id, { body }]) =>
      body?.refusal === undefined ? [] : [[`the body of ${id}`, checkedSchema(body.schema)]],
    ),
  ),
};

test.each(Object.entries(SCHEMAS))('%s is a valid schema', (_name, schema) => {
  const ajv = new Ajv2020();
  expect([ajv.validateSchema(schema), ajv.errors]).toEqual([true, null]);
});

test('a schema with an unknown keyword, or a value of the wrong type, is refused when it is compiled', () => {
  expect(() => schemaCompiler().compile({ type: 'string', maxLenght: 3 })).toThrow('unknown keyword');
  expect(() => schemaCompiler().compile({ type: 'string', maxLength: '3' })).toThrow('maxLength value must be');
});

test.each([
  ['', true],
  ['a', true],
  ['ab', true],
  ['🗼', true],
  ['🗼b', true],
  ['🗼🗼', true],
  ['abc', false],
  ['🗼bc', false],
  ['🗼🗼🗼', false],
])('a text has as many characters as Unicode counts: %p has at most two, %p', (text, expected) => {
  const ajv = schemaCompiler();
  expect(ajv.validate({ type: 'string', maxLength: 2 }, text)).toBe(expected);
  expect(ajv.validate({ type: 'string', minLength: 3 }, text)).toBe(!expected);
  expect(ajv.errors?.map(({ message }) => message)).toEqual(expected ? ['must NOT have fewer than 3 characters'] : undefined);
});
