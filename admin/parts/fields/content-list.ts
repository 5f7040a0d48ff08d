import type { Form } from '../../bookings/forms/form.ts';
import { assetsOf, withAsset } from './content-assets.ts';
import { rowsOf, type Rows } from './rows.ts';

export type ContentRow = Readonly<Record<string, unknown>>;
export type ContentList = Rows<ContentRow>;

/** A list in the content of a creative, such as `companions`. A change to `undefined` removes a value of a row. */
export const contentList = (form: Form, name: string): ContentList =>
  rowsOf<ContentRow>(
    () => {
      const rows = assetsOf(form.read('/content'))?.[name];
      return Array.isArray(rows) ? (rows as readonly ContentRow[]) : [];
    },
    (rows) => form.write('/content', withAsset(form.read('/content'), name, rows)),
  );
