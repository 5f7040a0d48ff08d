import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaCompiler } from '../../src/base/schema-compiler.ts';
import { advertiserSchema } from '../../src/catalog/checks/advertiser-schema.ts';
import { bidderSchema } from '../../src/catalog/checks/bidder-schema.ts';
import { creativeSchema } from '../../src/catalog/checks/creative-schema.ts';
import { campaignSchema, lineItemSchema, placementSchema, publisherSchema } from '../../src/catalog/checks/schemas.ts';
import { AD_REQUEST_SCHEMA, FLAT_AD_REQUEST_SCHEMA } from '../../src/http/openrtb/ad-request-schema.ts';
import { AUCTION_REQUEST_SCHEMA } from '../../src/http/openrtb/auction-schema.ts';
import { checkedSchema } from '../../src/api/component.ts';
import { allRoutes } from '../../src/trafficking/trafficking-api.ts';

const SCHEMAS = {
  publisherSchema,
  placementSchema,
  advertiserSchema,
  bidderSchema,
  campaignSchema,
  lineItemSchema,
  creativeSchema,
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
