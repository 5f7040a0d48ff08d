import {
  BUDGET_TYPE_WORDS,
  CLASS_WORDS,
  CREATIVE_STATUS_WORDS,
  LINE_ITEM_TYPE_WORDS,
  PACING_WORDS,
  PRIORITY_WORDS,
} from '../../words/choice-words.ts';
import { CREATIVE_FORMATS } from '../../../src/catalog/model/choices.ts';
import { DELIVERY_STATUSES } from '../../../src/decision/no-bid-reason.ts';
import type { Kind } from '../../api/wire.ts';
import { fieldsOf } from '../forms/entity-fields.ts';
import { say, t } from '../../words/texts.ts';

/** A chip of a list: any of some values, or one record of another kind. */
export interface Filter {
  /** The parameter of the list. */
  readonly name: string;
  readonly label: string;
  readonly choices?: readonly (readonly [value: string, label: string])[];
  readonly kind?: Kind;
}

const named = (words: Readonly<Record<string, { readonly label: string }>>): NonNullable<Filter['choices']> =>
  Object.entries(words).map(([value, { label }]) => [value, label]);

const plain = (values: readonly string[]): NonNullable<Filter['choices']> => values.map((value) => [value, say(value)]);

const STATUS: Filter = { name: 'status', label: t`Status`, choices: plain(DELIVERY_STATUSES.filter((status) => status !== 'archived')) };
const FORMAT: Filter = { name: 'format', label: t`Format`, choices: plain(CREATIVE_FORMATS) };
const of = (kind: Kind, name: string, label: string): Filter => ({ name, label, kind });
const PUBLISHER = of('publishers', 'publisher_id', t`Publisher`);
const ADVERTISER = of('advertisers', 'advertiser_id', t`Advertiser`);
const CAMPAIGN = of('campaigns', 'campaign_id', t`Campaign`);

/** Of kinds that are filtered by more than their parents. */
const FILTERS: Partial<Readonly<Record<Kind, readonly Filter[]>>> = {
  placements: [PUBLISHER, FORMAT],
  campaigns: [STATUS, PUBLISHER, ADVERTISER],
  line_items: [
    STATUS,
    PUBLISHER,
    ADVERTISER,
    CAMPAIGN,
    { name: 'class', label: t`Class`, choices: named(CLASS_WORDS) },
    { name: 'type', label: t`Type`, choices: named(LINE_ITEM_TYPE_WORDS) },
    { name: 'budget_type', label: t`Billed by`, choices: named(BUDGET_TYPE_WORDS) },
    { name: 'pacing', label: t`Pacing`, choices: named(PACING_WORDS) },
    { name: 'priority', label: t`Priority`, choices: named(PRIORITY_WORDS) },
  ],
  creatives: [
    { name: 'status', label: t`State`, choices: named(CREATIVE_STATUS_WORDS) },
    FORMAT,
    PUBLISHER,
    ADVERTISER,
    of('placements', 'placement_id', t`Placement`),
  ],
};

export const filtersOf = (kind: Kind): readonly Filter[] =>
  FILTERS[kind] ??
  fieldsOf(kind).flatMap(({ pointer, schema, parent, words }) =>
    parent && !schema.items ? [of(parent, pointer.slice(1), words.label)] : [],
  );

/** What the records of a list can be grouped by: the parameter, and the kind. */
export interface Grouping {
  readonly name: string;
  readonly label: string;
  readonly kind: Kind;
}

const GROUPS: Partial<Readonly<Record<Kind, readonly Grouping[]>>> = {
  campaigns: [
    { name: 'advertiser', label: t`Advertiser`, kind: 'advertisers' },
    { name: 'publisher', label: t`Publisher`, kind: 'publishers' },
  ],
  line_items: [
    { name: 'campaign', label: t`Campaign`, kind: 'campaigns' },
    { name: 'advertiser', label: t`Advertiser`, kind: 'advertisers' },
  ],
};

export const groupsOf = (kind: Kind): readonly Grouping[] => GROUPS[kind] ?? [];
