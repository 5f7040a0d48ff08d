import { HALF_HOURS_A_DAY, HALF_HOURS_A_WEEK, WEEK_DAYS, type DayPart, type WeekDay } from '../../targeting/week-hours.ts';

export { HALF_HOURS_A_WEEK };

/** Half hours of the week, each once and ascending. */
export const halfHoursOf = (halves: readonly number[]): readonly number[] => [...new Set(halves)].sort((a, b) => a - b);

/** Half hours of the days of a week, 0 being Sunday as in PHP. */
export const halvesOfDays = (days: readonly number[]): readonly number[] =>
  halfHoursOf(days.flatMap((day) => Array.from({ length: HALF_HOURS_A_DAY }, (_, half) => ((day + 6) % 7) * HALF_HOURS_A_DAY + half)));

/** Half hours of hours, on each day of the week. */
export const halvesOfHours = (hours: readonly number[]): readonly number[] =>
  halfHoursOf(WEEK_DAYS.flatMap((_, day) => hours.flatMap((hour) => [0, 1].map((half) => day * HALF_HOURS_A_DAY + 2 * hour + half))));

const timeOf = (half: number): string => `${String(half >> 1).padStart(2, '0')}:${half % 2 === 0 ? '00' : '30'}`;

/** Half hours of the week as the parts of a schedule; none: they are the whole week. */
export const dayPartsOf = (halves: readonly number[]): readonly DayPart[] => {
  if (halves.length === HALF_HOURS_A_WEEK) return [];
  const daysOf = new Map<string, WeekDay[]>();
  for (const [day, name] of WEEK_DAYS.entries()) {
    const own = halves.filter((half) => Math.floor(half / HALF_HOURS_A_DAY) === day).map((half) => half % HALF_HOURS_A_DAY);
    for (const [i, from] of own.entries()) {
      if (own[i - 1] === from - 1) continue;
      let to = from + 1;
      while (own.includes(to)) to++;
      const times = `${timeOf(from)} ${timeOf(to)}`;
      daysOf.set(times, [...(daysOf.get(times) ?? []), name]);
    }
  }
  return [...daysOf].map(([times, days]) => {
    const [from = '', to = ''] = times.split(' ');
    return { days, from, to };
  });
};
