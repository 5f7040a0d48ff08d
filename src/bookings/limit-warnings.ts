import type { Fault } from '../base/fault.ts';
import { MS_PER_DAY } from '../base/utc-day.ts';
import type { LineItemRecord } from '../catalog/entities/line-item.ts';
import { flightOf } from '../catalog/model/flight-dates.ts';
import type { EntityKind } from './entity-kind.ts';

/**
 * Warnings for limits that keep a line item from its goal, or that another one makes needless. They are no faults: a cap may be meant for
 * some days only.
 */
export const limitWarnings = ({ table }: EntityKind, record: object): readonly Fault[] => {
  if (table !== 'line_items') return [];
  const lineItem = record as LineItemRecord;
  const { type, budget_type, budget, cpm, daily_spend_cap: dailySpend, daily_impression_cap: cap, goal_impressions: goal } = lineItem;
  const { startMs, endMs } = flightOf(lineItem);
  const days = Math.ceil((endMs - startMs) / MS_PER_DAY);
  // A Flat fee bounds nothing.
  const bound = budget_type === 'Flat' && type === 'direct' ? null : budget;
  const price = type === 'direct' && budget_type === 'CPM' ? (cpm ?? 0) : 0;
  const paid = bound !== null && price > 0 ? Math.floor((bound * 1_000) / price) : Infinity;
  return [
    ...(goal !== null && cap !== null && cap * days < goal
      ? [
          {
            pointer: '/daily_impression_cap',
            detail: `allows ${cap * days} impressions in the ${days} days of the flight, and the goal is ${goal}: raise it to ${Math.ceil(goal / days)}, or lower the goal`,
          },
        ]
      : []),
    ...(goal !== null && paid < goal
      ? [
          {
            pointer: '/budget',
            detail: `pays for ${paid} impressions at a CPM of ${price}, and the goal is ${goal}: raise it to ${Math.ceil((goal * price) / 10) / 100}, or lower the goal`,
          },
        ]
      : []),
    ...(bound !== null && dailySpend !== null && dailySpend > bound
      ? [
          {
            pointer: '/daily_spend_cap',
            detail: `never applies: the budget of the whole flight is ${bound}. Leave it out, or give less`,
          },
        ]
      : []),
  ];
};
