import { dateOfDay } from '../../base/utc-day.ts';
import type { BudgetType } from '../../catalog/model/choices.ts';
import { createChance, type Chance } from './chance.ts';

/** How the delivery of a line item goes. */
export type Course = 'on course' | 'behind' | 'ahead' | 'outranked' | 'no creative' | 'pending' | 'paused';

type Fields = Readonly<Record<string, unknown>>;

/** Records as the trafficking API takes them, without the ids that Postgres assigns. */
export interface BookedCampaign {
  /** Index in PUBLISHERS. */
  readonly publisher: number;
  /** Index in ADVERTISERS. */
  readonly advertiser: number;
  readonly fields: Fields;
  readonly startDay: number;
  readonly days: number;
  readonly lineItems: readonly BookedLineItem[];
}

export interface BookedLineItem {
  readonly fields: Fields;
  readonly course: Course;
  readonly budgetType: BudgetType;
  readonly priceMicros: number;
  /** Impressions over the flight. */
  readonly goal: number;
  readonly placementId: string;
  readonly creatives: readonly Fields[];
}

export const PUBLISHERS = [
  { name: 'Valley Courier', domain: 'valley-courier.example', prefix: 'courier', creative_approval: 'required' },
  { name: 'City Evening', domain: 'city-evening.example', prefix: 'evening', creative_approval: 'automatic' },
  { name: 'The Coast Weekly', domain: 'coast-weekly.example', prefix: 'coast', creative_approval: 'automatic' },
  { name: 'Terrace Sport', domain: 'terrace-sport.example', prefix: 'sport', creative_approval: 'automatic' },
] as const;

export const PLACEMENTS = [
  { name: 'home-top', words: 'Billboard', width: 970, height: 250 },
  { name: 'article-top', words: 'Leaderboard', width: 728, height: 90 },
  { name: 'article-mid', words: 'Rectangle', width: 300, height: 250 },
  { name: 'article-side', words: 'Half page', width: 300, height: 600 },
  { name: 'list-mid', words: 'Rectangle in lists', width: 300, height: 250 },
  { name: 'phone-top', words: 'Phone banner', width: 320, height: 100 },
  { name: 'footer', words: 'Footer', width: 728, height: 90 },
] as const;

const FIRST = ['Alder', 'Birch', 'Cedar', 'Dune', 'Ember', 'Fjord', 'Granite', 'Hazel', 'Iris', 'Juniper', 'Kestrel', 'Larch'] as const;
const TRADES = [
  { name: 'Bank', label: 'finance', offers: ['savings account', 'mortgages', 'autumn rates'] },
  { name: 'Motors', label: 'cars', offers: ['electric range', 'test drives', 'winter tyres'] },
  { name: 'Foods', label: 'groceries', offers: ['weekly offers', 'delivery', 'new recipes'] },
  { name: 'Travel', label: 'travel', offers: ['city breaks', 'early booking', 'ski weeks'] },
  { name: 'Telecom', label: 'telecom', offers: ['fibre at home', 'family plan', 'new phones'] },
] as const;

export const ADVERTISERS = FIRST.flatMap((first) =>
  TRADES.map(({ name, label, offers }) => ({
    name: `${first} ${name}`,
    domain: `${first.toLowerCase()}-${name.toLowerCase()}.example`,
    labels: [label],
    offers,
  })),
);

const CAMPAIGNS = 500;
const LINE_ITEMS = 4;
const FLIGHT_DAYS = [7, 14, 21, 28, 42, 60, 90] as const;
/** Flights begin from 80 days ago to four weeks ahead. */
const [FIRST_START, LAST_START] = [-80, 28];
const COLOURS = ['#1f4e79', '#7a3b2e', '#2f5d46', '#5b3f7a', '#80611b', '#2b6777'] as const;

/** 500 campaigns with 2,000 line items around `today`, in days since the epoch: the same on every run of a day. */
export const bookCampaigns = (today: number): readonly BookedCampaign[] => {
  const chance = createChance(20_261);
  return Array.from({ length: CAMPAIGNS }, (_, n) => bookCampaign(chance, today, n));
};

