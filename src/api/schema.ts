/** A JSON Schema (2020-12), and constructors for the ones that the OpenAPI document repeats. */
export type Schema = Readonly<Record<string, unknown>>;

export const count = { type: 'integer', minimum: 0 };
export const usd = { type: 'number', description: 'USD' };
export const text = { type: 'string' };
export const integer = { type: 'integer' };
export const number = { type: 'number' };
export const boolean = { type: 'boolean' };
export const moment = { type: 'string', format: 'date-time' };
export const day = { type: 'string', format: 'date', description: 'UTC day' };
export const countsByName = { type: 'object', additionalProperties: count };

/** A reference to a component schema. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

export const listOf = (items: Schema): Schema => ({ type: 'array', items });

export const oneOf = (values: readonly string[]): Schema => ({ type: 'string', enum: values });

export const orNull = (type: string, more: Schema = {}): Schema => ({ type: [type, 'null'], ...more });

/** An object in which every property is always present. */
export const record = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  ...more,
});
