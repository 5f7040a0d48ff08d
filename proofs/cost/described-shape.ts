import { json, list, object, type Member, type Shape } from './shape.ts';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly default?: unknown;
}

const OF_FORMAT: Readonly<Record<string, string>> = {
  'flight-date': '2026-01-01',
  'http-url': 'https://advertiser.example/landing',
  country: 'DE',
  host: 'notices.bidder.example',
};

/** A value that the schema accepts, with every property; `known` gives values by property name. */
export const shapeOfSchema = (schema: JsonSchema, known: Readonly<Record<string, Shape>>, name = ''): Shape => {
  const given = known[name];
  if (given) return given;
  if (schema.enum) return json(schema.enum[0]);
  if (schema.anyOf) return shapeOfSchema(schema.anyOf[0] ?? {}, known);
  const [type] = [schema.type ?? 'object'].flat();
  switch (type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(([key, value]): Member => [key, shapeOfSchema(value, known, key)]);
      const further = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
      const more = further && { value: shapeOfSchema(further, known), times: 2, same: false, nameLength: 1 };
      return { kind: 'object', members, more };
    }
    case 'array':
      return { kind: 'list', items: [shapeOfSchema(schema.items ?? {}, known)], times: 1 };
    case 'string':
      return json(OF_FORMAT[schema.format ?? ''] ?? 'text');
    case 'boolean':
      return json(true);
    default:
      return json(schema.minimum ?? 1);
  }
};

/** A value as its example describes it; `known` gives values by the name of their property. */
export const shapeOfExample = (value: unknown, known: Readonly<Record<string, Shape>>, name = ''): Shape => {
  const given = known[name];
  if (given) return given;
  if (Array.isArray(value)) return list(...value.map((item) => shapeOfExample(item, known)));
  if (typeof value !== 'object' || value === null) return json(value);
  return object(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOfExample(inner, known, key)])));
};