const bookCampaign = (chance: Chance, today: number, n: number): BookedCampaign => {
  const publisher = n % PUBLISHERS.length;
  const advertiser = chance.whole(0, ADVERTISERS.length - 1);
  const { name, domain, offers } = ADVERTISERS[advertiser]!;
  const startDay = today + chance.whole(FIRST_START, LAST_START);
  const days = chance.pick(FLIGHT_DAYS);
  const flight = { start_date: dateOfDay(startDay), end_date: dateOfDay(startDay + days - 1) };
  const first = chance.whole(0, PLACEMENTS.length - 1);
  const title = `${name}: ${chance.pick(offers)} ${dateOfDay(startDay).slice(0, 7)}`;
  const lineItems = Array.from({ length: LINE_ITEMS }, (_, i) =>
    bookLineItem(chance, { flight, days, domain, title, publisher, placement: (first + i) % PLACEMENTS.length }),
  );
  const budget = chance.between(0, 1) < 0.4 ? chance.whole(5, 60) * 1_000 : null;
  return {
    ...{ publisher, advertiser, startDay, days, lineItems },
    fields: { name: title, active: chance.between(0, 1) > 0.02, budget, ...flight },
  };
};

interface Around {
  readonly flight: Fields;
  readonly days: number;
  readonly domain: string;
  readonly title: string;
  readonly publisher: number;
  readonly placement: number;
}

const COURSES: readonly (readonly [share: number, course: Course])[] = [
  [0.01, 'no creative'],
  [0.02, 'pending'],
  [0.035, 'outranked'],
  [0.075, 'paused'],
  [0.13, 'behind'],
  [0.16, 'ahead'],
  [1, 'on course'],
];

const bookLineItem = (chance: Chance, { flight, days, domain, title, publisher, placement }: Around): BookedLineItem => {
  const { name, words, width, height } = PLACEMENTS[placement]!;
  const placementId = `${PUBLISHERS[publisher]!.prefix}-${name}`;
  const draw = chance.between(0, 1);
  const drawn = COURSES.find(([share]) => draw < share)![1];
  const course = drawn === 'pending' && publisher !== 0 ? 'on course' : drawn;
  const kind = chance.between(0, 1);
  const budgetType = kind < 0.78 ? 'CPM' : kind < 0.88 ? 'CPC' : kind < 0.95 ? 'VCPM' : 'Flat';
  const price = chance.whole(20, 90) / 10;
  const goal = chance.whole(8, 45) * 10 * days;
  const prices = {
    CPM: { cpm: price },
    VCPM: { cpm: price + 2 },
    CPC: { cpc: 0.4 },
    Flat: { cpm: price, budget: chance.whole(3, 30) * 100 },
  }[budgetType];
  const count = course === 'no creative' ? 0 : chance.whole(1, 2);
  const creatives = Array.from({ length: count }, (_, i) => ({
    name: `${title}, ${words.toLowerCase()} ${'AB'[i]}`,
    placement_id: placementId,
    format: 'html',
    content: adOf(chance.pick(COLOURS), title, height),
    advertiser_domain: domain,
    status: course === 'pending' ? 'pending' : 'approved',
    ...{ width, height },
  }));
  const priority = course === 'outranked' ? 3 : chance.pick([1, 2, 2, 2, 3]);
  return {
    ...{ course, budgetType, goal, placementId, creatives },
    priceMicros: budgetType === 'CPC' ? 400_000 : Math.round((budgetType === 'VCPM' ? price + 2 : price) * 1_000_000),
    fields: {
      name: `${title}, ${words.toLowerCase()}`,
      active: course !== 'paused',
      budget_type: budgetType,
      ...prices,
      ...{ priority, goal_impressions: goal, pacing: 'Even' },
      ...(chance.between(0, 1) < 0.3 ? { frequency_cap: 4, frequency_window: 86_400 } : {}),
      ...(chance.between(0, 1) < 0.25 ? { targeting: { devices: [chance.pick(['desktop', 'mobile'])] } } : {}),
      ...flight,
    },
  };
};

const adOf = (colour: string, title: string, height: number): string =>
  `<a href="/static/demo/landing.html" style="display:flex;align-items:center;justify-content:center;height:${height}px;` +
  `color:#fff;background:${colour};font:600 18px system-ui,sans-serif;text-align:center;text-decoration:none">${title}</a>`;
