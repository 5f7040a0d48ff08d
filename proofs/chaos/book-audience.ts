import type { CatalogRow } from '../../src/catalog/model/catalog-reading.ts';
import { WEEK_DAYS } from '../../src/targeting/week-hours.ts';
import type { Draw } from './draw.ts';
import type { StepClass } from './story.ts';

/** The columns of who sees a line item, and at which hours. */
export const audience = (draw: Draw, has: (name: StepClass) => boolean): CatalogRow => ({
  schedule: has('schedules') && draw.oneIn(5) ? dayParts(draw) : [],
  schedule_zone: draw.of(['publisher', 'visitor']),
  targeting: has('visitors') && draw.oneIn(4) ? draw.of(TARGETINGS) : {},
});

/** Parts of different days: an hour is in one part only. */
const dayParts = (draw: Draw): readonly object[] => {
  const count = 1 + draw.below(3);
  const days = WEEK_DAYS.filter(() => !draw.oneIn(4));
  return Array.from({ length: count }, (_, part) => {
    const from = draw.below(47);
    const to = from + 1 + draw.below(48 - from);
    return { days: days.filter((_day, i) => i % count === part), from: halfHour(from), to: halfHour(to) };
  }).filter(({ days: of }) => of.length > 0);
};
const halfHour = (half: number): string => `${String(half >> 1).padStart(2, '0')}:${half % 2 === 0 ? '00' : '30'}`;

/** Rules about the visitors of stories (VISITORS of write-story.ts), of which some exclude. */
export const TARGETINGS: readonly object[] = [
  { countries: ['DE', 'AT'] },
  { exclude: { countries: ['DE'] } },
  { exclude: { languages: ['de'] } },
  { languages: ['de'], exclude: { languages: ['de-AT'] } },
  { key_values: { section: ['sport', 'news'] } },
  { exclude: { key_values: { section: ['sport'] } } },
  { exclude: { key_values: { section: [{ prefix: 'sp' }] } } },
  { key_values: { age: [{ min: 18 }] } },
  { exclude: { key_values: { age: [{ min: 30, max: 49 }] } } },
  { countries: ['DE', 'FR'], exclude: { key_values: { section: 'news' } } },
];
