import { CLASS_WORDS, PACING_WORDS } from './choice-words.ts';
import { frequencyCapsOf } from '../../src/catalog/model/frequency-caps.ts';
import type { Delivery } from '../../src/delivery/delivery.ts';
import { mayYield } from '../../src/catalog/model/line-item-classes.ts';
import type { LineItemWire, PublisherWire } from '../api/wire.ts';
import { dayGoal } from './day-goal.ts';
import { capWords } from './cap-words.ts';
import { scheduleWords } from './schedule-words.ts';
import { count, money, percent } from './formats.ts';
import { listed } from './kinds.ts';
import { t } from './texts.ts';

/**
 * What a line item was sold as, and how it is paced and limited, in sentences.
 *
 * @param publisher undefined: not seen by the caller
 * @param isRunning its flight: with what is due today
 */
export const deliveryWords = (
  item: LineItemWire,
  delivery: Delivery,
  currency: string,
  publisher: Pick<PublisherWire, 'dynamic_allocation'> | undefined,
  isRunning: boolean,
): readonly string[] => {
  const yields = publisher?.dynamic_allocation === true && mayYield(item) && !item.roadblock;
  const { daily_impression_cap: impressions, daily_spend_cap: spend } = delivery.limits;
  const caps = [
    ...(impressions === null ? [] : [t`${count(impressions)} impressions`]),
    ...(spend === null ? [] : [money(spend, currency)]),
  ];
  return [
    ...(item.class === null ? [] : [t`${CLASS_WORDS[item.class].label}: ${CLASS_WORDS[item.class].note}.`]),
    paceWords(delivery, listed(caps), isRunning),
    ...(item.schedule.length === 0 ? [] : [hoursWords(item)]),
    ...(item.share_of_voice === null ? [] : [t`It gets ${item.share_of_voice}% of the requests that it could serve, before all others.`]),
    ...shareWords(delivery),
    ...(yields ? [t`While it is ahead of its goal, a bidder wins over it by a bid above its price of not being shown.`] : []),
    ...(item.roadblock ? [t`It is shown on all placements of its creatives together, or on none of them.`] : []),
    ...(item.rotation === 'sequence' ? [t`Each person sees its creatives in the order of their steps.`] : []),
    ...capWords(frequencyCapsOf(item)),
    ...(item.rate_limit === null
      ? []
      : [t`At most ${item.rate_limit} serves a second${item.rate_burst === null ? '' : t`, ${item.rate_burst} in a burst`}.`]),
  ];
};

/** What it got of them, once there are enough to say it. */
const shareWords = ({ share_of_voice: share }: Delivery): readonly string[] => {
  const [today = null, week = null] = [share?.today.got, share?.week.got];
  if (week === null) return [];
  return today === null
    ? [t`It got ${percent(week / 100)} of them in the last seven days.`]
    : [t`It got ${percent(today / 100)} of them today, and ${percent(week / 100)} in the last seven days.`];
};

const hoursWords = ({ schedule, schedule_zone: zone }: LineItemWire): string => {
  const hours = scheduleWords(schedule);
  return zone === 'visitor' ? t`It serves ${hours}, on the clock of the visitor.` : t`It serves ${hours}, on the clock of the publisher.`;
};

const paceWords = (delivery: Delivery, caps: string, isRunning: boolean): string => {
  const { spread } = PACING_WORDS[delivery.pacing.mode];
  if (spread !== null && !isRunning) return `${spread}.`;
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
