import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import { CREATIVE, type CreativeRecord } from '../entities/creative.ts';
import type { Entity } from '../entities/define-entity.ts';
import { ENTITIES, ENTITY_TABLES, entityOf, type EntityTable, type Records } from '../entities/entities.ts';
import type { Fields, RecordOf } from '../entities/field.ts';
import { placementRules } from '../entities/page-pictures.ts';
import { hasAtMostDecimals } from '../model/money.ts';
import { withDimensionTypes } from '../../targeting/check-dimensions.ts';
import { withAgreedPrice } from '../model/agreed-price.ts';
import { withClassDefaults } from '../model/line-item-classes.ts';
import type { DimensionSchema } from '../../targeting/dimension-schema.ts';
import {
  advertiserRules,
  bidderRules,
  creativeRules,
  campaignRules,
  lineItemRules,
  namedTargetingRules,
  publisherRules,
  type CreativeContext,
} from './rules.ts';
import { DIMENSION_FORMS, type TargetingContext } from './targeting-faults.ts';
import { shapeOf, type Checked, type Given, type ShapedRecord } from './shape-record.ts';

/**
 * Applies the rules even when the shape has faults, so that one answer lists everything. A rule is
 * silent about a value whose shape is already at fault.
 *
 * @param completed fills in fields that others imply, and brings values into one spelling
 */
const checkOf = <F extends Fields, Context extends readonly unknown[]>(
  entity: Entity<F>,
  rules: (record: Given<RecordOf<F>>, ...context: Context) => readonly Fault[],
  completed = (shaped: ShapedRecord<RecordOf<F>>, ..._context: Context): ShapedRecord<RecordOf<F>> => shaped,
  withDefaults?: (record: Given<RecordOf<F>>) => Given<RecordOf<F>>,
) => {
  const shape = shapeOf(entity, withDefaults);
  const decimals = Object.entries(entity.fields).flatMap(([name, { stored, decimals: places = 6 }]) =>
    stored === 'micros' ? [{ name, places }] : [],
  );
  return (input: unknown, ...context: Context): Checked<RecordOf<F>> => {
    const shaped = shape(input);
    const { record, faults } = isObject(input) ? completed(shaped, ...context) : shaped;
    const known = new Set(faults.map(({ pointer }) => pointer));
    const broken = [...decimals.flatMap(({ name, places }) => decimalFault(record, name, places)), ...rules(record, ...context)];
    const all = [...faults, ...broken.filter(({ pointer }) => !known.has(pointer))];
    return all.length > 0 ? { ok: false, faults: all } : { ok: true, record: record as RecordOf<F> };
  };
};

const decimalFault = (record: Readonly<Record<string, unknown>>, name: string, places: number): readonly Fault[] => {
  const value = record[name];
  return typeof value === 'number' && !hasAtMostDecimals(value, places)
    ? [{ pointer: `/${name}`, detail: `must have at most ${places} decimals` }]
    : [];
};

/** Fills in `placement_id` or `placement_ids` from the other. */
const withPlacements = ({ record, faults }: ShapedRecord<CreativeRecord>, _context?: CreativeContext): ShapedRecord<CreativeRecord> => {
  const { placement_id: first, placement_ids: all } = record;
  if (all === undefined) {
    if (first !== undefined) return { record: { ...record, placement_ids: [first] }, faults };
    return { record, faults: [...faults, { pointer: '/placement_ids', detail: 'is required' }] };
  }
  if (!Array.isArray(all)) return { record, faults };
  if (first === undefined) return { record: { ...record, placement_id: all[0] as unknown }, faults };
  if (!all.includes(first)) return { record, faults: [...faults, { pointer: '/placement_id', detail: 'must be one of placement_ids' }] };
  const others = (all as readonly unknown[]).filter((id) => id !== first);
  return { record: { ...record, placement_ids: [first, ...others] }, faults };
};

/** Spells the values of registered dimensions as requests are compared with them, in either form. */
const withTypedTargeting = <R extends { readonly targeting: unknown }>(
  { record, faults }: ShapedRecord<R>,
  { dimensions }: TargetingContext,
): ShapedRecord<R> => {
  const targeting = typedRules(record.targeting, dimensions);
  if (!isObject(targeting)) return { record, faults };
  const exclude = typedRules(targeting['exclude'], dimensions);
  if (exclude !== targeting['exclude']) return { record: { ...record, targeting: { ...targeting, exclude } }, faults };
  return { record: targeting === record.targeting ? record : { ...record, targeting }, faults };
};

/** The same object where its values have their types. */
const typedRules = (rules: unknown, dimensions: DimensionSchema): unknown => {
  if (!isObject(rules)) return rules;
  const typed = DIMENSION_FORMS.flatMap((form) => {
    const values = rules[form];
    return isObject(values) ? [[form, withDimensionTypes(dimensions, values)] as const] : [];
  });
  return typed.every(([form, values]) => values === rules[form]) ? rules : { ...rules, ...Object.fromEntries(typed) };
};

const RULED = {
  publishers: checkOf(ENTITIES.publishers, publisherRules),
  placements: checkOf(ENTITIES.placements, placementRules),
  advertisers: checkOf(ENTITIES.advertisers, advertiserRules),
  bidders: checkOf(ENTITIES.bidders, bidderRules),
  campaigns: checkOf(ENTITIES.campaigns, campaignRules),
  targetings: checkOf(ENTITIES.targetings, namedTargetingRules, withTypedTargeting),
  line_items: checkOf(ENTITIES.line_items, lineItemRules, withTypedTargeting, (record) => withAgreedPrice(withClassDefaults(record))),
  creatives: checkOf(CREATIVE, creativeRules, withPlacements),
};

type Checks = typeof RULED & { readonly [T in Exclude<EntityTable, keyof typeof RULED>]: (input: unknown) => Checked<Records[T]> };

const unruled = ENTITY_TABLES.filter((table) => !(table in RULED));

/**
 * One check per entity, for writes of the trafficking API and for every row of a catalog load. Each
 * takes any JSON value and returns the record in canonical spelling with its defaults, or every
 * fault. The caller checks whether parents exist.
 */
export const CHECKS = {
  ...RULED,
  ...Object.fromEntries(unruled.map((table) => [table, checkOf(entityOf(table), () => [])])),
} as Checks;
