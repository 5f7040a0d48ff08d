import { component } from '../api/component.ts';
import {
  boolean,
  count,
  countsByName,
  day,
  described,
  integer,
  listOf,
  moment,
  nullOr,
  number,
  oneOf,
  orNull,
  record,
  text,
  usd,
  type Shape,
} from '../base/schema.ts';
import { PACINGS } from '../catalog/model/choices.ts';
import { STATUS, STATUS_EXAMPLE } from './status/status.ts';

/** Gross = filtered + provisional + net: `impressions` and `clicks` are net. */
const COUNTED = {
  serves: count,
  gross_impressions: count,
  filtered_impressions: count,
  provisional_impressions: count,
  impressions: count,
  gross_clicks: count,
  filtered_clicks: count,
  provisional_clicks: count,
  clicks: count,
  spend: usd,
};
const FIGURES = { ...COUNTED, events: countsByName, filtered: countsByName };

export const COURSES = ['scheduled', 'on course', 'behind', 'reached', 'ended'] as const;
export type Course = (typeof COURSES)[number];

/** The progress of a line item towards one of its goals. */
const GOAL_COURSE = record({
  of: oneOf(['impressions', 'clicks']),
  goal: count,
  delivered: count,
  due: described(count, 'Due by now, with the flight spread as its pacing spreads it'),
  course: oneOf(COURSES),
  behind: described(number, 'The share of `due` that is missing; 0 unless it is behind'),
  expected_end: orNull(integer, { description: 'What it will end at, if the rest goes as the last day did; null: too early to say' }),
  words: text,
});
export type GoalCourse = Shape<typeof GOAL_COURSE>;

const COUNTED_EXAMPLE = {
  ...{ serves: 5200, gross_impressions: 4310, filtered_impressions: 110, provisional_impressions: 0, impressions: 4200 },
  ...{ gross_clicks: 29, filtered_clicks: 5, provisional_clicks: 3, clicks: 21, spend: 18.9 },
};
const FIGURES_EXAMPLE = {
  ...COUNTED_EXAMPLE,
  events: { like: 3, viewable: 3100 },
  filtered: { impression_spider: 110, click_fast: 5 },
};

/** How a line item delivers. */
export const DELIVERY = component(
  'Delivery',
  record({
    line_item_id: integer,
    at: moment,
    day,
    live: described(boolean, 'false: the counters are unavailable and the figures come from the database'),
    status: STATUS,
    today: record({
      ...FIGURES,
      held: orNull(integer, { description: 'Reserved and not yet shown; null: unknown, because live is false' }),
      committed: described(count, 'Impressions and reservations: what the daily cap limits'),
    }),
    yesterday: record(FIGURES),
    total: record({ impressions: count, clicks: count, spend: usd }),
    goals: listOf(GOAL_COURSE),
    limits: record({
      daily_impression_cap: orNull(integer),
      daily_spend_cap: orNull(number),
      budget: orNull(number),
      campaign_budget: orNull(number),
      campaign_spend: usd,
    }),
    pacing: record({
      mode: oneOf(PACINGS),
      goal: orNull(integer, { description: 'Impressions of the whole day; null: the line item is not paced' }),
      target: orNull(integer, { description: 'Impressions due by now, on the line from where pacing began today to the goal' }),
      began: nullOr(record({ share: described(number, 'Share of the day’s traffic at which pacing began today'), impressions: integer })),
      permits: orNull(number, { description: 'Selections that pacing permits now' }),
      curve: listOf(number, { minItems: 24, maxItems: 24, description: 'Share of a day’s traffic by UTC hour' }),
    }),
    frequency: nullOr(record({ places: integer, window: described(integer, 'Seconds') })),
    hourly: listOf(record({ hour: integer, impressions: count, clicks: count })),
    last_days: listOf(record({ day, ...COUNTED })),
  }),
  {
    ...{ line_item_id: 5, at: '2026-10-14T12:00:00.000Z', day: '2026-10-14', live: true, status: STATUS_EXAMPLE },
    today: { ...FIGURES_EXAMPLE, held: 37, committed: 4237 },
    yesterday: FIGURES_EXAMPLE,
    total: { impressions: 58_100, clicks: 290, spend: 261.45 },
    goals: [
      {
        ...{ of: 'impressions', goal: 200_000, delivered: 58_100, due: 62_400, course: 'behind', behind: 0.0689, expected_end: 191_300 },
        words: 'Behind by 6.9%: 58,100 of 200,000 impressions, 62,400 due by now. It will end at about 191,300 if it goes on like this.',
      },
    ],
    limits: { daily_impression_cap: 20_000, daily_spend_cap: null, budget: null, campaign_budget: 5000, campaign_spend: 261.45 },
    pacing: {
      ...{ mode: 'Even', goal: 20_000, target: 4180, began: { share: 0, impressions: 0 }, permits: 12 },
      curve: Array.from({ length: 24 }, () => 1 / 24),
    },
    frequency: { places: 3, window: 86_400 },
    hourly: [{ hour: 0, impressions: 190, clicks: 1 }],
    last_days: [{ day: '2026-10-13', ...COUNTED_EXAMPLE }],
  },
);
export type Delivery = Shape<typeof DELIVERY>;
export type Figures = Delivery['yesterday'];
export type DayFigures = Delivery['last_days'][number];
