import { listOf, numberOf, splitValues, textOf, textOrNull } from './typed-text.ts';
import type { KeyValueRow } from '../fields/key-values-field.ts';
import type { Draft } from './form.ts';
import type { Store } from '../service/store.ts';
import type { DimensionProperty, LineItemWire } from '../service/wire.ts';

const NUMBERS = ['cpm', 'cpc', 'budget', 'daily_impression_cap', 'daily_spend_cap', 'frequency_cap', 'rate_limit', 'rate_burst'] as const;

/** Frequency windows are typed in the unit that suits them. */
export const WINDOW_UNITS = [
  { value: '86400', label: 'days' },
  { value: '3600', label: 'hours' },
  { value: '60', label: 'minutes' },
  { value: '1', label: 'seconds' },
] as const;

const DEFAULT_WINDOW_S = 86_400;

export const lineItemDraft = (item: Partial<LineItemWire>, store: Store): Draft => {
  const campaigns = store.all('campaigns');
  const campaignId = item.campaign_id ?? (campaigns.length === 1 ? campaigns[0]?.id : undefined);
  const campaign = store.find('campaigns', campaignId);
  const targeting = item.targeting ?? {};
  const windowS = item.frequency_window ?? DEFAULT_WINDOW_S;
  const unit = WINDOW_UNITS.find(({ value }) => windowS % Number(value) === 0)?.value ?? '1';
  return {
    campaign_id: textOf(campaignId),
    name: textOf(item.name),
    type: item.type ?? 'direct',
    active: item.active ?? true,
    start_date: item.start_date ?? campaign?.start_date ?? '',
    end_date: item.end_date ?? campaign?.end_date ?? '',
    budget_type: item.budget_type ?? 'CPM',
    priority: textOf(item.priority ?? 2),
    pacing: item.pacing ?? 'ASAP',
    ...Object.fromEntries(NUMBERS.map((name) => [name, textOf(item[name])])),
    frequency_window: String(windowS / Number(unit)),
    window_unit: unit,
    endpoint: textOf(item.endpoint),
    targeting: {
      countries: targeting.countries ?? [],
      devices: targeting.devices ?? [],
      dimensions: Object.fromEntries(Object.entries(targeting.dimensions ?? {}).map(([name, values]) => [name, listOf(values)])),
      key_values: Object.entries(targeting.key_values ?? {}).map(([name, values]) => ({ name, values: listOf(values).join(', ') })),
    },
  };
};

export const lineItemRecord = (draft: Draft, dimensions: Readonly<Record<string, DimensionProperty>>): object => {
  const targeting = draft['targeting'] as {
    readonly countries: readonly string[];
    readonly devices: readonly string[];
    readonly dimensions: Readonly<Record<string, readonly string[]>>;
    readonly key_values: readonly KeyValueRow[];
  };
  const windowS = numberOf(draft['frequency_window']);
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, numberOf(draft[name])]));
  return {
    campaign_id: numberOf(draft['campaign_id']),
    name: textOf(draft['name']).trim(),
    type: draft['type'],
    active: draft['active'],
    start_date: draft['start_date'],
    end_date: draft['end_date'],
    budget_type: draft['budget_type'],
    priority: numberOf(draft['priority']),
    pacing: draft['pacing'],
    ...numbers,
    // The window says nothing without a cap, nor does the depth of a bucket that nothing fills.
    frequency_window:
      numbers['frequency_cap'] === null ? null : typeof windowS === 'number' ? windowS * Number(draft['window_unit']) : windowS,
    rate_burst: numbers['rate_limit'] === null ? null : numbers['rate_burst'],
    endpoint: draft['type'] === 'programmatic' ? textOrNull(draft['endpoint']) : null,
    targeting: {
      countries: targeting.countries,
      devices: targeting.devices,
      dimensions: Object.fromEntries(
        Object.entries(targeting.dimensions)
          .filter(([, values]) => values.length > 0)
          .map(([name, values]) => [name, values.map((value) => dimensionValue(dimensions[name], value))]),
      ),
      key_values: keyValues(targeting.key_values),
    },
  };
};

/** As the dimension's type wants it; what is not of that type goes as typed, so that the service can say what is wrong with it. */
export const dimensionValue = (dimension: DimensionProperty | undefined, typed: string): string | number | boolean => {
  if (dimension?.type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : typed;
  if (dimension?.type === 'integer' || dimension?.type === 'number') return numberOf(typed) ?? typed;
  return typed;
};

/** Rows of one name are one rule. */
const keyValues = (rows: readonly KeyValueRow[]): Readonly<Record<string, readonly string[]>> => {
  const found = new Map<string, readonly string[]>();
  for (const { name, values } of rows) {
    if (name.trim() === '' && values.trim() === '') continue;
    found.set(name.trim(), [...(found.get(name.trim()) ?? []), ...splitValues(values)]);
  }
  return Object.fromEntries(found);
};
