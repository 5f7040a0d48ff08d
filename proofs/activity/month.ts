import { hash } from 'node:crypto';
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../src/base/utc-day.ts';
import { poisson, type Chance } from '../../testkit/chance.ts';

/** An ad that was shown, and perhaps clicked. */
export interface Shown {
  /** `people`, or the name of a clicker. */
  readonly label: string;
  readonly atMs: number;
  /** null: the id may not be used. */
  readonly user: string | null;
  /** Of a seal: five characters. */
  readonly network: string;
  readonly creative: number;
  readonly clickedAtMs: number | undefined;
}

/** Creatives 1 to 12, two of each line item; how often people click each. */
export const CREATIVES = Array.from({ length: 12 }, (_, i) => ({
  id: i + 1,
  lineItemId: 1 + (i >> 1),
  rate: [0.002, 0.003, 0.0045, 0.006][i % 4]!,
}));

interface Person {
  readonly user: string | null;
  readonly network: string;
  readonly adsADay: number;
  /** How much more often than others. */
  readonly eagerness: number;
}

export const hashOf = (name: string): string => hash('sha256', name, 'base64url').slice(0, 22);
const networkOf = (name: string): string => `4${hash('sha256', name, 'base64url').slice(0, 4)}`;

/** People behind one address each, at home, and many behind few. */
export interface Town {
  readonly office: number;
  readonly school: number;
  readonly carrier: number;
  readonly homes: number;
}

const peopleOf = (town: Town, chance: Chance): readonly Person[] => {
  const person = (place: string, i: number, network: string): Person => ({
    // Every seventh sends no consent.
    user: i % 7 === 0 ? null : hashOf(`${place} ${i}`),
    network: networkOf(network),
    // Most read little, some all day.
    adsADay: 2 + 10 * -Math.log(1 - chance()) + (chance() < 0.02 ? 200 : 0),
    eagerness: chance() < 0.01 ? 8 : -Math.log(1 - chance()),
  });
  const group = (place: string, count: number, networkAt: (i: number) => string): readonly Person[] =>
    Array.from({ length: count }, (_, i) => person(place, i, networkAt(i)));
  return [
    ...group('office', town.office, () => 'office'),
    ...group('school', town.school, () => 'school'),
    ...group('carrier', town.carrier, (i) => `carrier ${i % 4}`),
    ...group('home', town.homes, (i) => `home ${i >> 1}`),
  ];
};

const AWAKE_FROM = 7 * MS_PER_HOUR;
const AWAKE = 16 * MS_PER_HOUR;
const REACTION_MS = 600;

/** The day of people: ads come in visits, and a click some seconds after its ad. */
function peopleOn(dayMs: number, people: readonly Person[], chance: Chance): Shown[] {
  return people.flatMap(({ user, network, adsADay, eagerness }) => {
    const ads = poisson(chance, adsADay);
    let atMs = 0;
    return Array.from({ length: ads }, (_, i): Shown => {
      if (i % 8 === 0) atMs = dayMs + AWAKE_FROM + chance() * AWAKE;
      atMs += chance() * 40_000;
      const { id, rate } = CREATIVES[Math.floor(chance() * CREATIVES.length)]!;
      const clickedAtMs = chance() < rate * eagerness ? Math.floor(atMs + REACTION_MS + chance() * 20_000) : undefined;
      return { label: 'people', atMs: Math.floor(atMs), user, network, creative: id, clickedAtMs };
    });
  });
}

interface Clicker {
  readonly name: string;
  /** Days between those on which it works. */
  readonly every?: number;
  /** When each of its ads comes on a day, ms after midnight, in order. */
  readonly times: (chance: Chance) => readonly number[];
  readonly user: (n: number) => string | null;
  readonly network: (n: number) => string;
  /** Of its ads, those that it clicks. */
  readonly share: number;
  readonly creative?: number;
  readonly reactionMs: number;
}

