import type { DayPart, WeekDay } from '../../src/targeting/week-hours.ts';
import { t } from './texts.ts';

export const DAY_LABELS: Readonly<Record<WeekDay, string>> = {
  ...{ mon: t`Mon`, tue: t`Tue`, wed: t`Wed`, thu: t`Thu` },
  ...{ fri: t`Fri`, sat: t`Sat`, sun: t`Sun` },
};

/** A schedule in words: `Mon, Tue 08:00–20:00`. */
export const scheduleWords = (parts: readonly DayPart[]): string =>
  parts.map(({ days, from, to }) => `${days.map((day) => DAY_LABELS[day]).join(', ')} ${from}–${to}`).join('; ');
