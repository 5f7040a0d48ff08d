import { MS_PER_DAY, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import type { CatalogRow } from '../../src/catalog/model/catalog-reading.ts';
import type { BookedRows } from './catalog-rows.ts';
import type { SortedAnswer } from './kept-ads.ts';
import type { Violation } from './model.ts';
import type { Selected } from './replica.ts';
import { MAX_SKEW_MS } from './rules.ts';
import type { AdCall, Visitor } from './story.ts';

/** What is booked, read from the rows, and judged without the code of the service. */
export interface BookedChecks {
  /** Whether each ad was for its visitor, in its hours, of its publisher's day, and counts for the caps of others. */
  check(
    answers: readonly SortedAnswer[],
    booked: BookedRows,
    at: { readonly trueMs: number; readonly redisMs: number },
  ): readonly Violation[];
}

export const createBookedChecks = (): BookedChecks => {
  const clocks = new Map<string, Intl.DateTimeFormat>();
  /** What the clocks of a zone say. */
  const localTime = (timeZone: string, atMs: number): Date => {
    let clock = clocks.get(timeZone);
    if (!clock) clocks.set(timeZone, (clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })));
    return new Date(`${clock.format(atMs).replace(' ', 'T')}Z`);
  };
  const checkOne = (call: AdCall, one: Selected, booked: BookedRows, trueMs: number, redisMs: number): readonly string[] => {
    const row = booked.get('line_items')?.get(one.ad.lineItemId);
    const publisher = booked.get('publishers')?.get(one.ad.publisherId);
    if (!row || !publisher) return ['is not booked'];
    const zone = String(publisher['time_zone']);
    const named = booked.get('targetings')?.get(row['targeting_id']);
    const offset = row['schedule_zone'] === 'visitor' ? call.visitor.utcOffset : null;
    const localAt = (atMs: number): Date => (offset === null ? localTime(zone, atMs) : new Date(atMs + offset * MS_PER_MINUTE));
    const days = around(redisMs).map((atMs) => Math.floor(localTime(zone, atMs).getTime() / MS_PER_DAY));
    return [
      ...(isOn(row['schedule'], around(trueMs).map(localAt)) ? [] : ['was shown out of its hours']),
      ...([row, named].every((of) => of === undefined || accepts(of['targeting'] as Rules & { exclude?: Rules }, call.visitor))
        ? []
        : [`was shown to ${JSON.stringify(call.visitor)}`]),
      ...(days.includes(one.ad.day) ? [] : [`is of day ${one.ad.day}, and its publisher has ${days[0]}`]),
      ...(call.user === null ? [] : uncounted(one, row, booked)),
    ];
  };
  return {
    check: (answers, booked, { trueMs, redisMs }) =>
      answers.flatMap(({ call, ads, kept }) =>
        ads.flatMap((one) =>
          (kept.has(one) ? [] : checkOne(call, one, booked, trueMs, redisMs)).map((text) => ({
            rule: 'booked',
            text: `line item ${one.ad.lineItemId} (${one.ad.tokenId}) ${text}`,
          })),
        ),
      ),
  };
};

/** The clocks of replicas and of Redis differ. */
const around = (atMs: number): readonly number[] => [atMs - MAX_SKEW_MS, atMs, atMs + MAX_SKEW_MS];

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const isOn = (schedule: unknown, times: readonly Date[]): boolean => {
  const parts = schedule as readonly { readonly days: readonly string[]; readonly from: string; readonly to: string }[];
  const isWithin = (at: Date): boolean => {
    const [day, time] = [DAYS[at.getUTCDay()]!, at.toISOString().slice(11, 16)];
    return parts.some(({ days, from, to }) => days.includes(day) && from <= time && time < to);
  };
  return parts.length === 0 || times.some(isWithin);
};

/** The rules that stories have. */
interface Rules {
  readonly countries?: readonly string[];
  readonly languages?: readonly string[];
  readonly key_values?: Readonly<Record<string, unknown>>;
}
type Wanted = string | { readonly min?: number; readonly max?: number; readonly prefix?: string };

/** Every rule is met by one of its values; nothing that is excluded is met. */
const accepts = ({ exclude = {}, ...rules }: Rules & { exclude?: Rules }, visitor: Visitor): boolean =>
  metBy(rules, visitor).every(Boolean) && !metBy(exclude, visitor).some(Boolean);

const metBy = ({ countries, languages, key_values = {} }: Rules, { country, language, keyValues }: Visitor): readonly boolean[] => [
  ...(countries ? [country !== null && countries.includes(country)] : []),
  ...(languages ? [language !== null && languages.some((of) => language === of || language.startsWith(`${of}-`))] : []),
  ...Object.entries(key_values).map(([name, wanted]) => [wanted].flat().some((of) => isMet(of as Wanted, keyValues[name]))),
];

const isMet = (wanted: Wanted, value: string | number | undefined): boolean => {
  if (value === undefined) return false;
  if (typeof wanted === 'string') return value === wanted;
  if (wanted.prefix !== undefined) return String(value).startsWith(wanted.prefix);
  return Number(value) >= (wanted.min ?? -Infinity) && Number(value) <= (wanted.max ?? Infinity);
};

interface Cap {
  readonly scope: 'line_item' | 'campaign' | 'advertiser';
  readonly clicks?: number;
  readonly window: number | null;
}
/** A year and a day: a lifetime. */
const LIFETIME_S = (366 * MS_PER_DAY) / 1000;
/** What lies between the counters of line items, campaigns and advertisers, and those of clicks. */
const KIND = 2 ** 32;

/** Caps over a campaign or an advertiser, of any of its line items, for which the ad does not count long enough. */
const uncounted = ({ ad: { counted = [] } }: Selected, row: CatalogRow, booked: BookedRows): readonly string[] => {
  const campaigns = booked.get('campaigns');
  const own = campaigns?.get(row['campaign_id']);
  return [...(booked.get('line_items')?.values() ?? [])].flatMap((other) => {
    const campaign = campaigns?.get(other['campaign_id']);
    if (!campaign || campaign['publisher_id'] !== own?.['publisher_id']) return [];
    const isOfAdvertiser = (own?.['advertiser_id'] ?? null) !== null && campaign['advertiser_id'] === own?.['advertiser_id'];
    const isOfCampaign = campaign['id'] === own?.['id'];
    return (other['frequency_caps'] as readonly Cap[]).flatMap(({ scope, clicks, window }) => {
      const isShared = scope === 'advertiser' ? isOfAdvertiser || isOfCampaign : isOfCampaign && (scope === 'campaign' || other === row);
      if (!isShared) return [];
      const kind = scope === 'line_item' ? 0 : scope === 'advertiser' && isOfAdvertiser ? 2 : 1;
      const id = [row['id'], campaign['id'], campaign['advertiser_id']][kind] as number;
      const counter = id + kind * KIND + (clicks === undefined ? 0 : 3 * KIND);
      const at = counted.findIndex((value, i) => i % 2 === 0 && value === counter);
      return at >= 0 && counted[at + 1]! >= (window ?? LIFETIME_S) ? [] : [`does not count for a cap of line item ${String(other['id'])}`];
    });
  });
};
