import { dateOfDay, MS_PER_DAY } from '../../base/utc-day.ts';
import type { ZoneOffset } from '../../base/zone-offset.ts';
import type { HourRow } from './revive-source.ts';

export interface BannerDay {
  readonly zone: number;
  readonly day: string;
  readonly impressions: number;
  readonly clicks: number;
}

/** Hours as days of a time zone, the oldest first. */
export const daysOfBanner = (hours: readonly HourRow[], timeZone: string, offset: ZoneOffset): readonly BannerDay[] => {
  const days = new Map<string, { zone: number; day: string; impressions: number; clicks: number }>();
  for (const { zone_id: zone, hour, impressions, clicks } of hours) {
    const atMs = Date.parse(`${hour.slice(0, 19).replace(' ', 'T')}Z`);
    if (Number.isNaN(atMs) || impressions + clicks <= 0) continue;
    const day = dateOfDay(Math.floor((atMs + offset(timeZone, atMs)) / MS_PER_DAY));
    const sum = days.get(`${day} ${zone}`) ?? { zone, day, impressions: 0, clicks: 0 };
    sum.impressions += impressions;
    sum.clicks += clicks;
    days.set(`${day} ${zone}`, sum);
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.zone - b.zone));
};
