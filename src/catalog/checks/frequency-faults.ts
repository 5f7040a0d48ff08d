import type { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/narrow.ts';
import type { LineItemRecord } from '../entities/line-item.ts';
import { CAP_SCOPES } from '../model/choices.ts';
import { capOf, capWords, frequencyCapsOf, type BookedCap, type FrequencyCap } from '../model/frequency-caps.ts';
import type { CheckedOn, Given } from './shape-record.ts';

interface Pointed {
  readonly cap: FrequencyCap;
  readonly pointer: string;
}

/**
 * A cap that counts nothing or two things, and one that never applies, because another allows less in a
 * window as long for the same ads or more: one of the two is not what was meant. A load keeps caps that never apply.
 */
export const frequencyFaults = (
  { frequency_cap: places, frequency_window: window, frequency_caps: list }: Given<LineItemRecord>,
  { isLoad = false }: CheckedOn = {},
): readonly Fault[] => {
  const listed = (Array.isArray(list) ? list : []).flatMap((cap: unknown, i) =>
    isCap(cap) ? [{ booked: cap, pointer: `/frequency_caps/${i}` }] : [],
  );
  const uncounted = listed.flatMap(({ booked, pointer }): Fault[] => {
    if (booked.impressions == null && booked.clicks == null)
      return [{ pointer, detail: 'must say how many impressions or clicks it allows: give one of them' }];
    return booked.impressions == null || booked.clicks == null
      ? []
      : [{ pointer: `${pointer}/clicks`, detail: 'cannot be in the same cap as impressions: add a separate cap for it' }];
  });
  if (uncounted.length > 0 || isLoad) return uncounted;
  const short: readonly Pointed[] =
    typeof places === 'number' && (typeof window === 'number' || (window ?? null) === null)
      ? frequencyCapsOf({ frequency_cap: places, frequency_window: (window ?? null) as number | null, frequency_caps: [] }).map((cap) => ({
          cap,
          pointer: '/frequency_cap',
        }))
      : [];
  const caps: readonly Pointed[] = [...short, ...listed.map(({ booked, pointer }) => ({ cap: capOf(booked), pointer }))];
  return caps.flatMap(({ cap, pointer }, i) => {
    const stricter = caps.find((other, at) => at !== i && implies(other.cap, cap) && (at < i || !implies(cap, other.cap)));
    return stricter === undefined
      ? []
      : [{ pointer, detail: `never applies: ${stricter.pointer} allows only ${capWords(stricter.cap)}. Leave one of them out` }];
  });
};

/** Whether who keeps within the one cap keeps within the other: it counts the same ads or more, for as long or longer. */
const implies = (one: FrequencyCap, other: FrequencyCap): boolean =>
  one.of === other.of &&
  CAP_SCOPES.indexOf(one.scope) >= CAP_SCOPES.indexOf(other.scope) &&
  one.windowMs >= other.windowMs &&
  one.max <= other.max;

const isNumberOrNone = (value: unknown): boolean => (value ?? null) === null || typeof value === 'number';

/** What the schema accepts. */
const isCap = (cap: unknown): cap is BookedCap =>
  isObject(cap) &&
  CAP_SCOPES.some((scope) => scope === cap['scope']) &&
  [cap['impressions'], cap['clicks'], cap['window']].every(isNumberOrNone);
