import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../base/utc-day.ts';
import type { Change } from '../declarations/change.ts';
import type { Applied } from './bookings-client.ts';

export interface PlanStyle {
  /** The words of a comparison: what the service has, and not what would be done. */
  readonly isDiff: boolean;
  readonly isColoured: boolean;
  readonly nowMs: number;
}

const SIGNS = { create: '+', update: '~', archive: '-' } as const;
const COLOURS = { create: 32, update: 33, archive: 31 } as const;

/** A plan for people. */
export const describePlan = ({ changes, unchanged, undeclared }: Applied, { isDiff, isColoured, nowMs }: PlanStyle): string => {
  const coloured = (colour: number, text: string): string => (isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text);
  const lineOf = ({ action, words, last_change: last }: Change): string => {
    const who =
      last && action !== 'create'
        ? `\n      last changed by ${last.actor} ${agoOf(nowMs - Date.parse(last.at))}${last.note ? `: ${last.note}` : ''}`
        : '';
    return `  ${coloured(COLOURS[action], SIGNS[action])} ${words}${who}`;
  };
  const others = undeclared.map(({ kind, key, id, name }) => `    ${kind.replaceAll('_', ' ')} ${name} (${key ?? `id ${id}`})`);
  const same = `${unchanged} ${unchanged === 1 ? 'record is' : 'records are'} as in the files`;
  const head = changes.length === 0 ? `Nothing ${isDiff ? 'differs' : 'would change'}: ${same}.` : `${countOf(changes)}; ${same}.`;
  return [
    head,
    ...changes.map(lineOf),
    ...(others.length > 0 ? [`  Not in the files, and left as they are (--prune archives them):`, ...others] : []),
  ].join('\n');
};

const countOf = (changes: readonly Change[]): string => {
  const of = (action: Change['action'], words: string): readonly string[] => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${count} ${words}`];
  };
  return [...of('create', 'to create'), ...of('update', 'to change'), ...of('archive', 'to archive')].join(', ');
};

const UNITS = [
  [MS_PER_DAY, 'day'],
  [MS_PER_HOUR, 'hour'],
  [MS_PER_MINUTE, 'minute'],
] as const;

const agoOf = (ms: number): string => {
  const [length, unit] = UNITS.find(([each]) => ms >= each) ?? [];
  if (length === undefined) return 'just now';
  const count = Math.floor(ms / length);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
};
