import { valuesOf, type BudgetType, type Choices, type LINE_ITEM_TYPE_WORDS, type Pacing, type Priority } from './choices.ts';

/** What a line item was sold as, in the words of Google Ad Manager. */
export const CLASS_WORDS = {
  sponsorship: { label: 'Sponsorship', note: 'a share of the requests, before all others' },
  standard: { label: 'Standard', note: 'a guaranteed number, spread over the flight' },
  network: { label: 'Network', note: 'what guaranteed line items leave' },
  bulk: { label: 'Bulk', note: 'a number, as far as there is room' },
  price: { label: 'Price', note: 'competes by its price' },
  house: { label: 'House', note: 'own ads, without price, after all others' },
} as const satisfies Choices;
export const LINE_ITEM_CLASSES = valuesOf(CLASS_WORDS);
export type LineItemClass = (typeof LINE_ITEM_CLASSES)[number];

/** The settings of a line item that a class decides, or narrows. */
interface ClassSettings {
  readonly type: keyof typeof LINE_ITEM_TYPE_WORDS;
  readonly priority: Priority;
  readonly share_of_voice: number;
  readonly pacing: Pacing;
  readonly budget_type: BudgetType;
  readonly cpc: number;
  readonly cpcv: number;
  readonly budget: number;
  readonly goal_impressions: number;
  readonly goal_clicks: number;
}
type ClassField = keyof ClassSettings;

export interface ClassTerms {
  /** What it is, in the words of a refusal. */
  readonly is: string;
  /** A field that is not given has this. */
  readonly defaults: Partial<ClassSettings>;
  /** The values that a field may have; none: it has no value. A field that is not named may have any. */
  readonly allows: { readonly [F in ClassField]?: readonly ClassSettings[F][] };
  /** One of these has a value. */
  readonly needs?: readonly ClassField[];
}

const NO_GOALS = { goal_impressions: [], goal_clicks: [] } as const;
/** Between guaranteed line items and house ads: with bidders, by price. */
const NOT_GUARANTEED = [2, 3] as const;
const UNITS = ['goal_impressions', 'goal_clicks'] as const;

/**
 * Named presets over priority, share of voice, pacing, price and goal. A class gives defaults and
 * narrows what may be set; the decision knows these settings only.
 */
export const LINE_ITEM_CLASS_TERMS: Readonly<Record<LineItemClass, ClassTerms>> = {
  sponsorship: {
    is: 'a sponsorship is a share of the requests, before all others',
    defaults: { priority: 1, share_of_voice: 100 },
    allows: { type: ['direct'], priority: [1], ...NO_GOALS },
    needs: ['share_of_voice'],
  },
  standard: {
    is: 'a standard line item is a guaranteed number, spread over the flight',
    defaults: { priority: 1, pacing: 'Even' },
    allows: { type: ['direct'], priority: [1, 2], share_of_voice: [], pacing: ['Even', 'PID'] },
    needs: UNITS,
  },
  network: {
    is: 'a network line item takes what guaranteed ones leave, without a number',
    defaults: { priority: 2 },
    allows: { priority: NOT_GUARANTEED, share_of_voice: [], ...NO_GOALS },
  },
  bulk: {
    is: 'bulk is a number that is not guaranteed',
    defaults: { priority: 2, pacing: 'Even' },
    allows: { type: ['direct'], priority: NOT_GUARANTEED, share_of_voice: [] },
    needs: UNITS,
  },
  price: {
    is: 'a price line item competes by its price',
    defaults: { priority: 2 },
    allows: { priority: NOT_GUARANTEED, share_of_voice: [], budget_type: ['CPM', 'VCPM', 'CPC', 'CPCV'] },
  },
  house: {
    is: 'a house ad has no price and comes last',
    defaults: { priority: 3, budget_type: 'Flat' },
    allows: { type: ['direct'], priority: [3], share_of_voice: [], budget_type: ['Flat'], cpc: [], cpcv: [], budget: [] },
  },
};

/** Whether its place may go to a bidder while it is ahead of its goal: a sponsorship is sold by its share, and has no goal to be ahead of. */
export const mayYield = (lineItem: { readonly class: LineItemClass | null; readonly pacing: Pacing }): boolean =>
  lineItem.class === 'standard' && lineItem.pacing !== 'ASAP';

/** undefined: not the name of a class. Names are read in any letter case. */
export const lineItemClassOf = (value: unknown): LineItemClass | undefined =>
  typeof value === 'string' ? LINE_ITEM_CLASSES.find((name) => name === value.trim().toLowerCase()) : undefined;

/** The classes in which a field of the form is open: it has more than one value. '': without a class. */
export const classesThatLeave = (field: ClassField): readonly string[] => [
  '',
  ...LINE_ITEM_CLASSES.filter((name) => {
    const allowed: readonly unknown[] | undefined = LINE_ITEM_CLASS_TERMS[name].allows[field];
    return allowed === undefined || allowed.length > 1;
  }),
];

/** A record with the defaults of its class where it has no value. */
export const withClassDefaults = <R extends { readonly [F in ClassField | 'class']?: unknown }>(record: R): R => {
  const name = lineItemClassOf(record.class);
  if (name === undefined) return record;
  const missing = Object.entries(LINE_ITEM_CLASS_TERMS[name].defaults).filter(([field]) => (record[field as ClassField] ?? null) === null);
  return missing.length === 0 ? record : { ...record, ...Object.fromEntries(missing) };
};

/** What choosing a class sets in a form: its defaults, and no value where it has none. */
export const classChoice = (name: LineItemClass): Readonly<Record<string, unknown>> => {
  const { allows, defaults } = LINE_ITEM_CLASS_TERMS[name];
  const only = Object.entries(allows).flatMap(([field, [value = null, ...others]]: [string, readonly unknown[]]) =>
    others.length === 0 ? [[field, value] as const] : [],
  );
  return { priority: 2, pacing: 'ASAP', budget_type: 'CPM', ...Object.fromEntries(only), ...defaults };
};
