import type { LineItemStatus } from '../../src/delivery/status/status.ts';
import { time } from './dates.ts';
import { percent } from './formats.ts';
import { say, t } from './texts.ts';

/** A status as a pill shows it: `behind 12%`, `held back until 14:20`. */
export const statusWords = ({ value, off_pace, held_until }: LineItemStatus): string => {
  if (value === 'held back' && held_until !== null) return t`held back until ${time(held_until)}`;
  return off_pace > 0 && (value === 'behind' || value === 'ahead')
    ? `${say(value)} ${percent(Math.round(off_pace * 100) / 100)}`
    : say(value);
};
