import type { Rate } from '../../src/catalog/model/rate-card.ts';
import type { WeekDay } from '../../src/targeting/week-hours.ts';
import { DAY_LABELS } from './schedule-words.ts';
import { t } from './texts.ts';

/** Days of the week on which a price is valid; none: all. */
export const daysWords = (days: readonly WeekDay[]): string => {
  if (days.length === 0) return t`every day`;
  if (days.join() === 'mon,tue,wed,thu,fri') return t`Monday to Friday`;
  return days.map((day) => DAY_LABELS[day]).join(', ');
};

/** What a price of the rate card is for: `home-top, 970x250, Sat, Sun`. */
export const rateWords = ({ placement, size, days = [] }: Rate): string =>
  [placement ?? t`all placements`, ...(size ? [size] : []), ...(days.length > 0 ? [daysWords(days)] : [])].join(', ');
