import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaFaults } from '../../src/base/schema-faults.ts';

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });

const cases: readonly (readonly [object, unknown, string])[] = [
  [{ type: 'string', minLength: 1 }, '', 'must not be empty'],
  [{ type: 'string', maxLength: 3 }, 'abcd', 'must have at most 3 characters'],
  [{ type: ['number', 'null'] }, '1,500.00', 'must be a number or null'],
  [{ type: 'integer' }, 1.5, 'must be a whole number'],
  [{ type: 'number', minimum: 0 }, -1, 'must be at least 0'],
  [{ type: 'number', exclusiveMinimum: 0 }, 0, 'must be more than 0'],
  [{ type: 'number', maximum: 9 }, 10, 'must be at most 9'],
  [{ type: 'array', minItems: 1 }, [], 'must have at least one value'],
  [{ type: 'array', uniqueItems: true }, [1, 1], 'must not have the same value twice'],
  [{ enum: ['CPM', 'CPC'] }, 'x', 'must be one of CPM, CPC'],
];

test.each(cases)('%j refuses %j with a readable message', (schema, value, detail) => {
  const validate = ajv.compile(schema);
  expect(validate(value)).toBe(false);
  expect(schemaFaults(validate.errors)).toEqual([{ pointer: '', detail }]);
});