const evenly = (count: number, everyMs: number, fromMs: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => fromMs + i * everyMs);
const anyTime = (chance: Chance, count: number): readonly number[] =>
  Array.from({ length: count }, () => chance() * (MS_PER_DAY - MS_PER_MINUTE)).sort((a, b) => a - b);
const bursts = (chance: Chance, count: number, size: number): readonly number[] =>
  anyTime(chance, count)
    .flatMap((atMs) => Array.from({ length: size }, () => atMs + chance() * 2 * MS_PER_MINUTE))
    .sort((a, b) => a - b);

const ONE = 'clicker';
/** `n` counts the ads of a clicker. */
export const CLICKERS: readonly Clicker[] = [
  {
    name: 'one',
    times: () => evenly(300, 1_000, 10 * MS_PER_HOUR),
    user: () => hashOf(ONE),
    network: () => networkOf(ONE),
    share: 1,
    reactionMs: 115,
  },
  {
    name: 'rotating addresses',
    times: (c) => anyTime(c, 200),
    user: () => hashOf('mobile'),
    network: (n) => networkOf(`proxy ${n}`),
    share: 1,
    reactionMs: 900,
  },
  {
    name: 'rotating ids',
    times: (c) => anyTime(c, 200),
    user: (n) => hashOf(`id ${n}`),
    network: () => networkOf('one room'),
    share: 1,
    reactionMs: 900,
  },
  { name: 'without ids', times: (c) => anyTime(c, 100), user: () => null, network: () => networkOf('no ids'), share: 1, reactionMs: 900 },
  {
    name: 'slow',
    times: (c) => anyTime(c, 24),
    user: () => hashOf('slow'),
    network: (n) => networkOf(`slow ${n % 3}`),
    share: 1,
    reactionMs: 4_000,
  },
  {
    name: 'very slow',
    times: (c) => anyTime(c, 5),
    user: () => hashOf('very slow'),
    network: () => networkOf('very slow'),
    share: 1,
    reactionMs: 4_000,
  },
  {
    name: 'bursty',
    times: (c) => bursts(c, 4, 100),
    user: () => hashOf('bursty'),
    network: () => networkOf('bursty'),
    share: 0.3,
    reactionMs: 700,
  },
  {
    name: 'clockwork',
    times: () => evenly(1_000, 80_000, 0),
    user: () => hashOf('clockwork'),
    network: () => networkOf('clockwork'),
    share: 0.1,
    reactionMs: 700,
  },
  {
    ...{
      name: 'rotating both',
      every: 5,
      times: (c) => Array.from({ length: 400 }, () => 13 * MS_PER_HOUR + c() * MS_PER_HOUR).sort((a, b) => a - b),
    },
    ...{ user: (n) => hashOf(`both ${n}`), network: (n) => networkOf(`both ${n}`), share: 1, creative: 4, reactionMs: 900 },
  },
];

/** The ads of each day, by their times, without end. */
export function* days(town: Town, fromMs: number, chance: Chance): Generator<readonly Shown[]> {
  const people = peopleOf(town, chance);
  const ads = new Map<string, number>();
  for (let day = 0; ; day++) {
    const dayMs = fromMs + day * MS_PER_DAY;
    const shown = peopleOn(dayMs, people, chance);
    // Clickers begin when there is something that could be disturbed.
    for (const { name, every = 1, times, user, network, share, creative, reactionMs } of CLICKERS) {
      if (day === 0 || day % every !== every - 1) continue;
      for (const [i, time] of times(chance).entries()) {
        const n = ads.get(name) ?? 0;
        ads.set(name, n + 1);
        const atMs = Math.floor(dayMs + time);
        const isClicked = share === 0.1 ? i % 10 === 9 : chance() < share;
        const of = creative ?? CREATIVES[Math.floor(chance() * CREATIVES.length)]!.id;
        shown.push({
          ...{ label: name, atMs, user: user(n), network: network(n), creative: of },
          clickedAtMs: isClicked ? atMs + reactionMs : undefined,
        });
      }
    }
    yield shown.sort((a, b) => a.atMs - b.atMs);
  }
}
