import type { Delivery } from '../../src/trafficking/insight/delivery.ts';
import type { LineItemWire } from '../service/wire.ts';
import { dayGoal } from './day-goal.ts';
import { count, duration, money } from './formats.ts';

/** How a line item is paced, and how often one person sees it, in sentences. */
export const deliveryWords = (item: LineItemWire, delivery: Delivery): readonly string[] => {
  const { daily_impression_cap: impressions, daily_spend_cap: spend } = delivery.limits;
  const caps = [...(impressions === null ? [] : [`${count(impressions)} impressions`]), ...(spend === null ? [] : [money(spend)])];
  return [
    paceWords(delivery, caps.join(' and ')),
    item.frequency_cap === null
      ? 'One person may see it any number of times.'
      : `One person sees it at most ${item.frequency_cap === 1 ? 'once' : `${item.frequency_cap} times`} within ${duration(item.frequency_window ?? 86_400)}.`,
    ...(item.rate_limit === null
      ? []
      : [`At most ${item.rate_limit} serves a second${item.rate_burst === null ? '' : `, ${item.rate_burst} at once`}.`]),
  ];
};

const paceWords = (delivery: Delivery, caps: string): string => {
  const { pacing, today } = delivery;
  if (pacing.mode === 'ASAP')
    return caps === '' ? 'No daily cap: it takes every ad that it can win.' : `Serves as fast as it can, up to ${caps} a day.`;
  const goal = dayGoal(delivery);
  if (pacing.target === null || goal === null) return 'There is no cap and no budget to pace by, so it takes every ad that it can win.';
  const how = pacing.mode === 'Even' ? 'Spread over the day as its hours usually go' : 'Kept on course by a controller';
  const room = pacing.allowance !== null && pacing.allowance < 1 ? '; it waits for its next turn' : '';
  return `${how}: about ${count(goal)} impressions today, the tightest of its daily caps and of what its budgets leave for the day. Due by now: ${count(pacing.target)}, seen or promised: ${count(today.committed)}${room}.`;
};

/** What a line item asks of a visitor, in words; undefined when it takes everybody. */
export const targetingWords = ({ targeting }: LineItemWire, countryName: (code: string) => string): readonly string[] => {
  const list = (values: unknown): string => (Array.isArray(values) ? values.map(String) : [String(values)]).join(', ');
  return [
    ...(targeting.countries?.length ? [`in ${targeting.countries.map(countryName).join(', ')}`] : []),
    ...(targeting.devices?.length ? [`on ${targeting.devices.join(', ')}`] : []),
    ...Object.entries(targeting.dimensions ?? {}).map(([name, values]) => `${name}: ${list(values)}`),
    ...Object.entries(targeting.key_values ?? {}).map(([name, values]) => `${name}: ${list(values)}`),
  ];
};
