import type { FieldDescription, FormDescription } from '../../src/catalog/checks/form-description.ts';
import { FORMS } from '../../src/catalog/checks/forms.ts';
import { bidderSchema } from '../../src/catalog/checks/bidder-schema.ts';
import { advertiserSchema } from '../../src/catalog/checks/advertiser-schema.ts';
import { creativeSchema } from '../../src/catalog/checks/creative-schema.ts';
import { campaignSchema, lineItemSchema, placementSchema, publisherSchema } from '../../src/catalog/checks/schemas.ts';

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const SCHEMAS = {
  publishers: publisherSchema,
  placements: placementSchema,
  advertisers: advertiserSchema,
  bidders: bidderSchema,
  campaigns: campaignSchema,
  line_items: lineItemSchema,
  creatives: creativeSchema,
} as Readonly<Record<keyof typeof FORMS, object>> as Readonly<Record<keyof typeof FORMS, Schema>>;

const fieldsOf = (form: FormDescription): readonly (readonly [string, FieldDescription])[] =>
  form.sections.flatMap(({ fields }) => Object.entries(fields) as [string, FieldDescription][]);

/** By path; an object with properties is replaced by its properties. */
const pathsOf = ({ properties = {} }: Schema): readonly (readonly [string, Schema])[] =>
  Object.entries(properties).flatMap(([name, schema]) =>
    schema.properties ? pathsOf(schema).map(([path, below]) => [`${name}/${path}`, below] as const) : [[name, schema] as const],
  );

const kinds = Object.keys(FORMS) as (keyof typeof FORMS)[];

test.each(kinds)('the form of %s has every field of the schema that a client sets, and no other', (kind) => {
  const described = fieldsOf(FORMS[kind]).map(([path]) => path);
  const set = pathsOf(SCHEMAS[kind])
    .map(([path]) => path)
    .filter((path) => path !== 'id' || kind === 'placements')
    // The short form of placement_ids.
    .filter((path) => path !== 'placement_id');
  expect([...described].sort()).toEqual([...set].sort());
});

test.each(kinds)('the form of %s names every value of an enumeration, and its conditions name fields', (kind) => {
  const schemas = new Map(pathsOf(SCHEMAS[kind]));
  for (const [path, { choices = {}, when = {}, variants = [] }] of fieldsOf(FORMS[kind])) {
    const values = (schemas.get(path)?.enum ?? schemas.get(path)?.items?.enum ?? []).filter((value) => value !== null);
    expect([path, ...Object.keys(choices).sort()]).toEqual([path, ...values.map(String).sort()]);
    for (const name of [when, ...variants.map((variant) => variant.when)].flatMap((condition) => Object.keys(condition)))
      expect(schemas.has(name)).toBe(true);
  }
});
