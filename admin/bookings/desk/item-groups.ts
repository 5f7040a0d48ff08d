import type { Dimensions, PlacementWire } from '../../api/wire.ts';
import { frequencyCapsOf } from '../../../src/catalog/model/frequency-caps.ts';
import {
  BUDGET_TYPE_WORDS,
  CLASS_WORDS,
  LINE_ITEM_TYPE_WORDS,
  PACING_WORDS,
  PRIORITY_WORDS,
  ROTATION_WORDS,
} from '../../words/choice-words.ts';
import { capWords } from '../../words/cap-words.ts';
import { flight } from '../../words/dates.ts';
import { count, money, price } from '../../words/formats.ts';
import { counted, listed } from '../../words/kinds.ts';
import { scheduleWords } from '../../words/schedule-words.ts';
import { targetingWords } from '../../words/targeting-words.ts';
import { t } from '../../words/texts.ts';
import { countryName } from '../../parts/fields/country-field.ts';
import { fieldsOf } from '../forms/entity-fields.ts';
import { textOf } from '../forms/typed-text.ts';
import { recordOfPart, type ItemPart } from './booking-draft.ts';

export type GroupName = 'what' | 'where' | 'when' | 'who' | 'price' | 'pace';

/** The fields of a line item as the booking screen groups them. `more`: those that few line items need. */
export interface ItemGroup {
  readonly name: GroupName;
  readonly label: string;
  readonly fields: readonly string[];
  readonly more: readonly string[];
}

const TARGETING = [
  'regions',
  'cities',
  'languages',
  'browsers',
  'os',
  'connection',
  'urls',
  'referrers',
  'audiences',
  'dimensions',
  'key_values',
];

const GROUPS: readonly ItemGroup[] = [
  {
    ...{ name: 'what', label: t`What` },
    fields: ['name', 'class', 'type', 'bidder_id', 'endpoint'],
    more: [
      ...['priority', 'share_of_voice', 'roadblock', 'rotation', 'deal_id'],
      ...['gvl_id', 'notice_hosts', 'value_cpm', 'external_key', 'active'],
    ],
  },
  { ...{ name: 'where', label: t`Where` }, fields: ['placement_ids'], more: [] },
  { ...{ name: 'when', label: t`When` }, fields: ['start_date', 'end_date'], more: ['schedule', 'schedule_zone'] },
  {
    ...{ name: 'who', label: t`Who` },
    fields: ['targeting/devices', 'targeting/countries'],
    more: [
      ...TARGETING.map((one) => `targeting/${one}`),
      'targeting_id',
      ...['countries', 'devices', ...TARGETING].map((one) => `targeting/exclude/${one}`),
    ],
  },
  {
    ...{ name: 'price', label: t`How much` },
    fields: ['goal_impressions', 'cpm', 'cpc'],
    more: ['budget_type', 'list_price', 'discount', 'added_value', 'budget', 'goal_clicks', 'floor'],
  },
  {
    ...{ name: 'pace', label: t`How fast` },
    fields: ['frequency_cap', 'frequency_window', 'pacing'],
    more: ['daily_impression_cap', 'daily_spend_cap', 'frontload', 'frequency_caps', 'rate_limit', 'rate_burst'],
  },
];

const NAMED = new Set(GROUPS.flatMap(({ fields, more }) => [...fields, ...more]));
/** What a group does not name is part of what a line item is. What it belongs to is given, and it is archived elsewhere. */
const OTHERS = fieldsOf('line_items')
  .map(({ pointer }) => pointer.slice(1))
  .filter((name) => !NAMED.has(name) && !['campaign_id', 'archived'].includes(name));

export const ITEM_GROUPS: readonly ItemGroup[] = GROUPS.map((group) =>
  group.name === 'what' ? { ...group, more: [...group.more, ...OTHERS] } : group,
);

type Fields = Readonly<Record<string, never>>;

export interface GroupNames {
  readonly dimensions: Dimensions;
  readonly currency: string;
  /** Of a targeting that line items share. */
  readonly targetingNamed: (id: number) => string;
}

/** A line item in one line for each group: `phones in US, CA`. */
export const groupWords = (item: ItemPart, { dimensions, currency, targetingNamed }: GroupNames): Readonly<Record<GroupName, string>> => {
  const record = recordOfPart('line_items', item.fields, dimensions) as unknown as Fields & Readonly<Record<string, unknown>>;
  const own = (record['placement_ids'] as readonly string[] | undefined) ?? [];
  // Creatives may have placements of their own.
  const others = item.creatives.flatMap(({ base }) => (base?.['placement_ids'] as readonly string[] | undefined) ?? []);
  const places = [...new Set(own.length > 0 ? own : others)];
  const targeting = (record['targeting'] ?? {}) as Parameters<typeof targetingWords>[0];
  const { targeting_id: shared }: Readonly<Record<string, unknown>> = record;
  const rules = [
    ...(typeof shared === 'number' ? [t`of “${targetingNamed(shared)}”`] : []),
    ...targetingWords(targeting, { countryName, dimensions }),
  ];
  const caps = frequencyCapsOf(record as never);
  return {
    what: [
      labelIn(LINE_ITEM_TYPE_WORDS, record['type']),
      labelIn(CLASS_WORDS, record['class']) || t`${labelIn(PRIORITY_WORDS, record['priority'] ?? 2)} priority`,
      ...soldWords(record),
      item.creatives.length > 0 ? counted(item.creatives.length, 'creative') : t`no creative yet`,
    ].join(', '),
    where: places.length > 0 ? listed(places) : t`nowhere yet`,
    when: whenWords(record),
    who: rules.length > 0 ? rules.join(', ') : t`everyone`,
    price: priceWords(record, currency),
    pace: [
      labelIn(PACING_WORDS, record['pacing']),
      ...limitWords(record, currency),
      ...(caps.length > 0 ? capWords(caps) : [t`any number of times per person`]),
    ].join(' · '),
  };
};

