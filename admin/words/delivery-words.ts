import { CLASS_WORDS, PACING_WORDS } from './choice-words.ts';
import { frequencyCapsOf } from '../../src/catalog/model/frequency-caps.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import type { LineItemWire } from '../api/wire.ts';
import { dayGoal } from './day-goal.ts';
import { capWords } from './cap-words.ts';
import { scheduleWords } from './schedule-words.ts';
import { count, money } from './formats.ts';
import { t } from './texts.ts';

/** The pacing, frequency cap and rate limit of a line item, in sentences. */
export const deliveryWords = (item: LineItemWire, delivery: Delivery, currency: string): readonly string[] => {
  const { daily_impression_cap: impressions, daily_spend_cap: spend } = delivery.limits;
  const caps = [
    ...(impressions === null ? [] : [t`${count(impressions)} impressions`]),
    ...(spend === null ? [] : [money(spend, currency)]),
  ];
  return [
    ...(item.class === null ? [] : [t`${CLASS_WORDS[item.class].label}: ${CLASS_WORDS[item.class].note}.`]),
    paceWords(delivery, caps.join(' and ')),
    ...(item.schedule.length === 0 ? [] : [t`It serves ${scheduleWords(item.schedule)}, on the clock of the ${item.schedule_zone}.`]),
    ...(item.share_of_voice === null ? [] : [t`It gets ${item.share_of_voice} % of the requests that it could serve, before all others.`]),
    ...(item.roadblock ? [t`It is shown on all placements of its creatives together, or on none of them.`] : []),
    ...capWords(frequencyCapsOf(item)),
    ...(item.rate_limit === null
      ? []
      : [t`At most ${item.rate_limit} serves a second${item.rate_burst === null ? '' : t`, ${item.rate_burst} in a burst`}.`]),
  ];
};

const paceWords = (delivery: Delivery, caps: string): string => {
  const { spread } = PACING_WORDS[delivery.pacing.mode];
  if (spread !== null) return pacedWords(spread, delivery);
  return caps === '' ? t`It has no daily cap and takes every ad that it can win.` : t`It serves as fast as it can, up to ${caps} a day.`;
};

const pacedWords = (how: string, delivery: Delivery): string => {
  const { pacing, today } = delivery;
  const goal = dayGoal(delivery);
  if (pacing.target === null || goal === null) return t`It has no cap, goal or budget to pace by, and takes every ad that it can win.`;
  const room = pacing.permits !== null && pacing.permits < 1 ? t`; it waits until more is due` : '';
  return t`${how}: about ${count(goal)} impressions today, from the lowest of its daily caps and the day’s part of its goals and budgets. Due by now, from where pacing began today: ${count(pacing.target)}; delivered or reserved: ${count(today.committed)}${room}.`;
};
