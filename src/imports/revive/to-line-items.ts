import { MS_PER_DAY } from '../../base/utc-day.ts';
import { showEndDate, showStartDate } from '../../catalog/model/flight-dates.ts';
import type { Declared, Noted, Notes } from '../imported.ts';
import { expressRules, type ExpressOptions } from './express-rules.ts';
import type { BannerRow, CampaignRow, Capping, RuleRow } from './revive-rows.ts';
import { onlyConditions, type Conditions, type Value } from './rule-terms.ts';
import { notedBanner } from './to-creative.ts';
import { dayPartsOf } from './week-of-hours.ts';

/** A banner, and what it becomes. */
export interface ReadBanner {
  readonly banner: BannerRow;
  readonly creative: Declared;
}

/** Banners of a campaign that are delivered by the same rules: a line item. */
export interface BannerGroup {
  readonly banners: readonly ReadBanner[];
  /** Targeting, schedule and caps of the line item. */
  readonly fields: Declared;
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether something of it would be delivered otherwise. */
  readonly isPaused: boolean;
}

/** Longer windows are not counted. */
const MAX_WINDOW_S = (366 * MS_PER_DAY) / 1000;

/** Frequency caps as they are here. */
export const capsOf = (scope: 'line_item' | 'campaign', { block, capping }: Capping): readonly Declared[] => {
  const window = block > 0 ? Math.min(block, MAX_WINDOW_S) : null;
  if (capping > 0) return [{ scope, impressions: capping, window }];
  return block > 0 ? [{ scope, impressions: 1, window }] : [];
};

/** What cannot be said of caps; undefined: nothing. */
export const capFault = ({ session_capping: cap }: Capping): string | undefined =>
  cap > 0 ? `shows at most ${cap} impressions in a session, which is not known here` : undefined;

export interface GroupOptions {
  readonly campaign: CampaignRow;
  readonly timeZone: string;
  readonly rulesOf: (bannerId: number) => readonly RuleRow[];
  readonly rulesOfChannel: ExpressOptions['rulesOfChannel'];
  readonly notes: Notes;
}

/** Rules are of banners in Revive and of line items here: banners with equal rules share one. */
export const groupBanners = (banners: readonly ReadBanner[], options: GroupOptions): readonly BannerGroup[] => {
  const groups = new Map<string, { fields: Declared; fromMs: number; untilMs: number; isPaused: boolean; banners: ReadBanner[] }>();
  for (const read of banners) {
    const { fields, fromMs, untilMs, isPaused } = fieldsOf(read, options);
    // A cap of a banner counts its own impressions.
    const own = 'frequency_caps' in fields && capsOf('line_item', read.banner).length > 0 ? read.banner.bannerid : 0;
    const name = JSON.stringify([fields, String(fromMs), String(untilMs), isPaused, own]);
    const group = groups.get(name);
    if (group) group.banners.push(read);
    else groups.set(name, { fields, fromMs, untilMs, isPaused, banners: [read] });
  }
  return [...groups.values()];
};

const NOTHING: Conditions = { include: {}, exclude: {}, hours: undefined, fromMs: -Infinity, untilMs: Infinity };

const fieldsOf = ({ banner }: ReadBanner, options: GroupOptions): Omit<BannerGroup, 'banners'> => {
  const { campaign, timeZone, notes } = options;
  const noted = notedBanner(banner);
  const paused = new Set<string>();
  const differs = (text: string): void => notes.add('changed', noted, text);
  const conditions = conditionsOf(banner, options, differs);
  if ('cannot' in conditions) paused.add(conditions.cannot);
  const { include, exclude, hours, fromMs, untilMs } = 'cannot' in conditions ? NOTHING : conditions;
  if (hours && hours.zone !== timeZone)
    paused.add(`has hours of ${hours.zone}, and the publisher's clock is that of ${timeZone} (--time-zone)`);
  const session = capFault(banner);
  if (session !== undefined) paused.add(session);
  for (const text of paused) notes.add('paused', noted, text);
  const caps = [...capsOf('line_item', banner), ...capsOf('campaign', campaign)];
  if (caps.some(({ window, impressions }) => window !== null && impressions !== 1))
    differs('a frequency cap counts the impressions of the last so many seconds; Revive begins anew when so long was none');
  const targeting = { ...nested(include), ...(Object.keys(exclude).length > 0 && { exclude: nested(exclude) }) };
  return {
    fields: {
      ...(Object.keys(targeting).length > 0 && { targeting }),
      ...(hours?.zone === timeZone && dayPartsOf(hours.halves).length > 0 && { schedule: dayPartsOf(hours.halves) }),
      ...(caps.length > 0 && { frequency_caps: caps }),
    },
    ...{ fromMs, untilMs, isPaused: paused.size > 0 },
  };
};

const conditionsOf = (
  banner: BannerRow,
  { rulesOf, rulesOfChannel }: GroupOptions,
  differs: (text: string) => void,
): Conditions | { readonly cannot: string } => {
  const rules = rulesOf(banner.bannerid);
  const compiled = (banner.compiledlimitation ?? '').trim();
  if (rules.length === 0 && compiled !== '' && compiled !== 'true')
    return { cannot: 'has a compiled delivery rule, and none of which it was made (acls)' };
  const expressed = expressRules(rules, { rulesOfChannel, differs });
  return 'cannot' in expressed ? expressed : onlyConditions(expressed.terms);
};

/** `key_values.section` is a member of key_values. */
export const nested = (fields: Readonly<Record<string, readonly Value[]>>): Declared => {
  const targeting: Record<string, unknown> = {};
  const keyValues: Record<string, unknown> = {};
  for (const [field, values] of Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
    if (field.startsWith('key_values.')) keyValues[field.slice('key_values.'.length)] = values;
    else targeting[field] = values;
  return { ...targeting, ...(Object.keys(keyValues).length > 0 && { key_values: keyValues }) };
};

/** Of a campaign without a start or an end. */
const OPEN_START = Date.UTC(2000, 0, 1);
const OPEN_END = Date.UTC(3000, 0, 1);

export interface Flight {
  readonly startMs: number;
  readonly endMs: number;
}

/** The flight of a campaign. Revive's times are UTC, and its last second is served. */
export const flightOf = ({ activate_time: from, expire_time: until }: CampaignRow): Flight => ({
  startMs: timeOf(from) ?? OPEN_START,
  endMs: (timeOf(until) ?? OPEN_END - 1000) + 1000,
});

const timeOf = (text: string | null): number | undefined => {
  const atMs = text === null || text.startsWith('0000') ? NaN : Date.parse(`${text.slice(0, 19).replace(' ', 'T')}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
};

export const datesOf = ({ startMs, endMs }: Flight): Declared => ({ start_date: showStartDate(startMs), end_date: showEndDate(endMs) });

export const notedCampaign = ({ campaignid, campaignname }: CampaignRow): Noted => ({
  ...{ kind: 'campaign', id: String(campaignid), name: campaignname },
});
