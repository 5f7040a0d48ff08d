import { MS_PER_DAY, MS_PER_HOUR } from '../../src/base/utc-day.ts';
import { createChance, poisson, type Chance } from '../chance.ts';
import { dailyCurve } from '../simulation/traffic.ts';

/** A placement of the invented site. */
export interface Place {
  readonly id: string;
  readonly section: string;
  readonly width: number;
  readonly height: number;
  readonly popularity: number;
}

/** One visitor of the invented site. null: it does not consent. */
interface Visitor {
  readonly name: string;
  readonly country: string;
  readonly device: string;
  readonly favourite: string;
  readonly consents: boolean;
}

/** A page that a visitor looks at. */
export interface PageView {
  readonly atMs: number;
  readonly visitor: Visitor;
  readonly section: string;
  readonly places: readonly Place[];
  readonly number: number;
}

export interface LifeOptions {
  readonly seed: number;
  readonly startMs: number;
  /** Page views of an average day in the first week. */
  readonly viewsADay: number;
}

/** What happens once, and staff know. */
export const EVENT = { day: 19, fromHour: 17, toHour: 24, factor: 2.5, section: 'politics' };

const SECTIONS = ['sport', 'politics', 'culture', 'local', 'travel'];
const SIZES = [
  [300, 250],
  [728, 90],
  [320, 50],
] as const;
const PLACES = 40;
/** From Monday on. */
const WEEKDAYS = [1.08, 1.1, 1.06, 1.02, 0.98, 0.82, 0.94];
const WEEKLY_GROWTH = 0.025;
/** How far the days of life are from their shape. */
const UNREST = 0.015;
/** Page views of a visitor and month, on average. */
const LOYALTY = 12;
const COUNTRIES = [
  ['DE', 0.7],
  ['AT', 0.12],
  ['CH', 0.08],
  ['FR', 0.1],
] as const;
const DEVICES = [
  ['mobile', 0.6],
  ['desktop', 0.33],
  ['tablet', 0.07],
] as const;

/**
 * The life of a site: visitors who come back more or less often, days with a shape, weeks with a shape, growth and an event. The
 * forecast knows nothing of this file.
 */
export const createLife = ({ seed, startMs, viewsADay }: LifeOptions) => {
  const chance = createChance(seed);
  const places = Array.from({ length: PLACES }, (_, i): Place => {
    const [width, height] = SIZES[i % SIZES.length]!;
    return {
      id: `place-${i + 1}`,
      section: SECTIONS[i % SECTIONS.length]!,
      width,
      height,
      popularity: 1 / (1 + Math.floor(i / SECTIONS.length)),
    };
  });
  const visitors = Array.from({ length: Math.ceil((viewsADay * 30) / LOYALTY) }, (_, i): Visitor => ({
    name: `visitor-${i}`,
    country: drawn(COUNTRIES, chance()),
    device: drawn(DEVICES, chance()),
    favourite: SECTIONS[Math.floor(chance() * SECTIONS.length)]!,
    consents: chance() < 0.88,
  }));
  const activity = cumulative(visitors.map(() => Math.exp(1.1 * normal(chance))));
  const inSection = new Map(SECTIONS.map((section) => [section, places.filter((place) => place.section === section)]));
  const popularity = new Map([...inSection].map(([section, some]) => [section, cumulative(some.map((place) => place.popularity))]));

  const placesOf = (section: string): readonly Place[] => {
    const some = inSection.get(section)!;
    const count = 1 + Math.floor(3 * chance() ** 2);
    return [...new Set(Array.from({ length: count }, () => some[indexIn(popularity.get(section)!, chance())]!))];
  };
  const visit = (atMs: number, number: number, only?: string): PageView => {
    const visitor = visitors[indexIn(activity, chance())]!;
    const section = only ?? (chance() < 0.6 ? visitor.favourite : SECTIONS[Math.floor(chance() * SECTIONS.length)]!);
    return { atMs, visitor, section, places: placesOf(section), number };
  };

  let views = 0;
  /** The page views of a day, from 0, in the order of time. */
  const dayOf = (day: number): readonly PageView[] => {
    const level = viewsADay * WEEKDAYS[day % 7]! * Math.exp((WEEKLY_GROWTH * day) / 7 + UNREST * normal(chance));
    const dayMs = startMs + day * MS_PER_DAY;
    const all: PageView[] = [];
    for (const [hour, share] of dailyCurve().shareOfHour.entries()) {
      const at = (): number => Math.floor(dayMs + (hour + chance()) * MS_PER_HOUR);
      for (let left = poisson(chance, level * share); left > 0; left--) all.push(visit(at(), ++views));
      if (day !== EVENT.day || hour < EVENT.fromHour || hour >= EVENT.toHour) continue;
      const more = level * share * (EVENT.factor - 1) * (1 / SECTIONS.length);
      for (let left = poisson(chance, more); left > 0; left--) all.push(visit(at(), ++views, EVENT.section));
    }
    return all.sort((a, b) => a.atMs - b.atMs);
  };
  return { places, dayOf, sections: SECTIONS };
};

export type Life = ReturnType<typeof createLife>;

const drawn = (parts: readonly (readonly [string, number])[], draw: number): string => {
  let left = draw;
  return (parts.find(([, part]) => (left -= part) < 0) ?? parts[0]!)[0];
};

const normal = (chance: Chance): number => Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());

const cumulative = (weights: readonly number[]): Float64Array => {
  const sums = Float64Array.from(weights);
  for (let i = 1; i < sums.length; i++) sums[i]! += sums[i - 1]!;
  return sums;
};

/** The index that a draw in [0, 1) falls on. */
const indexIn = (sums: Float64Array, draw: number): number => {
  const wanted = draw * sums.at(-1)!;
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
};
