import type { Form } from '../../bookings/forms/form.ts';
import { assetsOf, withAsset, type Assets } from './content-assets.ts';

export type ContentRow = Readonly<Record<string, unknown>>;

/** A list in the content of a creative, such as `companions`. */
export interface ContentList {
  readonly rows: readonly ContentRow[];
  readonly add: (row: ContentRow) => void;
  readonly remove: (at: number) => void;
  /** Changes some values of a row; `undefined` removes one. */
  readonly change: (at: number, part: ContentRow) => void;
}

const rowsIn = (assets: Assets, name: string): readonly ContentRow[] =>
  Array.isArray(assets[name]) ? (assets[name] as readonly ContentRow[]) : [];

/** @param shown the content as it is rendered. Changes read the current one: two may come before the next rendering */
export const contentList = (form: Form, shown: Assets, name: string): ContentList => {
  const write = (next: (now: readonly ContentRow[]) => readonly ContentRow[]): void => {
    const content = form.read('/content');
    form.write('/content', withAsset(content, name, next(rowsIn(assetsOf(content) ?? {}, name))));
  };
  return {
    rows: rowsIn(shown, name),
    add: (row) => write((now) => [...now, row]),
    remove: (at) => write((now) => now.filter((_, i) => i !== at)),
    change: (at, part) => write((now) => now.map((row, i) => (i === at ? { ...row, ...part } : row))),
  };
};
