import { closedRecord, integerOf, listOf, numberOf, oneOf, optional, orNull } from '../../base/schema.ts';
import { CAP_SCOPES, PACING_WORDS } from '../model/choices.ts';
import { classesThatLeave } from '../model/line-item-classes.ts';
import { MAX_OF_A_CAP, MAX_WINDOW_S } from '../model/frequency-caps.ts';
import { field } from './field.ts';
import { amount, chosen, goal } from './parts.ts';

const ofACap = integerOf({ minimum: 1, maximum: MAX_OF_A_CAP });

/** The fields of a line item that bound what it delivers, and spread it. */
export const DELIVERY_LIMITS = {
  pacing: field({
    ...chosen(PACING_WORDS, { default: 'ASAP' }),
    view: ['pacing', 'oneOf'],
    form: {
      label: 'Pacing',
      wide: true,
      help: 'Even and PID spread the daily caps, or the day’s part of the goals and budgets.',
    },
  }),
  daily_impression_cap: field({
    schema: orNull(integerOf({ minimum: 0, maximum: 1_000_000_000 }), { default: null }),
    stored: 'bigint',
    view: ['dailyImpressionCap', 'numberOrNull'],
    form: { label: 'Daily impressions', placeholder: 'no cap', unit: 'a day' },
  }),
  daily_spend_cap: field({
    schema: amount('a day'),
    stored: 'micros',
    view: ['dailySpendCapMicros', 'numberOrNull'],
    form: { label: 'Daily spend', placeholder: 'no cap', unit: 'a day' },
  }),
  goal_impressions: field({
    schema: goal('impressions over the whole flight: Even and PID spread what is left over the rest of it, and the line item stops there'),
    stored: 'bigint',
    form: {
      label: 'Impressions in all',
      placeholder: 'no goal',
      when: { class: classesThatLeave('goal_impressions') },
      help: 'The goal of the whole flight. Even and PID spread what is left over the days that are left; it stops when the goal is reached.',
    },
  }),
  goal_clicks: field({
    schema: goal('clicks over the whole flight, spread by the expected click-through rate; the line item stops there'),
    stored: 'bigint',
    form: {
      label: 'Clicks in all',
      placeholder: 'no goal',
      when: { class: classesThatLeave('goal_clicks') },
      help: 'Spread by the click rate of the last 30 days. Clicks on ads already shown may exceed it a little.',
    },
  }),
  frontload: field({
    schema: integerOf({
      minimum: 0,
      maximum: 30,
      default: 0,
      description: 'percent by which Even and PID begin above the even rate of the flight; they end as far below it',
    }),
    form: {
      label: 'Front-load',
      unit: '%',
      when: { pacing: ['Even', 'PID'] },
      help: 'How far above the even rate the flight begins, up to 30%. It ends as far below.',
    },
  }),
  frequency_cap: field({
    schema: orNull(integerOf({ minimum: 1, maximum: MAX_OF_A_CAP }), {
      default: null,
      description: 'impressions of the line item per user and window: the short form of one of frequency_caps',
    }),
    form: { label: 'Frequency cap', placeholder: 'no cap', unit: 'per user' },
  }),
  frequency_window: field({
    schema: orNull(integerOf({ minimum: 1, maximum: MAX_WINDOW_S }), { default: null, description: 'seconds; null: 86400' }),
    column: 'frequency_window_s',
    form: { label: 'Window', widget: 'duration', required: true, when: { frequency_cap: 'given' }, initial: 86_400 },
  }),
  frequency_caps: field({
    schema: listOf(
      closedRecord({
        scope: oneOf(CAP_SCOPES, {
          description: 'whose ads count together: those of the line item, of its campaign, or of its advertiser',
        }),
        impressions: optional(orNull(ofACap, { description: 'it is shown while the user has seen fewer than this; or clicks' })),
        clicks: optional(orNull(ofACap, { description: 'it is shown while the user has clicked fewer than this' })),
        window: orNull(integerOf({ minimum: 1, maximum: MAX_WINDOW_S }), { description: 'seconds; null: a lifetime, of 366 days' }),
      }),
      { maxItems: 12, default: [], description: 'per user; all of them must hold' },
    ),
    stored: 'json',
    form: {
      label: 'More frequency caps',
      widget: 'caps',
      wide: true,
      help: 'All of them must hold for each person. One impression in 10 minutes keeps them from seeing it twice in a row.',
    },
  }),
  rate_limit: field({
    schema: orNull(numberOf({ exclusiveMinimum: 0, maximum: 1_000_000 }), { default: null, description: 'serves per second' }),
    form: { label: 'Rate limit', placeholder: 'no limit', unit: 'serves a second' },
  }),
  rate_burst: field({
    schema: orNull(numberOf({ minimum: 1, maximum: 1_000_000 }), { default: null }),
    form: {
      label: 'Burst',
      placeholder: 'same as the limit',
      when: { rate_limit: 'given' },
      help: 'The most it may serve in one second after a quiet period.',
    },
  }),
};

export const DELIVERY_LIMITS_SECTION = {
  title: 'Delivery limits',
  text: 'Each limit holds exactly, across all replicas. An empty field sets no limit.',
  fields: [
    'pacing',
    'goal_impressions',
    'goal_clicks',
    'frontload',
    'daily_impression_cap',
    'daily_spend_cap',
    'frequency_cap',
    'frequency_window',
    'frequency_caps',
    'rate_limit',
    'rate_burst',
  ],
} as const;
