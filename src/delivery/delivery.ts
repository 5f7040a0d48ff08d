import { component } from '../api/component.ts';
import * as s from '../base/schema.ts';
import { CAP_SCOPES, PACINGS } from '../catalog/model/choices.ts';
import { STATUS, STATUS_EXAMPLE } from './status/status.ts';

/** Gross = filtered + provisional + net: `impressions` and `clicks` are net. */
const COUNTED = {
  serves: s.count,
  gross_impressions: s.count,
  filtered_impressions: s.count,
  provisional_impressions: s.count,
  impressions: s.count,
  gross_clicks: s.count,
  filtered_clicks: s.count,
  provisional_clicks: s.count,
  clicks: s.count,
  spend: s.money,
};
const FIGURES = { ...COUNTED, events: s.countsByName, filtered: s.countsByName };

export const COURSES = ['scheduled', 'on course', 'behind', 'reached', 'ended'] as const;
export type Course = (typeof COURSES)[number];

/** The progress of a line item towards one of its goals. */
const GOAL_COURSE = s.record({
  of: s.oneOf(['impressions', 'clicks']),
  goal: s.count,
  delivered: s.count,
  due: s.described(s.count, 'Due by now, with the flight spread as its pacing spreads it'),
  course: s.oneOf(COURSES),
  behind: s.described(s.number, 'The share of `due` that is missing; 0 unless it is behind'),
  expected_end: s.orNull(s.integer, { description: 'What it will end at, if the rest goes as the last day did; null: too early to say' }),
  words: s.text,
});
export type GoalCourse = s.Shape<typeof GOAL_COURSE>;

const GOT = s.record({
  impressions: s.described(s.count, 'Impressions that its rules let it serve, those that it got among them'),
  got: s.orNull(s.number, { description: 'Per cent of them that it got; null: fewer than 100' }),
});
const SHARE_OF_VOICE = s.record({
  booked: s.described(s.number, 'Per cent'),
  today: s.described(GOT, 'Counted exactly up to 200 requests a second and replica, and estimated above'),
  week: s.described(GOT, 'The last seven days, with today'),
});
export type ShareOfVoice = s.Shape<typeof SHARE_OF_VOICE>;

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
  s.record({
    line_item_id: s.integer,
    at: s.moment,
    day: s.described(s.day, 'Of the publisher, by its time zone'),
    time_zone: s.described(s.text, 'Of the publisher, IANA'),
    day_began_at: s.described(s.moment, 'When that day began; hours are counted from then'),
    live: s.described(s.boolean, 'false: the counters are unavailable and the figures come from the database'),
    status: STATUS,
    today: s.record({
      ...FIGURES,
      held: s.orNull(s.integer, { description: 'Reserved and not yet shown; null: unknown, because live is false' }),
      committed: s.described(s.count, 'Impressions and reservations: what the daily cap limits'),
    }),
    yesterday: s.record(FIGURES),
    total: s.record({ impressions: s.count, clicks: s.count, spend: s.money }),
    goals: s.listOf(GOAL_COURSE),
    share_of_voice: s.nullOr(SHARE_OF_VOICE, {}, 'It has none'),
    limits: s.record({
      daily_impression_cap: s.orNull(s.integer),
      daily_spend_cap: s.orNull(s.number),
      budget: s.orNull(s.number),
      campaign_budget: s.orNull(s.number),
      campaign_spend: s.money,
      campaign_daily_budget: s.orNull(s.number),
      campaign_spend_today: s.orNull(s.number, { description: 'null: the counters are unavailable' }),
    }),
    pacing: s.record({
      mode: s.oneOf(PACINGS),
      goal: s.orNull(s.integer, { description: 'Impressions of the whole day; null: the line item is not paced' }),
      target: s.orNull(s.integer, { description: 'Impressions due by now, on the line from where pacing began today to the goal' }),
      began: s.nullOr(
        s.record({ share: s.described(s.number, 'Share of the day’s traffic at which pacing began today'), impressions: s.integer }),
      ),
      permits: s.orNull(s.number, { description: 'Selections that pacing permits now' }),
      curve: s.listOf(s.number, {
        minItems: 23,
        maxItems: 25,
        description:
          'Share of the day’s traffic by hour, of a line item with a schedule in its hours; days on which clocks change have 23 or 25',
      }),
    }),
    frequency: s.listOf(
      s.record({
        scope: s.oneOf(CAP_SCOPES),
        of: s.oneOf(['impressions', 'clicks']),
        max: s.integer,
        window: s.described(s.integer, 'Seconds'),
      }),
    ),
    hourly: s.listOf(s.record({ hour: s.integer, impressions: s.count, clicks: s.count })),
    last_days: s.listOf(s.record({ day: s.day, ...COUNTED })),
  }),
  {
    ...{ line_item_id: 5, at: '2026-10-14T12:00:00.000Z', day: '2026-10-14', live: true, status: STATUS_EXAMPLE },
    ...{ time_zone: 'Europe/Berlin', day_began_at: '2026-10-13T22:00:00.000Z' },
    today: { ...FIGURES_EXAMPLE, held: 37, committed: 4237 },
    yesterday: FIGURES_EXAMPLE,
    total: { impressions: 58_100, clicks: 290, spend: 261.45 },
    goals: [
      {
        ...{ of: 'impressions', goal: 200_000, delivered: 58_100, due: 62_400, course: 'behind', behind: 0.0689, expected_end: 191_300 },
        words:
          'Behind by 6.9%: 58,100 of 200,000 impressions, 62,400 due by now. At the rate of the last day, it would end at about 191,300.',
      },
    ],
    share_of_voice: { booked: 30, today: { impressions: 14_100, got: 29.8 }, week: { impressions: 98_200, got: 30.1 } },
    limits: {
      ...{ daily_impression_cap: 20_000, daily_spend_cap: null, budget: null, campaign_budget: 5000, campaign_spend: 261.45 },
      ...{ campaign_daily_budget: 250, campaign_spend_today: 18.81 },
    },
    pacing: {
      ...{ mode: 'Even', goal: 20_000, target: 4180, began: { share: 0, impressions: 0 }, permits: 12 },
      curve: Array.from({ length: 24 }, () => 1 / 24),
    },
    frequency: [{ scope: 'line_item', of: 'impressions', max: 3, window: 86_400 }],
    hourly: [{ hour: 0, impressions: 190, clicks: 1 }],
    last_days: [{ day: '2026-10-13', ...COUNTED_EXAMPLE }],
  },
);
export type Delivery = s.Shape<typeof DELIVERY>;
export type Figures = Delivery['yesterday'];
export type DayFigures = Delivery['last_days'][number];