const labelIn = (choices: Readonly<Record<string, { readonly label: string }>>, value: unknown): string =>
  choices[textOf(value)]?.label ?? '';

/** What sets it apart from others of its class: `30% of the requests`. */
const soldWords = (record: Readonly<Record<string, unknown>>): readonly string[] => {
  const { share_of_voice: share, roadblock, rotation } = record;
  return [
    ...(typeof share === 'number' ? [t`${share}% of the requests`] : []),
    ...(roadblock === true ? [t`all placements together`] : []),
    ...(rotation === 'sequence' ? [ROTATION_WORDS.sequence.label] : []),
  ];
};

const whenWords = (record: Readonly<Record<string, unknown>>): string => {
  const [start, end] = [textOf(record['start_date']), textOf(record['end_date'])];
  const days = start === '' && end === '' ? t`with the campaign` : flight({ start_date: start || '…', end_date: end || '…' });
  const hours = scheduleWords((record['schedule'] as Parameters<typeof scheduleWords>[0] | undefined) ?? []);
  if (hours === '') return days;
  return record['schedule_zone'] === 'visitor' ? t`${days}, ${hours} on the clock of the visitor` : `${days}, ${hours}`;
};

/** `5,000 impressions a day`. */
const limitWords = (record: Readonly<Record<string, unknown>>, currency: string): readonly string[] => {
  const { daily_impression_cap: impressions, daily_spend_cap: spend, rate_limit: rate } = record;
  return [
    ...(typeof impressions === 'number' ? [t`${count(impressions)} impressions a day`] : []),
    ...(typeof spend === 'number' ? [t`${money(spend, currency)} a day`] : []),
    ...(typeof rate === 'number' ? [t`${rate} serves a second`] : []),
  ];
};

/** `300,000 impressions at $9.00 CPM`. */
const priceWords = (record: Readonly<Record<string, unknown>>, currency: string): string => {
  if (record['type'] === 'programmatic') return t`by bid`;
  const number = (name: string): number | undefined => (typeof record[name] === 'number' ? record[name] : undefined);
  const [type, cpm, cpc, cpcv, budget] = [textOf(record['budget_type']), number('cpm'), number('cpc'), number('cpcv'), number('budget')];
  const [impressions, clicks] = [number('goal_impressions'), number('goal_clicks')];
  const goal = [
    impressions === undefined ? '' : t`${count(impressions)} impressions`,
    clicks === undefined ? '' : t`${count(clicks)} clicks`,
  ].filter((one) => one !== '');
  const rate = type === 'CPC' ? cpc : type === 'CPCV' ? cpcv : cpm;
  const label = labelIn(BUDGET_TYPE_WORDS, type);
  if (record['added_value'] === true) return [...goal, t`added value`].join(', ');
  if (type === 'Flat') return [...goal, budget === undefined ? t`no fee yet` : t`a fee of ${money(budget, currency)}`].join(', ');
  const paid = rate === undefined ? t`no price yet` : `${price(rate, currency)} ${label}`;
  const [list, off] = [number('list_price'), number('discount')];
  const discount = list === undefined || off === undefined ? '' : t`${off}% off ${price(list, currency)}`;
  const bound = budget === undefined ? '' : t`up to ${money(budget, currency)}`;
  return [goal.length > 0 ? t`${goal.join(', ')} at ${paid}` : paid, discount, bound].filter((one) => one !== '').join(', ');
};

/** What a line item costs when it delivers what is booked; undefined: its price or its bound is open. */
export const costOf = (item: ItemPart, dimensions: Dimensions): number | undefined => {
  const record = recordOfPart('line_items', item.fields, dimensions);
  const number = (name: string): number | undefined => (typeof record[name] === 'number' ? record[name] : undefined);
  const [goal, clicks, cpm, cpc, cpcv, budget] = ['goal_impressions', 'goal_clicks', 'cpm', 'cpc', 'cpcv', 'budget'].map(number);
  if (record['type'] === 'programmatic' || record['budget_type'] === 'Flat') return budget;
  const type = record['budget_type'];
  // Of completed views at most: an impression is completed once.
  const agreed = type === 'CPC' ? product(clicks, cpc) : type === 'CPCV' ? product(goal, cpcv) : product(goal, cpm, 1_000);
  return agreed === undefined || budget === undefined ? (agreed ?? budget) : Math.min(agreed, budget);
};

const product = (many: number | undefined, rate: number | undefined, per = 1): number | undefined =>
  many === undefined || rate === undefined ? undefined : (many * rate) / per;

/** The sizes of placements of a line item that none of its creatives has: `300 × 600 for sidebar`. */
export const missingSizes = (item: ItemPart, placements: readonly PlacementWire[]): readonly string[] =>
  placements
    .filter(({ width, height }) => !item.creatives.some(({ fields }) => isSized(fields, width, height)))
    .map(({ id, width, height }) => t`${width} × ${height} for ${id}`);

/** A creative without a size of its own takes that of the placement. */
const isSized = ({ width, height }: Readonly<Record<string, unknown>>, wide: number, high: number): boolean =>
  (width ?? wide) === wide && (height ?? high) === high;
