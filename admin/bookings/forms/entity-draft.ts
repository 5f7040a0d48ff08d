import type { Dimensions, Kind } from '../../api/wire.ts';
import type { Store } from '../../api/store.ts';
import { isoDateIn } from '../../words/dates.ts';
import { fieldsOf, hasType, holds } from './entity-fields.ts';
import { ADDED_VALUE_TERMS, agreedPrice } from '../../../src/catalog/model/agreed-price.ts';
import { classChoice, lineItemClassOf } from '../../../src/catalog/model/line-item-classes.ts';
import type { FormField } from '../../../src/catalog/entities/form.ts';
import type { Draft } from './form.ts';
import { readAt, writtenAt } from './pointer.ts';
import { listOf, numberOf } from './typed-text.ts';
import { codecOf } from './widgets.ts';

/**
 * What a form begins with: the record, or initial values and the schema's defaults where it has
 * none.
 */
export const draftOf = (kind: Kind, record: object): Draft =>
  fieldsOf(kind).reduce<Draft>((draft, field) => {
    const value = readAt(record, field.pointer) ?? field.words.initial ?? field.schema.default;
    return writtenAt(draft, field.pointer, codecOf(field).toDraft(value));
  }, {});

/**
 * The record as the service takes it. What a person typed and is not valid is sent as typed: the
 * service says what is wrong.
 */
export const recordOf = (kind: Kind, draft: Draft, dimensions: Dimensions): Draft => {
  const decided = decidedBy(kind, draft);
  return fieldsOf(kind).reduce<Draft>((record, field) => {
    const value = valueOf(field, draft, dimensions, decided);
    // Absent rather than null, so that the fault reads "is required".
    return value === null && !hasType(field.schema, 'null') ? record : writtenAt(record, field.pointer, value);
  }, {});
};

/** Fields that decide others. */
const DECIDING = ['/class', '/added_value'];

/** What the class of a line item, and added value, decide of its other fields. */
const decidedBy = (kind: Kind, draft: Draft): Readonly<Record<string, unknown>> => {
  if (kind !== 'line_items') return {};
  const chosen = lineItemClassOf(draft['class']);
  return { ...(chosen !== undefined && classChoice(chosen)), ...(draft['added_value'] === true && ADDED_VALUE_TERMS) };
};

/** The price follows from these. */
const PRICED_BY = ['/list_price', '/discount'];

/** A draft in which a field was set, and what follows from it: choosing a class sets what it decides, a discount the price. */
export const withChoice = (kind: Kind, draft: Draft, pointer: string, value: unknown): Draft => {
  const next = writtenAt(draft, pointer, value);
  if (PRICED_BY.includes(pointer)) {
    const { type, budget_type, list_price, discount } = next;
    const agreed = agreedPrice({ type, budget_type, list_price: numberOf(list_price), discount: numberOf(discount) });
    return agreed ? writtenAt(next, `/${agreed.field}`, String(agreed.price)) : next;
  }
  if (!DECIDING.includes(pointer)) return next;
  const decided = decidedBy(kind, next);
  return fieldsOf(kind)
    .filter((field) => Object.hasOwn(decided, field.pointer.slice(1)))
    .reduce((all, field) => writtenAt(all, field.pointer, codecOf(field).toDraft(decided[field.pointer.slice(1)])), next);
};

const valueOf = (field: FormField, draft: Draft, dimensions: Dimensions, decided: Readonly<Record<string, unknown>>): unknown => {
  const { pointer, schema, words } = field;
  if (!words.keptWhileHidden && !holds(words.when, draft)) return decided[pointer.slice(1)] ?? schema.default ?? null;
  return codecOf(field).toRecord(readAt(draft, pointer), { schema, dimensions });
};

const CAMPAIGN_DAYS = 30;

/**
 * A new record with what the address says, what has only one choice, and what follows from its
 * parent.
 */
export const newRecord = (kind: Kind, given: object, store: Store): object => {
  const onlyParents = fieldsOf(kind).flatMap(({ pointer, required, schema, parent }) => {
    const [first, ...others] = parent && required ? store.first(parent) : [];
    return first && others.length === 0 ? [[pointer.slice(1), schema.items ? [first.id] : first.id] as const] : [];
  });
  const record: Readonly<Record<string, unknown>> = { ...Object.fromEntries(onlyParents), ...given };
  switch (kind) {
    case 'campaigns':
      return { start_date: isoDateIn(0), end_date: isoDateIn(CAMPAIGN_DAYS), ...record };
    case 'line_items': {
      const campaign = store.find('campaigns', record['campaign_id'] as number | undefined);
      return { ...(campaign && { start_date: campaign.start_date, end_date: campaign.end_date }), ...record };
    }
    case 'creatives': {
      const given = record['placement_id'] as string | undefined;
      const placement_ids = given === undefined ? listOf(record['placement_ids']) : [given];
      return { format: store.find('placements', placement_ids[0])?.formats[0], ...record, placement_ids };
    }
    default:
      return record;
  }
};
