import { isDay } from '../../catalog/checks/formats.ts';
import type { Cell } from './read-sheet.ts';
import type { SheetColumn } from './sheet-columns.ts';

/** What a cell says, or what is wrong with it, as a sentence without its subject. */
export type ReadCell = { readonly value: unknown } | { readonly fault: string };

const textOf = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '' : cell instanceof Date ? cell.toISOString() : String(cell).trim();

export const isEmpty = (cell: Cell | undefined): boolean => textOf(cell) === '';

/** Reads a cell as its column needs it. @param cell that is not empty */
export const readCell = ({ kind }: SheetColumn, cell: Cell): ReadCell => READERS[kind](cell, textOf(cell));

const DATES = /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ].*)?$/;
const GERMAN_DATES = /^(\d\d?)\.(\d\d?)\.(\d{4})$/;

const dateOf = (year: string, month: string, day: string): ReadCell => {
  const value = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(value) ? { value } : { fault: 'is no day of the calendar' };
};

/** Amounts that can be read in one way: `4.5`, `4,50`, `1,234.50`, `1.234,50`. `1,234` and `1.234` can be two. */
const AMOUNTS: readonly (readonly [RegExp, group: string])[] = [
  [/^\d+$/, ''],
  [/^\d+\.(\d{1,2}|\d{4,})$/, ''],
  [/^(\d{4,}|0)\.\d{3}$/, ''],
  [/^\d{1,3}(,\d{3})+\.\d+$/, ','],
  [/^\d{1,3}(,\d{3}){2,}$/, ','],
  [/^\d+,(\d{1,2}|\d{4,})$/, '.'],
  [/^\d{1,3}(\.\d{3})+,\d+$/, '.'],
  [/^\d{1,3}(\.\d{3}){2,}$/, '.'],
];

const numberOf = (text: string): number | undefined => {
  const bare = text.replaceAll(/[\s€$£]|USD|EUR/g, '');
  const [, group] = AMOUNTS.find(([form]) => form.test(bare)) ?? [];
  if (group === undefined) return undefined;
  return Number(group === '.' ? bare.replaceAll('.', '').replace(',', '.') : bare.replaceAll(',', ''));
};

const YES = ['yes', 'y', 'true', '1', 'x', 'ja', 'active', 'on'];
const NO = ['no', 'n', 'false', '0', 'nein', 'paused', 'off'];

const READERS: Readonly<Record<SheetColumn['kind'], (cell: Cell, text: string) => ReadCell>> = {
  text: (_, text) => ({ value: text }),
  texts: (_, text) => ({
    value: text
      .split(/[,;\n]/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  }),
  url: (_, text) => (/^https?:\/\/\S+$/i.test(text) ? { value: text } : { fault: 'must be an address such as https://boots.example' }),
  date: (cell, text) => {
    if (cell instanceof Date) return { value: cell.toISOString().slice(0, 10) };
    const [, year, month = '', day = ''] = DATES.exec(text) ?? [];
    if (year !== undefined) return dateOf(year, month, day);
    const [, d = '', m = '', y] = GERMAN_DATES.exec(text) ?? [];
    if (y !== undefined) return dateOf(y, m, d);
    return { fault: 'must be a date such as 2026-12-31: other forms can be read in two ways' };
  },
  amount: (cell, text) => {
    const value = typeof cell === 'number' ? cell : numberOf(text);
    return value === undefined || value < 0
      ? { fault: `must be an amount such as 4.50; "${text.slice(0, 20)}" cannot be read in one way` }
      : { value };
  },
  count: (cell, text) => {
    const bare = text.replaceAll(/[\s.,']/g, '');
    const isGrouped = /^\d{1,3}([\s.,']\d{3})*$/.test(text) || /^\d+$/.test(text);
    const value = typeof cell === 'number' ? cell : isGrouped ? Number(bare) : NaN;
    return Number.isInteger(value) && value >= 1 ? { value } : { fault: 'must be a whole number from 1' };
  },
  flag: (cell, text) => {
    if (typeof cell === 'boolean') return { value: cell };
    if (YES.includes(text.toLowerCase())) return { value: true };
    return NO.includes(text.toLowerCase()) ? { value: false } : { fault: 'must be yes or no' };
  },
};
