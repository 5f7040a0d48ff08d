import type { Delivery } from '../delivery.ts';
import type { LineItemWire } from '../wire.ts';
import { count, duration, money } from './formats.ts';

/** How a line item is paced, and how often one person sees it, in sentences. */
export const deliveryWords = (item: LineItemWire, { pacing, limits, today }: Delivery): readonly string[] => {
  const { daily_impression_cap: impressions, daily_spend_cap: spend } = limits;
  const caps = [...(impressions === null ? [] : [`${count(impressions)} impressions`]), ...(spend === null ? [] : [money(spend)])];
  const cap = caps.join(' and ');
  return [
    cap === ''
      ? 'No daily cap: it takes every ad that it can win.'
      : pacing.mode === 'ASAP'
        ? `Serves as fast as it can, up to ${cap} a day.`
        : pacing.mode === 'Even'
          ? `Spreads ${cap} over the day, as the hours of the day usually go.${aim(pacing, today)}`
          : `A controller keeps it near the line that leads to ${cap} by midnight (UTC).${aim(pacing, today)}`,
    item.frequency_cap === null
      ? 'One person may see it any number of times.'
      : `One person sees it at most ${item.frequency_cap === 1 ? 'once' : `${item.frequency_cap} times`} within ${duration(item.frequency_window ?? 86_400)}.`,
    ...(item.rate_limit === null
      ? []
      : [`At most ${item.rate_limit} serves a second${item.rate_burst === null ? '' : `, ${item.rate_burst} at once`}.`]),
  ];
};

/** Where it should be by now, when the service says so. */
const aim = ({ target, allowance }: Delivery['pacing'], { committed }: Delivery['today']): string => {
  if (target === null) return '';
  const room =
    allowance === null ? '' : allowance >= 1 ? `; it may serve ${count(Math.floor(allowance))} at once` : '; it waits for a moment';
  return ` Due by now: ${count(Math.floor(target))}, promised or seen: ${count(committed)}${room}.`;
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
